import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { openForWriting } from '../../../../../adapters/stores/sqlite/sqlite-database.ts';
import { toRow } from '../../../../../adapters/stores/sqlite/sqlite-user-table.ts';
import type { Write, WriteResult } from '../../../../../adapters/stores/sqlite/write-queue.ts';
import { GroupCommit } from '../../../../../adapters/stores/sqlite/writer.ts';
import type { StoredUser, StorePorts } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { nameOf } from '../../../../../sdk/contract/named-users.ts';
import { rejection, written } from '../../../../../sdk/contract/outcomes.ts';
import { sqliteNames } from '../../../../support/names/sqlite.ts';
import { TemporaryDatabase } from './temporary-database.ts';

describe('the entries of the embedded store', () => {
  let database: TemporaryDatabase;
  let store: StorePorts;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
    store = await database.openPorts();
  });
  afterEach(() => database.dispose());

  /** Runs a statement in the file, as another process would. */
  const run = (sql: string, ...values: readonly unknown[]): Database.RunResult => {
    const file = new Database(database.path);
    try {
      return file.prepare(sql).run(...values);
    } finally {
      file.close();
    }
  };
  const insert = async (address: string, ...names: readonly string[]): Promise<StoredUser> =>
    written(await store.users.insert(userOf(address), { names: names.map((name) => nameOf(name)) }));
  const moved = (user: User, address: string): User => ({ ...user, email: userOf(address).email });
  /** Expects that each user has its entries, and that there are no others. */
  const expectEntries = (holders: Readonly<Record<string, readonly string[]>>): void => {
    const { users, entries } = sqliteNames(database.path);
    const names = (of: readonly string[]) => of.map((name) => nameOf(name));
    expect(new Map(users)).to.deep.equal(new Map(Object.entries(holders).map(([key, of]) => [key, names(of)])));
    expect(new Map(entries)).to.deep.equal(
      new Map(Object.entries(holders).flatMap(([key, of]) => names(of).map((name) => [name, key]))),
    );
  };

  it('follow their user through changes, and end with it', async () => {
    const first = await insert('ada@example.com', 'a', 'b');
    expectEntries({ 'ada@example.com': ['a', 'b'] });
    const names = [nameOf('b'), nameOf('c')];
    const second = written(await store.users.replace(first, moved(first.user, 'Ada@example.org'), { names }));
    expectEntries({ 'ada@example.org': ['b', 'c'] });
    const third = written(await store.users.replace(second, second.user, { names: [nameOf('a')] }));
    expectEntries({ 'ada@example.org': ['a'] });
    expect(await store.users.remove(third)).to.equal('removed');
    expectEntries({});
  });

  it('are not written by a change that keeps the names and the address', async () => {
    const first = await insert('ada@example.com', 'a', 'b');
    for (const event of ['INSERT', 'UPDATE', 'DELETE'])
      run(`CREATE TRIGGER no_${event} BEFORE ${event} ON entries BEGIN SELECT raise(ABORT, 'written'); END`);
    const names = [nameOf('b'), nameOf('a')];
    const second = written(await store.users.replace(first, { ...first.user, password: 'another' }, { names }));
    expect(await rejection(store.users.replace(second, second.user, { names: [nameOf('a')] })))
      .to.have.property('message')
      .that.includes('written');
  });

  it('are whole after a group in which one write is refused', async () => {
    const [ada, grace] = [await insert('ada@example.com', 'a'), await insert('grace@example.com', 'g')];
    const names = [nameOf('new'), nameOf('a')];
    const outcomes = await Promise.all([
      insert('first@example.com', '1'),
      store.users.insert(userOf('refused@example.com'), { names }),
      store.users.replace(grace, moved(grace.user, 'grace@example.org'), { names }),
      store.users.replace({ ...ada, version: 'former' }, ada.user, { names: [nameOf('g')] }),
      insert('last@example.com', '2'),
    ]);
    expect(outcomes.slice(1, 4)).to.deep.equal([{ taken: nameOf('a') }, { taken: nameOf('a') }, 'stale']);
    expectEntries({
      'ada@example.com': ['a'],
      'first@example.com': ['1'],
      'grace@example.com': ['g'],
      'last@example.com': ['2'],
    });
  });

  it('are given back by a change whose event is stored already, in a group with others', async () => {
    const event = { id: 'event-1', destination: 'one', time: 1, body: '{}' };
    const ada = await insert('ada@example.com', 'a');
    await store.events?.add([event]);
    const events = [event];
    const failed = [
      store.users.insert(userOf('new@example.com'), { names: [nameOf('new')], events }),
      store.users.replace(ada, moved(ada.user, 'ada@example.org'), { names: [nameOf('a'), nameOf('b')], events }),
      store.users.remove(ada, { events }),
    ].map(rejection);
    const other = insert('grace@example.com', 'g');
    for (const fault of await Promise.all(failed)) expect(fault).to.include({ code: 'store_rejected' });
    await other;
    expectEntries({ 'ada@example.com': ['a'], 'grace@example.com': ['g'] });
  });

  it('are kept if and only if their user is, on a full disk', async () => {
    const path = join(database.folder, 'small.db');
    const connection = openForWriting(path, 1000);
    connection.pragma('max_page_count = 60');
    const groups = new GroupCommit(connection);
    const writes = Array.from({ length: 60 }, (_, n): Write => {
      const user = userOf(`user-${n}@example.com`, { properties: asProperties(`{"a":"${'x'.repeat(1000)}"}`) });
      const held = [1, 2, 3, 4, 5].map((place) => nameOf(`${n} ${place} ${'é'.repeat(200)}`));
      const row = ['version', ...toRow(user, held)];
      return { kind: 'insert', key: keyOf(user.email.address), row, characters: 1000, entries: { held } };
    });
    const results: WriteResult[] = [];
    for (const write of writes)
      try {
        results.push(...groups.apply([write]));
      } catch (error) {
        expect(error).to.include({ code: 'SQLITE_FULL' });
        if (connection.inTransaction) connection.exec('ROLLBACK');
        break;
      }
    connection.close();
    expect(results).to.have.length.within(1, 59);
    const { users, entries } = sqliteNames(path);
    expect(users.size).to.equal(results.filter((result) => result === 'done').length);
    expect(entries.size).to.equal(users.size * 5);
  });

  it('name the user who is reported if the names in its row are damaged', async () => {
    const { user } = await insert('ada@example.com', 'a');
    for (const damaged of ['["a"]', '{"a":1}', '[', '""', '[1]']) {
      run('UPDATE users SET names = ?', damaged);
      for (const find of [() => store.users.find(keyOf(user.email.address)), () => store.names?.find(nameOf('a'))])
        expect(await rejection(Promise.resolve(find())), damaged).to.include({
          code: 'store_rejected',
          message: 'a stored user has no readable names',
          record: 'ada@example.com',
        });
    }
  });

  describe('that a former version which had the file open has left without their user', () => {
    beforeEach(() => insert('ada@example.com', 'a', 'b'));
    const changes = {
      'by a removal': () => run("DELETE FROM users WHERE key = 'ada@example.com'"),
      'by a removal before another user took the address': async () => {
        run("DELETE FROM users WHERE key = 'ada@example.com'");
        await insert('ada@example.com', 'z');
      },
    };
    for (const [how, change] of Object.entries(changes)) {
      const name = nameOf('a');

      it(`${how} are those of no user, and can be reserved`, async () => {
        await change();
        expect(await store.names?.find(name)).to.equal(undefined);
        expect(await store.users.reserve(name)).to.have.property('key', name);
        expect(sqliteNames(database.path).entries.get(name)).to.equal(undefined);
      });

      it(`${how} are taken by another user`, async () => {
        await change();
        const grace = await insert('grace@example.com', 'g');
        const next = written(await store.users.replace(grace, grace.user, { names: [nameOf('g'), name] }));
        expect(await store.names?.find(name)).to.deep.equal(next);
        const joan = written(await store.users.insert(userOf('joan@example.com'), { names: [nameOf('b')] }));
        expect(await store.names?.find(nameOf('b'))).to.deep.equal(joan);
      });
    }

    it('by a change of the address follow the user as soon as another one wants them', async () => {
      await insert('other@example.com', 'o');
      run("UPDATE users SET names = '[' WHERE key = 'other@example.com'");
      run(
        "UPDATE users SET key = 'lovelace@example.com', address = 'lovelace@example.com' WHERE key = 'ada@example.com'",
      );
      const name = nameOf('a');
      expect(await store.names?.find(name)).to.equal(undefined);
      expect(await store.users.insert(userOf('grace@example.com'), { names: [name] })).to.deep.equal({ taken: name });
      expect(await store.names?.find(name))
        .to.have.property('names')
        .that.includes(name);
    });

    it('are not taken from a user whose names are damaged', async () => {
      run("UPDATE users SET names = '[' WHERE key = 'ada@example.com'");
      const names = [nameOf('a')];
      expect(await store.users.insert(userOf('grace@example.com'), { names })).to.deep.equal({ taken: names[0] });
    });
  });

  describe('that reserve keys', () => {
    const reserve = (...texts: readonly string[]) =>
      Promise.all(texts.map((text) => store.users.reserve(keyOf(userOf(`${text}@example.com`).email.address))));
    const reservedNames = (): readonly string[] =>
      [...sqliteNames(database.path).entries].flatMap(([name, holder]) => (holder === undefined ? [name] : []));

    it('end by themselves after an hour, a few with each new one', async () => {
      await insert('ada@example.com', 'a');
      const texts = Array.from({ length: 25 }, (_, n) => `user-${n}`);
      await reserve(...texts);
      const [first] = await reserve('kept');
      const hour = 60 * 60_000;
      const { changes } = run("UPDATE entries SET expiry = expiry - ? WHERE name LIKE 'user-%'", hour - 1_000);
      expect(changes).to.equal(25);
      await reserve('early');
      expect(reservedNames()).to.have.length(27);
      run("UPDATE entries SET expiry = expiry - 2000 WHERE name LIKE 'user-%'");
      for (const left of [18, 9, 5]) {
        await reserve(`late-${left}`);
        expect(reservedNames()).to.have.length(left);
      }
      expect(reservedNames()).to.have.members(
        ['kept', 'early', ...[18, 9, 5].map((left) => `late-${left}`)].map((text) => `${text}@example.com`),
      );
      const key = keyOf(userOf('kept@example.com').email.address);
      expect(await store.users.insert(userOf('kept@example.com'))).to.deep.equal({ taken: key, reservation: first });
      expect(await store.names?.find(nameOf('a'))).to.have.nested.property('user.email.address', 'ada@example.com');
    });

    it('are kept by a write that fails after it was permitted', async () => {
      const event = { id: 'event-1', destination: 'one', time: 1, body: '{}' };
      await store.events?.add([event]);
      const name = nameOf('a');
      const [ofAddress] = await reserve('ada');
      const ofName = await store.users.reserve(name);
      if (ofAddress === undefined || ofAddress === 'taken' || ofName === 'taken') throw new Error('taken');
      const options = { names: [name], reservations: [ofAddress, ofName] };
      const ada = userOf('ada@example.com');
      expect(await rejection(store.users.insert(ada, { ...options, events: [event] }))).to.include({
        code: 'store_rejected',
      });
      expect(await store.users.insert(ada, { names: [name] })).to.deep.equal({
        taken: ofAddress.key,
        reservation: ofAddress,
      });
      written(await store.users.insert(ada, options));
      expectEntries({ 'ada@example.com': ['a'] });
    });
  });
});
