import { chmod, copyFile, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { canChange, openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { eventually } from '../../../../support/eventually.ts';
import { SmallDisk } from '../../../../support/small-disk.ts';
import { find, TemporaryDatabase } from './temporary-database.ts';

const threads = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

describe('the first check of an existing database', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await store.close();
  });
  afterEach(() => database.dispose());

  it('leaves nothing behind, and the writer thread starts after it', async () => {
    const before = threads();
    const store = await database.open();
    expect(await store.check()).to.match(/users\.db is read and written$/);
    expect(threads()).to.equal(before);
    expect((await readdir(database.folder)).sort()).to.deep.equal(['users.db', 'users.db-shm', 'users.db-wal']);
    await eventually(async () => expect(threads()).to.equal(before + 1), 10_000);
    await store.close();
    expect(await readdir(database.folder)).to.deep.equal(['users.db']);
  });

  it('is followed by one in which the writer thread writes', async () => {
    const before = threads();
    const store = await database.open();
    await store.check();
    await store.check();
    expect(threads()).to.equal(before + 1);
  });

  for (const isReplaced of [false, true])
    it(`is followed by no write to other files than those that are read, if they are ${isReplaced ? 'replaced' : 'removed'}`, async () => {
      const other = join(database.folder, 'other.db');
      await copyFile(database.path, other);
      const store = await database.open();
      await store.check();
      const suffixes = ['', '-wal', '-shm'];
      for (const suffix of suffixes) await rename(`${database.path}${suffix}`, `${database.path}${suffix}-moved`);
      if (isReplaced) await rename(other, database.path);
      for (const call of [store.insert(userOf('ben@example.com')), store.check()])
        expect(await faultOf(call))
          .to.include({ code: 'store_unavailable' })
          .and.match(/moved, removed or replaced/);
      for (const suffix of suffixes) await rename(`${database.path}${suffix}-moved`, `${database.path}${suffix}`);
      expect(await store.insert(userOf('ben@example.com'))).to.have.property('version');
      await store.close();
      expect(await find(await database.open(), 'ben@example.com')).not.to.equal(undefined);
    });

  for (const [state, sql] of [
    ['without a table', 'DROP TABLE events'],
    ['of a newer version', 'PRAGMA user_version = 999'],
    ['of another program', 'PRAGMA application_id = 77'],
  ] as const)
    it(`fails for a file ${state}`, async () => {
      const store = await database.open();
      const other = new Database(database.path);
      other.exec(sql);
      other.close();
      await faultOf(store.check());
    });

  it('waits for the write of another process, and fails if that does not end', async () => {
    const store = await database.open();
    const other = openForWriting(database.path, 1000);
    other.exec('BEGIN IMMEDIATE');
    expect(await faultOf(store.check())).to.include({ code: 'store_unavailable' });
    other.exec('ROLLBACK');
    other.close();
    await store.check();
  });

  it('does not take a file that may only be read for one that can be written', async () => {
    await chmod(database.folder, 0o777);
    const isRoot = process.geteuid?.() === 0;
    for (const [mode, expected] of [
      [0o666, true],
      [0o444, false],
    ] as const) {
      await chmod(database.path, mode);
      // root may write to every file.
      if (isRoot) process.seteuid?.('nobody');
      try {
        expect(canChange(database.path), mode.toString(8)).to.equal(expected);
      } finally {
        if (isRoot) process.seteuid?.(0);
      }
    }
  });
});

describe('the first check of a database on a full disk', () => {
  let disk: SmallDisk;
  before(async function () {
    disk = (await SmallDisk.mount(8)) ?? skipSuite(this, 'a full disk needs the permission to mount a file system');
  });
  after(() => disk?.unmount());

  it('fails until there is space, also behind a symbolic link', async () => {
    const path = join(disk.folder, 'users.db');
    const elsewhere = await TemporaryDatabase.create();
    await symlink(path, elsewhere.path);
    const store = await elsewhere.open();
    await store.insert(userOf('ada@example.com'));
    await store.close();
    // Another connection has made the shared memory, which takes space.
    const other = openForWriting(path, 1000);
    other.pragma('user_version');
    const opened = await elsewhere.open();
    await disk.fill();
    expect(await faultOf(opened.check())).to.include({ code: 'store_unavailable' });
    await disk.free();
    await opened.check();
    other.close();
    await elsewhere.dispose();
  });
});
