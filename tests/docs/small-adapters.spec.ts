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

  const runSuites = () =>
    project.node([`${repository}/node_modules/mocha/bin/mocha.js`, '--exit', '--timeout', '10000', 'adapters.spec.js']);

  it('shows adapters that pass the contract suites of their ports', () => {
    expect(blocks.map(({ text }) => text)).to.include('npx mocha --exit --timeout 10000 adapters.spec.js\n');
    expect(runSuites().stdout)
      .to.match(/\d+ passing/)
      .and.not.match(/\d+ (?:failing|pending)/);
  });

  const mistakes: Readonly<Record<string, readonly [file: string, right: string, wrong: string]>> = {
    'send does not end within the operation timeout': ['http-mailer.js', 'body, signal }', 'body }'],
    ECONNREFUSED: [
      'http-mailer.js',
      "Fault('mail_failed', 'the mail API cannot",
      "Error('ECONNREFUSED', 'the mail API cannot",
    ],
    'the status of a text that is no hash': ['scrypt-hash.js', "return 'foreign'", "return 'outdated'"],
    'verifies "p", and no similar password': ['scrypt-hash.js', 'derive(input,', 'derive(password,'],
  };
  for (const [message, [name, right, wrong]] of Object.entries(mistakes))
    it(`runs suites that find a mistake: ${message}`, () => {
      const text = files.find((file) => file.name === name)?.text ?? '';
      expect(text).to.include(right);
      project.write(name, text.replace(right, wrong));
      try {
        expect(runSuites).to.throw(message);
      } finally {
        project.write(name, text);
      }
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
