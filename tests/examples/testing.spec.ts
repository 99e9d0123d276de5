import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { Newcomer } from './newcomer.ts';

const blocks = fencedBlocksOf('testing.md');
const installations = blocks.filter(({ language, text }) => language === 'sh' && text.includes('npm install'));
const programs = blocks.filter(({ language }) => language === 'js');

describe('docs/testing.md, followed in an empty folder', () => {
  let newcomer: Newcomer;
  before(() => {
    newcomer = new Newcomer();
    newcomer.type('mkdir shop && cd shop');
  });
  after(() => newcomer.leave());

  it('installs what its programs import', () => {
    expect(installations).to.have.lengthOf(2);
    for (const { text } of installations) newcomer.type(text);
  });

  it('is installed from a lock file too, without a compiler or Python', () => {
    // Without binaries inside the package, npm 10 and 11 would compile here: https://github.com/npm/cli/issues/9837.
    newcomer.type('npm_config_ignore_scripts=false npm_config_python=/missing CC=false CXX=false npm ci');
    expect(newcomer.type('npx latchkey --version')).to.match(/^\d+\.\d+\.\d+\n/);
  });

  it('shows programs that run there', () => {
    const names = programs.map(({ text }) => {
      const name = /^\/\/ ([\w.]+)/.exec(text)?.[1] ?? '';
      writeFileSync(join(newcomer.place, name), text);
      return name;
    });
    const inProcess = names.filter((name) => name !== 'container.test.js');
    expect(newcomer.type(`node --test ${inProcess.join(' ')}`)).to.match(/pass 3\n/);
    expect(
      newcomer.type(`node --eval 'import("latchkey/testing/container").then(Object.keys).then(console.log)'`),
    ).to.include('LatchkeyContainer');
  });
});
