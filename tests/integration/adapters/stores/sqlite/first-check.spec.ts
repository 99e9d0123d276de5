import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { canChange, openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { skipSuite } from '../../../../support/engines/skipped-suites.ts';
import { SmallDisk } from '../../../../support/small-disk.ts';
import { TemporaryDatabase } from './temporary-database.ts';

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

  it('needs no writer thread and leaves nothing behind; the second one has it write', async () => {
    const before = threads();
    const store = await database.open();
    expect(await store.check()).to.match(/users\.db is read and written$/);
    expect(threads()).to.equal(before);
    expect((await readdir(database.folder)).sort()).to.deep.equal(['users.db', 'users.db-shm', 'users.db-wal']);
    await store.check();
    expect(threads()).to.equal(before + 1);
    await store.close();
    expect(await readdir(database.folder)).to.deep.equal(['users.db']);
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

  it('fails until there is space', async () => {
    const { users: store } = await sqlite.open({ path: join(disk.folder, 'users.db') }, silentContext);
    await store.insert(userOf('ada@example.com'));
    await store.close();
    const { users: opened } = await sqlite.open({ path: join(disk.folder, 'users.db') }, silentContext);
    await disk.fill(0);
    expect(await faultOf(opened.check())).to.include({ code: 'store_unavailable' });
    await disk.free();
    await opened.check();
    await opened.close();
  });
});
