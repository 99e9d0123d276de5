import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Run } from '../run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const user = 'domain/user.ts';
const list = 'domain/user-fields.ts';

/** Compiles folders with another member of `email` and another entry in the list, and returns the files with errors. */
const filesWithErrors = async (
  type: string,
  entry: string,
  folders = ['adapters', 'application', 'domain'],
): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-fields-'));
  try {
    for (const part of [...folders, 'package.json', 'tsconfig.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const replace = async (file: string, text: string, replacement: string): Promise<void> => {
      const source = await readFile(join(folder, file), 'utf8');
      expect(source).to.include(text);
      await writeFile(join(folder, file), source.replace(text, replacement));
    };
    const before = 'readonly address: EmailAddress;';
    await replace(user, before, `${before}\n  ${type}`);
    const next = "{ ...internal, name: 'tokenTime'";
    await replace(list, next, `${entry}\n  ${next}`);
    // Several checkers would check types that they share more than once.
    const flags = ['--pretty', 'false', '--checkers', '1'];
    const compiler = new Run(spawn(join(root, 'node_modules/.bin/tsc'), flags, { cwd: folder }));
    await compiler.ended;
    const files = compiler.stdout.split('\n').map((line) => /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1]);
    return [...new Set(files.filter((file) => file !== undefined))].toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
};

const nickname = 'readonly nickname?: string;';
const listed = "in: 'email', name: 'nickname', of: 'email', member: 'nickname', kind: 'text', presence: 'optional'";

describe('a new field of a user', function () {
  this.timeout(120_000);

  it('compiles if the service sets it, because all other code derives from the list', async () => {
    // Both kinds at once, because each compilation takes seconds.
    const other = listed.replaceAll('nickname', 'alias');
    expect(
      await filesWithErrors(
        `${nickname} readonly alias?: string;`,
        `{ ${listed}, isInternal: true }, { ${other}, setBy: 'service' },`,
      ),
    ).to.deep.equal([]);
  });

  it('that clients set does not compile where a create, an update, a body or its schema ignores it', async () => {
    expect(await filesWithErrors(nickname, `{ ${listed}, setBy: 'requests' },`)).to.deep.equal([
      'adapters/http/api/accounts/user-bodies.ts',
      'adapters/kit/user-json/user-codecs.ts',
      'domain/user-update.ts',
    ]);
  });

  it('does not compile without a place in the list, or without a decision about who sets it', async () => {
    expect(await filesWithErrors(nickname, '', ['domain'])).to.include(list);
    expect(await filesWithErrors(nickname, `{ ${listed} },`, ['domain'])).to.include(list);
  });
});
