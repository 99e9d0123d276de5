import { readFile } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { startWriter } from '../../../../../adapters/stores/sqlite/index.ts';
import { openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { toRow } from '../../../../../adapters/stores/sqlite/sqlite-user-table.ts';
import type { Write, WriteResult } from '../../../../../adapters/stores/sqlite/write-queue.ts';
import { GroupCommit } from '../../../../../adapters/stores/sqlite/writer.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection, written } from '../../../../../sdk/contract/outcomes.ts';
import { find, TemporaryDatabase } from './temporary-database.ts';

/**
 * The pages and the commits in a write-ahead log: frames, and those of them that name the size of the database
 * (https://www.sqlite.org/fileformat.html#walformat).
 */
const countsIn = (log: Buffer) => {
  const [header, frameHeader, pageSize] = [32, 24, log.readUInt32BE(8)];
  const salts = log.readBigUInt64BE(16);
  const counts = { pages: 0, commits: 0 };
  for (let at = header; at + frameHeader + pageSize <= log.length; at += frameHeader + pageSize) {
    if (log.readBigUInt64BE(at + 8) !== salts) continue;
    counts.pages++;
    if (log.readUInt32BE(at + 4) > 0) counts.commits++;
  }
  return counts;
};

describe('the writes of the embedded store', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  it('share commits when many arrive at once', async () => {
    const store = await database.open();
    const commits = async (): Promise<number> => countsIn(await readFile(`${database.path}-wal`)).commits;
    const before = await commits();
    await Promise.all(Array.from({ length: 500 }, (_, n) => store.insert(userOf(`user-${n}@example.com`))));
    expect((await commits()) - before).to.be.within(1, 10);
    await store.insert(userOf('last@example.com'));
    expect((await commits()) - before, 'the count counts').to.be.within(2, 11);
  });

  it('change one page for a user who keeps its address, and two with the index for one who does not', async () => {
    const store = await database.open();
    const pages = async (): Promise<number> => countsIn(await readFile(`${database.path}-wal`)).pages;
    const moved = userOf('grace@example.com');
    let stored = written(await store.insert(userOf('ada@example.com')));
    for (const [user, expected] of [
      [userOf('ada@example.com'), 1],
      [moved, 2],
    ] as const) {
      const before = await pages();
      stored = written(await store.replace(stored, user));
      expect((await pages()) - before, user.email.address).to.equal(expected);
    }
    expect(await find(store, 'ada@example.com')).to.equal(undefined);
    expect(await find(store, 'grace@example.com')).to.deep.equal(stored);
  });

  it('run in a thread whose garbage takes little memory', async () => {
    const writer = startWriter({ path: database.path, busyTimeoutMs: 100 });
    expect(writer.resourceLimits?.maxYoungGenerationSizeMb).to.be.within(8, 48);
    await writer.terminate();
  });

  it('wait for another process that is writing, without blocking reads', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    const other = new Database(database.path);
    other.exec('BEGIN IMMEDIATE');
    const insert = store.insert(userOf('grace@example.com'));
    for (let n = 0; n < 100; n++) expect(await find(store, 'ada@example.com')).not.to.equal(undefined);
    other.exec('ROLLBACK');
    other.close();
    expect(await insert).to.have.property('version');
  });

  it('fail when another process writes for too long, and work again afterwards', async () => {
    const store = await database.open(100);
    const other = new Database(database.path);
    other.exec('BEGIN IMMEDIATE');
    const calls = [store.insert(userOf('ada@example.com')), store.check()];
    for (const fault of await Promise.all(calls.map(rejection)))
      expect(fault).to.include({ code: 'store_unavailable' });
    other.exec('ROLLBACK');
    other.close();
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
    await store.check();
  });

  it('do not affect the others of their group when they are refused', async () => {
    const store = await database.open();
    await store.insert(userOf('taken@example.com'));
    const outcomes = await Promise.all([
      store.insert(userOf('first@example.com')),
      store.insert(userOf('taken@example.com')),
      store.remove({ user: userOf('nobody@example.com'), version: 'none' }),
      store.insert(userOf('last@example.com')),
    ]);
    const words = outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : Object.keys(outcome).join()));
    expect(words).to.deep.equal(['user,version', 'taken', 'stale', 'user,version']);
    expect(await find(store, 'first@example.com')).not.to.equal(undefined);
    expect(await find(store, 'last@example.com')).not.to.equal(undefined);
  });

  it('do not affect the others of their group when one of their events is stored already', async () => {
    const store = await database.open();
    const event = { id: 'event-1', destination: 'one', time: 1, body: '{}' };
    await store.insert(userOf('ada@example.com'), { events: [event] });
    const [first, twice, removal, last] = await Promise.allSettled([
      store.insert(userOf('first@example.com'), { events: [{ ...event, id: 'event-2' }] }),
      store.insert(userOf('twice@example.com'), { events: [{ ...event, id: 'event-3' }, event] }),
      store.remove({ user: userOf('nobody@example.com'), version: 'none' }, { events: [event] }),
      store.insert(userOf('last@example.com')),
    ]);
    expect(first).to.include({ status: 'fulfilled' });
    expect(twice).to.have.nested.include({ status: 'rejected', 'reason.code': 'store_rejected' });
    expect(removal).to.include({ value: 'stale' });
    expect(last).to.include({ status: 'fulfilled' });
    const found = await Promise.all(['first', 'twice', 'last'].map((name) => find(store, `${name}@example.com`)));
    expect(found.map((user) => user !== undefined)).to.deep.equal([true, false, true]);
    const file = new Database(database.path, { readonly: true });
    const ids = file.prepare('SELECT id FROM events ORDER BY id').pluck().all();
    file.close();
    expect(ids).to.deep.equal(['event-1', 'event-2']);
  });

  it('end the use of a connection to a file that could only be read, so that the next group opens another', async () => {
    await (await database.open()).close();
    const connection = new Database(database.path, { readonly: true });
    const groups = new GroupCommit(connection);
    expect(() => groups.apply([{ kind: 'check' }])).to.throw(Database.SqliteError, 'readonly database');
    connection.close();
  });

  it('are kept if and only if they were acknowledged, on a full disk', async () => {
    const connection = openForWriting(database.path, 1000);
    connection.pragma('max_page_count = 40');
    const groups = new GroupCommit(connection);
    const large = (n: number): User =>
      userOf(`user-${n}@example.com`, { properties: asProperties(`{"a":"${'x'.repeat(20_000)}"}`) });
    const writes = Array.from({ length: 20 }, (_, n): Write => {
      const user = large(n);
      return {
        kind: 'insert',
        key: keyOf(user.email.address),
        row: ['version', ...toRow(user)],
        characters: user.properties.length,
      };
    });
    let results: readonly WriteResult[] = [];
    try {
      results = groups.apply(writes);
    } catch (error) {
      expect(error).to.include({ code: 'SQLITE_FULL' });
    }
    connection.close();
    const failures = results.filter((result) => typeof result === 'object');
    for (const failure of failures) expect(failure).to.include({ code: 'store_unavailable', isDamage: false });
    const store = await database.open();
    const kept = await Promise.all(writes.map((_, n) => find(store, `user-${n}@example.com`)));
    expect(kept.map((user) => user !== undefined)).to.deep.equal(writes.map((_, n) => results[n] === 'done'));
    expect(kept).to.include(undefined);
  });
});
