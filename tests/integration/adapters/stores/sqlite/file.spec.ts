import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { sqlite } from '../../../../../adapters/stores/sqlite/index.ts';
import { applicationId, openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { schemaVersion } from '../../../../../adapters/stores/sqlite/sqlite-schema.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { find, silent, TemporaryDatabase } from './temporary-database.ts';

const permissions = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('the file of the embedded store', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  it('is created with its folders, readable by their owner only', async () => {
    const path = join(database.folder, 'deep', 'down', 'users.db');
    const { users: store } = await sqlite.open({ path }, { log: silent, operationTimeoutMs: 1000 });
    try {
      const names = ['deep', 'deep/down', ...['', '-wal', '-shm'].map((end) => `deep/down/users.db${end}`)];
      const modes = await Promise.all(names.map((name) => permissions(join(database.folder, name))));
      expect(modes).to.deep.equal(['700', '700', '600', '600', '600']);
    } finally {
      await store.close();
    }
  });

  it('has the application id, write-ahead logging and full synchronization', () => {
    const connection = openForWriting(database.path, 1000);
    const pragma = (name: string) => connection.pragma(name, { simple: true });
    expect(pragma('application_id')).to.equal(applicationId);
    expect(pragma('user_version')).to.equal(schemaVersion);
    expect(pragma('journal_mode')).to.equal('wal');
    expect(pragma('synchronous'), 'FULL').to.equal(2);
    expect(pragma('busy_timeout')).to.equal(1000);
    connection.close();
  });

  it('keeps users across restarts', async () => {
    const user = userOf('ada@example.com');
    const first = await database.open();
    await first.insert(user);
    const before = await find(first, 'ada@example.com');
    await first.close();
    expect(await find(await database.open(), 'ada@example.com')).to.deep.equal(before);
  });

  it('has no write-ahead log after a clean stop, and contains every earlier write', async () => {
    const store = await database.open();
    const writes = Array.from({ length: 100 }, (_, n) => store.insert(userOf(`user-${n}@example.com`)));
    const closed = store.close();
    expect(await Promise.all(writes)).to.not.include('taken');
    await closed;
    expect(await readdir(database.folder)).to.deep.equal(['users.db']);
    expect(await find(await database.open(), 'user-99@example.com')).not.to.equal(undefined);
  });

  it('shows a lookup each commit from before it, even if another lookup was requested earlier in the same turn', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    const other = openForWriting(database.path, 1000);
    const earlier = find(store, 'ada@example.com');
    other.exec("UPDATE users SET key = 'grace@example.com', address = 'grace@example.com'");
    other.close();
    const later = find(store, 'grace@example.com');
    await earlier;
    expect((await later)?.user.email.address).to.equal('grace@example.com');
  });

  it('answers lookups that were requested before the store is closed', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    const lookups = [find(store, 'ada@example.com'), find(store, 'grace@example.com')];
    await store.close();
    expect((await Promise.all(lookups)).map((found) => found?.user.email.address)).to.deep.equal([
      'ada@example.com',
      undefined,
    ]);
  });

  it('fails only the lookups that need a damaged page, of several in one turn', async () => {
    const store = await database.open();
    const addresses = Array.from({ length: 200 }, (_, n) => `user-${n}@example.com`);
    await Promise.all(addresses.map((address) => store.insert(userOf(address))));
    await store.close();
    const file = await readFile(database.path);
    // The last page holds some of the users.
    await writeFile(database.path, file.fill(0xff, file.length - 4096));
    const damaged = await database.open();
    const outcomes = await Promise.allSettled(addresses.reverse().map((address) => find(damaged, address)));
    const statuses = outcomes.map(({ status }) => status);
    expect(statuses).to.include('rejected');
    expect(statuses.indexOf('rejected')).to.be.lessThan(statuses.lastIndexOf('fulfilled'));
  });

  it('fails only the look-ups of a user whose properties are not UTF-8, and lists it as damaged', async () => {
    const { users, names, listing, search } = await database.openPorts();
    const owned = idOf('usr_1');
    const intact = userOf('ada@example.com', { properties: asProperties('{"name":"Jos\ufffd"}') });
    await users.insert(intact);
    await users.insert(userOf('bea@example.com'), { names: [owned] });
    const file = new Database(database.path);
    file
      .prepare("UPDATE users SET properties = CAST(? AS TEXT) WHERE key = 'bea@example.com'")
      .run(Buffer.from('{"name":"Jos\xe9"}', 'latin1'));
    file.close();
    const found = [find(users, 'ada@example.com'), find(users, 'bea@example.com'), names?.find(owned)];
    const [ada, ...damaged] = await Promise.allSettled(found);
    expect(ada).to.have.nested.property('value.user').that.deep.equals(intact);
    for (const outcome of damaged)
      expect(outcome).to.have.property('reason').that.includes({
        code: 'store_rejected',
        message: 'a stored user has no readable properties',
        record: 'bea@example.com',
      });
    const every = { address: '', addressContains: '', conditions: [], property: undefined, limit: 9, after: undefined };
    const sorted = await search?.sorted({ ...every, order: { by: 'creationTime', isDescending: false } });
    for (const page of [await listing?.list(every), sorted])
      expect([page?.users, page?.unreadable?.map(({ record }) => record)]).to.eql([[intact], ['bea@example.com']]);
  });

  it('cannot be used after the store is closed', async () => {
    const store = await database.open();
    await store.close();
    await store.close();
    for (const call of [() => find(store, 'ada@example.com'), () => store.insert(userOf('a@b.c')), () => store.check()])
      expect(await rejection(call())).to.include({ code: 'store_unavailable' });
  });

  it('is refused unchanged if it belongs to another program', async () => {
    const foreign = new Database(database.path);
    foreign.exec('CREATE TABLE users (name TEXT)');
    foreign.close();
    const before = await readFile(database.path);
    expect(await rejection(database.open()))
      .to.have.property('message')
      .that.matches(/belongs to another program/);
    expect(await readFile(database.path)).to.deep.equal(before);
  });

  it('is refused unchanged if a newer version wrote it', async () => {
    await (await database.open()).close();
    const newer = new Database(database.path);
    newer.pragma(`user_version = ${schemaVersion + 1}`);
    newer.close();
    expect(await rejection(database.open()))
      .to.have.property('message')
      .that.matches(/newer version of Latchkey/);
  });

  it('keeps the schema version of a newer Latchkey that migrates it while this one has it open', async () => {
    const store = await database.open();
    const newer = new Database(database.path);
    newer.pragma(`user_version = ${schemaVersion + 1}`);
    await store.check();
    expect(newer.pragma('user_version', { simple: true })).to.equal(schemaVersion + 1);
    newer.close();
    await store.close();
  });

  it('can be created by several stores at once, and written by all of them', async () => {
    const stores = await Promise.all([database.open(), database.open(), database.open()]);
    const addresses = Array.from({ length: 32 }, (_, n) => `user-${n}@example.com`);
    const outcomes = await Promise.all(
      stores.map((store) => Promise.all(addresses.map((address) => store.insert(userOf(address))))),
    );
    expect(outcomes.flat().filter((outcome) => 'user' in outcome)).to.have.length(addresses.length);
    for (const store of stores) expect(await find(store, 'user-31@example.com')).not.to.equal(undefined);
  });

  it('is ready for every store that opens it during its creation', async () => {
    const script = new URL('./opening-thread.ts', import.meta.url);
    const threads = Array.from({ length: 4 }, () => new Worker(script));
    try {
      for (let round = 0; round < 30; round++) {
        const path = join(database.folder, `${round}.db`);
        const outcomes = threads.map(async (thread) => {
          thread.postMessage(path);
          const [outcome] = await once(thread, 'message');
          return outcome;
        });
        expect(await Promise.all(outcomes)).to.deep.equal(threads.map(() => 'opened'));
      }
    } finally {
      await Promise.all(threads.map((thread) => thread.terminate()));
    }
  });
});
