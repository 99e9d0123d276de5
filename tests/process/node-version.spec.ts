import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eachWithInstallation, program } from './installation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { engines, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const [, needed = ''] = /^>=([\d.]+)$/.exec(engines.node) ?? [];

describe('the Node.js that Latchkey runs on', () => {
  const installation = eachWithInstallation();

  /** Runs `latchkey --version` in a Node.js that reports this version. */
  const versionIn = async (node: string) => {
    await installation().write(
      'node-version.cjs',
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } });`,
    );
    const run = installation().node(['--require', './node-version.cjs', program, '--version']);
    return { status: await run.ended, stdout: run.stdout, stderr: run.stderr };
  };

  it('is the one in package.json; older ones exit with 1, and print the required version', async () => {
    expect((await versionIn(`${needed}.0`)).status).to.equal(0);
    expect((await versionIn('100.0.0')).status).to.equal(0);
    const [major = 0, minor = 0] = needed.split('.').map(Number);
    for (const old of ['20.20.2', `${major}.${minor - 1}.9`])
      expect(await versionIn(old)).to.deep.equal({
        status: 1,
        stdout: '',
        stderr: `latchkey: needs Node.js ${needed} or newer, and this is ${old}; install a newer one, or run npm install node@24 in the folder of the package, and then npx latchkey\n`,
      });
  });

  it('is installed in a clone, regardless of the version that npm itself uses', () => {
    const { node } = process.versions;
    const brought = spawnSync('npm', ['--prefix', root, 'exec', '--offline', '--call', 'node --version'], {
      encoding: 'utf8',
    });
    expect(brought.stdout, `under Node.js ${node}`).to.match(/^v24\./);
    expect(devDependencies.node).to.match(/^\^24\./);
  });
});
