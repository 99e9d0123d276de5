import { expect } from 'chai';
import { fencedBlocksOf } from '../docs/fenced-blocks.ts';
import { DocumentShell } from './document-shell.ts';

/**
 * The other commands of the page run in tests/docs/tour-accounts.spec.ts, on a package that is laid out without npm.
 */
const [installing] = fencedBlocksOf('tour-accounts.md');

describe('the installation of docs/tour-accounts.md, followed in an empty folder', () => {
  let shell: DocumentShell;
  before(() => {
    shell = new DocumentShell();
    shell.run('mkdir accounts && cd accounts');
  });
  after(() => shell.dispose());

  it('installs the command, and the program that starts a replica set', () => {
    shell.run(String(installing?.text));
    expect(shell.run('npx latchkey --version')).to.match(/^\d+\.\d+\.\d+\n/);
    shell.run('test -f node_modules/latchkey/deploy/compose/initiate-replica-set.mjs');
  });
});
