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
