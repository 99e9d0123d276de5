import { spawnSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { backUp } from '../../../../../adapters/stores/sqlite/database-backup.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { TemporaryDatabase } from './temporary-database.ts';

const mount = (source: string, target: string): boolean => spawnSync('mount', ['--bind', source, target]).status === 0;

describe('a file of SQLite that is mounted without its folder, as into a container', () => {
  let database: TemporaryDatabase;
  /** Where the file is mounted; what SQLite adds beside it is not beside the source. */
  let path: string;
  beforeEach(async function () {
    database = await TemporaryDatabase.create();
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await store.close();
    const folder = join(database.folder, 'a folder');
    path = join(folder, 'users.db');
    await mkdir(folder);
    await writeFile(path, '');
    if (!mount(database.path, path)) skipSuite(this, 'a mounted file needs the permission to mount it');
  });
  afterEach(async () => {
    spawnSync('umount', ['--lazy', path]);
    await database.dispose();
  });

  it('is refused, because confirmed writes in its log would be gone with the container', async () => {
    const link = join(database.folder, 'link.db');
    await symlink(path, link);
    for (const readOnly of [false, true])
      for (const named of [path, link])
        expect(await rejection(sqlite.open({ path: named }, { ...silentContext, readOnly })))
          .to.include({ code: 'store_rejected' })
          .and.match(/mounted without its folder/);
    expect(() => backUp(path, join(database.folder, 'copy.db'))).to.throw(/mounted without its folder/);
  });

  it('is opened once its folder is mounted', async () => {
    spawnSync('umount', [path]);
    const folder = join(database.folder, 'whole');
    await mkdir(folder);
    await rename(database.path, join(folder, 'users.db'));
    path = join(database.folder, 'a folder');
    expect(mount(folder, path)).to.equal(true);
    const { users } = await sqlite.open({ path: join(path, 'users.db') }, silentContext);
    expect(await users.insert(userOf('ben@example.com'))).to.have.property('version');
    await users.close();
  });
});
