import { expect } from 'chai';
import { CallersProject } from '../process/published.ts';
import { repository } from './documents.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('small-adapters.md');
const files = blocks.flatMap(({ text }) => {
  const [, name] = /^(?:\/\/|#) ([\w.-]+)\n/.exec(text) ?? [];
  return name === undefined ? [] : [{ name, text }];
});

describe('docs/small-adapters.md', function () {
  this.timeout(120_000);
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
    // No DNS server is asked for the mail API.
    for (const { name, text } of files)
      project.write(name, text.replace('https://mail.example.com', 'http://127.0.0.1:1'));
  });
  after(() => project.dispose());

  it('shows adapters that pass the contract suites of their ports', () => {
    expect(blocks.map(({ text }) => text)).to.include('npx mocha --exit --timeout 10000 adapters.spec.js\n');
    const mocha = `${repository}/node_modules/mocha/bin/mocha.js`;
    const { stdout } = project.node([mocha, '--exit', '--timeout', '10000', 'adapters.spec.js']);
    expect(stdout)
      .to.match(/\d+ passing/)
      .and.not.match(/failing|pending/);
  });

  it('shows a configuration that names them', () => {
    const commands = blocks.find(({ text }) => text.includes('npx latchkey check'))?.text ?? '';
    const latchkey = `'${process.execPath}' '${repository}/dist/latchkey.cjs'`;
    const { stdout } = project.run('bash', [
      '-c',
      `${commands.replace('npx latchkey', latchkey).trim()} || echo "ended with $?"`,
    ]);
    expect(stdout).to.match(/secrets \(module\): secrets come from secrets\.json/);
    expect(stdout).to.match(/email \(module\): the mail API cannot be reached, or is too slow/);
    expect(stdout).to.include('ended with 1');
  });
});
