import { expect } from 'chai';
import { freePort } from '../../benchmarks/free-port.ts';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { CallersProject } from '../process/published.ts';
import { image, needsImage } from './image.ts';

const blocks = fencedBlocksOf('testing.md');

/** The text of the only block that contains a phrase. */
const blockWith = (words: string): string => {
  const found = blocks.filter(({ text }) => text.includes(words));
  expect(found, words).to.have.length(1);
  return found[0]?.text ?? '';
};

describe('the containers of docs/testing.md', function () {
  this.timeout(120_000);
  needsImage();

  let project: CallersProject;
  beforeEach(() => {
    project = new CallersProject();
  });
  afterEach(() => project.dispose());

  it('run from Node.js', () => {
    project.write('container.test.js', blockWith('new LatchkeyContainer'));
    const { stdout } = project.node(['--test', 'container.test.js'], { LATCHKEY_IMAGE: image });
    expect(stdout).to.match(/pass 1\n/);
  });

  it('run from a shell', async () => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const name = `latchkey-guide-${port}`;
    const commands = `${blockWith('docker run')}${blockWith('docker rm')}`
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${adminPort}`)
      .replaceAll('latchkey-test', name);
    project.write('latchkey.yaml', blockWith('type: memory'));
    // Also when an earlier command fails.
    const script = `trap 'docker rm --force ${name} > /dev/null 2>&1' EXIT\n${commands}`;
    const { stdout } = project.run('bash', ['-euo', 'pipefail', '-c', script], { LATCHKEY_IMAGE: image });
    expect(stdout).to.include('"ready": true').and.include('"address":"jane@example.com"');
    expect(stdout).to.include('"verified":true').and.include('/verify?email=jane%40example.com&token=');
  });
});
