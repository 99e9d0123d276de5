import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { DocumentShell } from './document-shell.ts';

const blocks = fencedBlocksOf('testing.md');
const installations = blocks.filter(
  ({ language, text }) => language === 'sh' && text.includes('npm install') && !/ (?:vitest|jest) /.test(text),
);
// Those for vitest and Jest run in tests/docs/test-runners.spec.ts.
const programs = blocks.filter(
  ({ language, text }) => language === 'js' && !text.startsWith('// jane.globals.test.js'),
);

describe('docs/testing.md, followed in an empty folder', () => {
  let shell: DocumentShell;
  before(() => {
    shell = new DocumentShell();
    shell.run('mkdir shop && cd shop');
  });
  after(() => shell.dispose());

  it('installs the packages that its programs import', () => {
    expect(installations).to.have.lengthOf(2);
    for (const { text } of installations) shell.run(text);
  });

  it('can be installed from a lock file, without a compiler or Python', () => {
    // Without binaries inside the package, npm 10 and 11 would compile here: https://github.com/npm/cli/issues/9837.
    shell.run('npm_config_ignore_scripts=false npm_config_python=/missing CC=false CXX=false npm ci');
    expect(shell.run('npx latchkey --version')).to.match(/^\d+\.\d+\.\d+\n/);
  });

  it('shows programs that work', () => {
    const names = programs.map(({ text }) => {
      const name = /^\/\/ ([\w.]+)/.exec(text)?.[1] ?? '';
      writeFileSync(join(shell.directory, name), text);
      return name;
    });
    const inProcess = names.filter((name) => name !== 'container.test.js');
    expect(inProcess).to.deep.equal(['jane.test.js', 'recovery.test.js']);
    expect(shell.run(`node --test ${inProcess.join(' ')}`)).to.match(/pass 2\n/);
    expect(
      shell.run(`node --eval 'import("latchkey/testing/container").then(Object.keys).then(console.log)'`),
    ).to.include('LatchkeyContainer');
  });
});
