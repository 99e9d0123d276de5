import { copyFile, mkdir, open, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { sqlite, startWriter } from '../../../../../adapters/stores/sqlite/index.ts';
import { SqliteConnection } from '../../../../../adapters/stores/sqlite/sqlite-connection.ts';
import { SqliteUserStore } from '../../../../../adapters/stores/sqlite/sqlite-user-store.ts';
import { WriteQueue } from '../../../../../adapters/stores/sqlite/write-queue.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { recovered } from '../../../../support/eventually.ts';
import { find, silent, TemporaryDatabase } from './temporary-database.ts';

describe('the embedded store with an unusable file or thread', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  const storeOf = (queue: WriteQueue) => new SqliteUserStore(new SqliteConnection(database.path, queue, silent));

  const expectUnavailable = async (store: UserStore, reason: RegExp): Promise<void> => {
    const calls = [find(store, 'ada@example.com'), store.insert(userOf('ada@example.com')), store.check()];
    for (const fault of await Promise.all(calls.map(rejection))) {
      expect(fault).to.include({ code: 'store_unavailable' });
      expect(fault).to.have.property('message').that.matches(reason);
    }
  };

  it('is unavailable while the file is not a database, and recovers when it is removed', async () => {
    await writeFile(database.path, 'This text is longer than the header of a database file. '.repeat(20));
    const lines: string[] = [];
    const note: Log['info'] = (_, message) => lines.push(message);
    const store = await database.open(1000, { info: note, warn: note, error: note });
    await expectUnavailable(store, /not a database/);
    await rm(database.path);
    await recovered(store);
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
    expect(lines).to.deep.equal(['the database cannot be opened', 'the database is open']);
  });

  it('is unavailable while the file is locked, and recovers', async () => {
    const other = new Database(database.path);
    other.exec('BEGIN EXCLUSIVE; CREATE TABLE locked (a)');
    const store = await database.open(100);
    await expectUnavailable(store, /locked/);
    other.exec('ROLLBACK');
    other.close();
    await recovered(store);
  });

  it('is unavailable if the file cannot be created', async () => {
    await mkdir(database.path);
    await expectUnavailable(await database.open(), /unable to open/);
  });

  for (const suffix of ['', '-wal', '-shm'])
    it(`confirms no write while users.db${suffix} is removed or replaced, and recovers when it is back`, async () => {
      const file = `${database.path}${suffix}`;
      const store = await database.open();
      await store.insert(userOf('ada@example.com'));
      await rename(file, `${database.path}-moved`);
      for (const content of [undefined, '']) {
        if (content !== undefined) await writeFile(file, content);
        for (const call of [store.insert(userOf('ben@example.com')), store.check()])
          expect(await rejection(call))
            .to.include({ code: 'store_unavailable' })
            .and.match(/moved, removed or replaced/);
      }
      await rename(`${database.path}-moved`, file);
      await store.check();
      expect(await store.insert(userOf('ben@example.com'))).to.have.property('version');
      await store.close();
      expect(await find(await database.open(), 'ben@example.com')).not.to.equal(undefined);
    });

  it('confirms no write while the log is removed beside the file that a symbolic link leads to', async () => {
    await (await database.open()).close();
    const target = `${database.path}-target`;
    await rename(database.path, target);
    await symlink(target, database.path);
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await rename(`${target}-wal`, `${target}-moved`);
    expect(await rejection(store.insert(userOf('ben@example.com'))))
      .to.include({ code: 'store_unavailable' })
      .and.match(/moved, removed or replaced/);
    await rename(`${target}-moved`, `${target}-wal`);
    expect(await store.insert(userOf('ben@example.com'))).to.have.property('version');
  });

  it('confirms no write behind a gap in its log, which would get into the file, and can be opened again', async () => {
    const store = await database.open();
    const other = new Database(database.path);
    await store.insert(userOf('ada@example.com'));
    other.pragma('wal_checkpoint(TRUNCATE)');
    for (let n = 0; n < 5; n++) await store.insert(userOf(`user-${n}@example.com`));
    other.close();
    await truncate(`${database.path}-wal`);
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await rejection(store.insert(userOf('ben@example.com'))))
        .to.include({ code: 'store_unavailable' })
        .and.match(/log was cut off/);
    expect(await rejection(store.check())).to.include({ code: 'store_unavailable' });
    await store.close();
    const again = await database.open();
    expect(await find(again, 'ada@example.com')).not.to.equal(undefined);
    expect(await again.insert(userOf('ben@example.com'))).to.have.property('version');
  });

  it('undoes a write that was interrupted before the file was in WAL mode, as after a restore', async () => {
    const original = await database.open();
    await original.insert(userOf('ada@example.com'));
    const restored = join(database.folder, 'restored.db');
    const backup = new Database(database.path).exec(`VACUUM INTO '${restored}'`);
    backup.close();
    await original.close();
    for (const suffix of ['', '-wal', '-shm']) await rm(`${database.path}${suffix}`, { force: true });
    const writer = new Database(restored);
    // A cache of one page, so that the transaction writes to the file before its end.
    writer.exec(
      'PRAGMA cache_size = 1; BEGIN; DELETE FROM users; CREATE TABLE filler AS SELECT zeroblob(1000000) AS a',
    );
    for (const suffix of ['', '-journal']) await copyFile(`${restored}${suffix}`, `${database.path}${suffix}`);
    writer.close();
    const reading = await sqlite.open({ path: database.path }, { ...silentContext, readOnly: true });
    expect(await rejection(reading.users.check())).to.match(/interrupted, which the start of the service undoes/);
    await reading.users.close();
    expect((await find(await database.open(), 'ada@example.com'))?.user.email.address).to.equal('ada@example.com');
  });

  it('waits before it tries to open the database again', async () => {
    await mkdir(database.path);
    const store = await database.open(1000);
    const first = await rejection(find(store, 'ada@example.com'));
    expect(await rejection(find(store, 'ada@example.com'))).to.equal(first);
  });

  it('is unhealthy after a read of damaged content', async () => {
    const addresses = Array.from({ length: 400 }, (_, n) => `user-${n}@example.com`);
    const sound = await database.open();
    await Promise.all(addresses.map((address) => sound.insert(userOf(address))));
    await sound.close();
    const file = await open(database.path, 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.alloc(8192, 0xff), 0, 8192, size - 8192);
    await file.close();

    const damaged = await database.open();
    expect(await damaged.check(), 'before a damaged page is read').to.be.a('string');
    const finds = await Promise.allSettled(addresses.map((address) => find(damaged, address)));
    const faults = finds.flatMap((found) => (found.status === 'rejected' ? [found.reason] : []));
    expect(faults).not.to.have.length(0);
    for (const fault of faults) expect(fault).to.include({ code: 'store_unavailable' });
    expect(await rejection(damaged.check()))
      .to.have.property('message')
      .that.matches(/malformed/);
  });

  it('fails the writes of a thread that exits, and starts another one', async () => {
    const threads: Worker[] = [];
    const start = (): Worker => {
      const thread = startWriter({ path: database.path, busyTimeoutMs: 5000 });
      threads.push(thread);
      return thread;
    };
    const store = storeOf(new WriteQueue(start, () => {}));
    await store.insert(userOf('before@example.com'));
    // The lock delays the group, so that the thread exits before the group is written.
    const other = new Database(database.path);
    other.exec('BEGIN IMMEDIATE');
    const writes = Array.from({ length: 50 }, (_, n) => rejection(store.insert(userOf(`user-${n}@example.com`))));
    await new Promise((resolve) => setImmediate(resolve));
    const ended = threads[0]?.terminate();
    other.close();
    await ended;
    const faults = await Promise.all(writes);
    for (const fault of faults) expect(fault).to.include({ code: 'store_unavailable' });
    expect(await store.insert(userOf('after@example.com'))).to.have.property('version');
    expect(await find(store, 'before@example.com')).not.to.equal(undefined);
    expect(threads).to.have.length(2);
    await store.check();
    await store.close();
  });

  it('fails the writes of a thread that cannot start', async () => {
    const start = (): Worker => new Worker('throw new Error("no memory")', { eval: true });
    const exits: Error[] = [];
    const store = storeOf(new WriteQueue(start, (error) => exits.push(error)));
    await expectUnavailable(store, /thread ended/);
    expect(exits).to.have.length(1);
    await store.close();
  });
});
