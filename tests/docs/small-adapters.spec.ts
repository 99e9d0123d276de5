import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CallersProject } from '../process/published.ts';
import { repository } from './documents.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

const blocks = fencedBlocksOf('small-adapters.md');
const example = new URL('../../examples/small-adapters/', import.meta.url);
const files = readdirSync(example).map((name) => ({ name, text: readFileSync(new URL(name, example), 'utf8') }));

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

  it('shows the options of the example unchanged, and copies all files of it', () => {
    const textOf = (name: string) => files.find((file) => file.name === name)?.text ?? '';
    const shown = (language: string) => blocks.find((block) => block.language === language)?.text;
    expect(textOf('latchkey.yaml')).to.include(shown('yaml'));
    expect(blocks[0]?.text).to.include('cp node_modules/latchkey/examples/small-adapters/* .');
  });

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
    'refuses an insert, which writes nothing': ['map-store.js', 'holder !== undefined &&', 'holder === 0 &&'],
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
