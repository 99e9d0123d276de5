import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Run } from '../run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Compiles the sources with a changed list of a user's fields, and returns the files with errors. */
const filesWithErrors = async (change: (source: string) => string): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-fields-'));
  try {
    for (const part of ['adapters', 'application', 'domain', 'package.json', 'tsconfig.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const list = join(folder, 'domain/user.ts');
    const source = await readFile(list, 'utf8');
    const changed = change(source);
    expect(changed).not.to.equal(source);
    await writeFile(list, changed);
    const compiler = new Run(spawn(join(root, 'node_modules/.bin/tsc'), ['--pretty', 'false'], { cwd: folder }));
    await compiler.ended;
    const files = compiler.stdout.split('\n').map((line) => /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1]);
    return [...new Set(files.filter((file) => file !== undefined))].toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
};

const withField =
  (type: string, entry: string) =>
  (source: string): string =>
    source
      .replace('readonly verificationToken: string | null;', (found) => `${found}\n  ${type}`)
      .replace("{ in: 'email', name: 'tokenTime'", (found) => `${entry}\n  ${found}`);

const nickname = 'readonly nickname?: string;';
const listed = "in: 'email', name: 'nickname', kind: 'text', presence: 'optional'";

describe('a new field of a user', function () {
  this.timeout(120_000);

  it('compiles if the service sets it, because all other code derives from the list', async () => {
    expect(await filesWithErrors(withField(nickname, `{ ${listed}, isInternal: true },`))).to.deep.equal([]);
    expect(await filesWithErrors(withField(nickname, `{ ${listed}, setBy: 'service' },`))).to.deep.equal([]);
  });

  it('that clients set does not compile where a create, an update, a body or its schema ignores it', async () => {
    expect(await filesWithErrors(withField(nickname, `{ ${listed}, setBy: 'requests' },`))).to.deep.equal([
      'adapters/http/api/accounts/user-bodies.ts',
      'adapters/kit/user-json.ts',
      'domain/user-update.ts',
      'domain/user.ts',
    ]);
  });

  it('does not compile without a place in the list, or without a decision about who sets it', async () => {
    expect(await filesWithErrors(withField(nickname, ''))).to.include('domain/user.ts');
    expect(await filesWithErrors(withField(nickname, `{ ${listed} },`))).to.include('domain/user.ts');
  });
});
