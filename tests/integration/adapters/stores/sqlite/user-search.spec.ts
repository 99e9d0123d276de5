import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { insertUserSql, toRow } from '../../../../../adapters/stores/sqlite/sqlite-user-table.ts';
import { everyUser, type UserListing } from '../../../../../application/ports/user-listing.ts';
import type { OrderedPosition, UserSearch } from '../../../../../application/ports/user-search.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { insertUsers } from '../../../../../sdk/contract/listed-users.ts';
import { TemporaryDatabase } from './temporary-database.ts';

/** More than two slices of the table. */
const inserted = 12_000;
const remaining = 10_000;

describe('the search of the SQLite store among 10,000 users', () => {
  let database: TemporaryDatabase;
  let search: UserSearch;
  let listing: UserListing;
  const users: readonly User[] = Array.from({ length: inserted }, (_, n) =>
    // Neither the order of the keys nor that of the times is that of the rows.
    userOf(`${(n * 7_919) % inserted}.person@example.com`, {
      creationTime: 1_700_000_000_000 + ((n * 31) % 997),
      lastUpdateTime: 1_700_000_100_000 + n,
      properties: asProperties(`{"name":"Person ${n}","n":${n}}`),
    }),
  ).filter((_, n) => n % 6 !== 1);

  before(async () => {
    database = await TemporaryDatabase.create();
    const store = await database.openPorts();
    await store.users.check();
    if (store.search === undefined || store.listing === undefined) throw new Error('the store does not sort its users');
    ({ search, listing } = { search: store.search, listing: store.listing });
    const file = new Database(database.path);
    const insert = file.prepare(insertUserSql);
    file.transaction(() => {
      for (const user of users) insert.run(keyOf(user.email.address), randomUUID(), ...toRow(user));
      // Leaves a gap in the numbers of the rows.
      file.prepare('UPDATE users SET rowid = rowid + 1000000 WHERE rowid > 6000').run();
    })();
    file.close();
  });
  after(() => database.dispose());

  it('sorts and counts those of all slices', async () => {
    const found: string[] = [];
    let after: OrderedPosition | undefined;
    do {
      const order = { by: 'creationTime', isDescending: true } as const;
      const page = await search.sorted({ ...everyUser, order, limit: 1_500, after });
      found.push(...page.users.map(({ email }) => email.address));
      after = page.next;
    } while (after !== undefined);
    const byTime = users.toSorted(
      (one, other) => other.creationTime - one.creationTime || (one.email.address < other.email.address ? 1 : -1),
    );
    expect(users).to.have.lengthOf(remaining);
    expect(found).to.deep.equal(byTime.map(({ email }) => email.address));
    expect(await search.count(everyUser, 20_000)).to.equal(remaining);
    expect(await search.count({ ...everyUser, addressContains: '.person@' }, 20_000)).to.equal(remaining);
    expect(await search.count(everyUser, 6_001)).to.equal(6_001);
  });

  it('lets other work of the thread run between slices', async () => {
    const order = { by: 'creationTime', isDescending: false } as const;
    let turns = 0;
    const count = () => {
      turns++;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    await search.sorted({ ...everyUser, order, limit: 50, after: undefined });
    clearImmediate(turn);
    expect(turns).to.be.at.least(2);
  });

  /** No other address contains it. */
  const longest = users.find(({ email }) => /^1\d{4}\./.test(email.address))?.email.address ?? '';
  const order = { by: 'lastUpdateTime', isDescending: true } as const;
  const searches: Readonly<Record<string, () => Promise<unknown>>> = {
    'sorts them': () => search.sorted({ ...everyUser, order, limit: 200, after: undefined }),
    'counts them': () => search.count(everyUser, 10_001),
    'finds one by a part of the address': () => allOf({ addressContains: longest.slice(0, -4) }),
    'finds one by a text': () => allOf({ property: { name: 'name', value: 'Person 9000' } }),
    'finds one by a number': () => allOf({ property: { name: 'n', value: '9000' } }),
    'sorts the only one with a number': () =>
      search.sorted({ ...everyUser, order, property: { name: 'n', value: '9000' }, limit: 50, after: undefined }),
  };
  const allOf = async (filter: object, expected = 1): Promise<void> => {
    let found = 0;
    let after: string | undefined;
    do {
      const page = await listing.list({ ...everyUser, ...filter, limit: 50, after });
      found += page.users.length;
      after = page.next;
    } while (after !== undefined);
    expect(found).to.equal(expected);
  };
  /** In microseconds. Other programs take none of it, however busy the machine is. */
  const processorTime = async (read: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await read();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  for (const [what, run] of Object.entries(searches))
    it(`${what} in clearly less processor time than a list of all takes`, async () => {
      const [times, listTimes]: [number[], number[]] = [[], []];
      for (let n = 0; n < 5; n++) {
        times.push(await processorTime(run));
        listTimes.push(await processorTime(() => allOf({}, remaining)));
      }
      // Half of it at most; all of it where every user is decoded.
      expect(Math.min(...times)).to.be.below(0.8 * Math.min(...listTimes));
    });

  it('finds one by a number among users with escapes, in one sorted page', async () => {
    const file = new Database(database.path);
    const escaped = file.prepare("UPDATE users SET properties = replace(properties, 'Person', 'The \\\"Person\\\"')");
    const usual = file.prepare("UPDATE users SET properties = replace(properties, 'The \\\"Person\\\"', 'Person')");
    expect(escaped.run().changes).to.equal(remaining);
    for (const [name, value] of [
      ['n', '9000'],
      ['name', 'The "Person" 9000'],
    ] as const) {
      const page = await search.sorted({ ...everyUser, order, property: { name, value }, limit: 50, after: undefined });
      expect(page.users.map(({ lastUpdateTime }) => lastUpdateTime)).to.deep.equal([1_700_000_109_000]);
      expect(page.next).to.equal(undefined);
    }
    usual.run();
    file.close();
  });

  it('searches numbers also where properties are damaged', async () => {
    const file = new Database(database.path);
    const damage = file.prepare('UPDATE users SET properties = ? WHERE address = ?');
    damage.run('{"n":9000', users[0]?.email.address);
    expect(damage.run('{"n":[}', users[1]?.email.address).changes).to.equal(1);
    file.close();
    await allOf({ property: { name: 'n', value: '9000' } });
  });
});

describe('the search of the SQLite store among large users', () => {
  it('lets other work of the thread run after half a megabyte', async () => {
    const database = await TemporaryDatabase.create();
    try {
      const { users, listing, search } = await database.openPorts();
      if (search === undefined || listing === undefined) throw new Error('the store does not sort its users');
      const properties = asProperties(JSON.stringify({ n: 1, filler: 'x'.repeat(250_000) }));
      await insertUsers(
        users,
        Array.from({ length: 40 }, (_, n) => userOf(`large-${n}@example.com`, { properties })),
      );
      const filter = { ...everyUser, property: { name: 'n', value: '2' }, limit: 50, after: undefined };
      expect((await listing.list(filter)).next).to.equal('large-11@example.com');
      let turns = 0;
      const count = () => {
        turns++;
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      const found = await search.sorted({ ...filter, order: { by: 'creationTime', isDescending: false } });
      clearImmediate(turn);
      expect(found.users).to.deep.equal([]);
      expect(turns).to.be.at.least(13);
    } finally {
      await database.dispose();
    }
  });
});
