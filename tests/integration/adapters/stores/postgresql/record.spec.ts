import { expect } from 'chai';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import type { OrderedPosition } from '../../../../../application/ports/user-search.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const names = ['ada', 'bea', 'cleo', 'dan', 'eve', 'fay'] as const;
type Name = (typeof names)[number];
const at = (name: Name) => `${name}@example.com`;

describe('the rows of the PostgreSQL store', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  let store: StorePorts;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
    store = await scratch.open();
  });
  afterEach(() => scratch.dispose());

  const insertAll = async (): Promise<void> => {
    for (const name of names) await store.users.insert(userOf(at(name)));
  };

  /** Sets columns of a user past the store, whatever their constraints say. */
  const damage = async (name: Name, column: string, value: string): Promise<void> => {
    const { schema } = scratch;
    await scratch.query(`ALTER TABLE ${schema}.users ALTER ${column} DROP NOT NULL`);
    await scratch.query(`UPDATE ${schema}.users SET ${column} = ${value} WHERE key = '${at(name)}'`);
  };

  it('has a column for each field, with the properties as they were written', async () => {
    await store.users.insert(userOf('Ada@Example.com', { properties: asProperties('{"$a.b":-0, "f":1.10}') }));
    const [row] = await scratch.query(`SELECT * FROM ${scratch.schema}.users`);
    const { version, ...columns } = Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== null));
    expect(version).to.match(/^[0-9a-f-]{36}$/);
    expect(columns).to.deep.equal({
      key: 'ada@example.com',
      address: 'Ada@Example.com',
      verified: false,
      password: Buffer.from('a stored password'),
      creation_time: '1700000000000',
      last_update_time: '1700000000000',
      properties: '{"$a.b":-0, "f":1.10}',
    });
  });

  const damaged = {
    version: ['NULL', "''", "E'\\n'"],
    address: ['NULL', "'other@example.com'", "'no address'"],
    verified: ['NULL'],
    password: ['NULL', "''", "'\\xff28'"],
    verification_token: ["'\\xff28'"],
    creation_time: ['NULL', '-1', '9223372036854775807'],
    last_update_time: ['NULL', '-1', '9007199254740992'],
    properties: ['NULL', "''", "'[]'", `'{"email":1}'`, `'{"a":"${'x'.repeat(400_000)}"}'`, "repeat('[', 100000)"],
    names: ["''", "'{}'", "'[7]'"],
    disabled_until: ['-1'],
    id: ["'no id'"],
  };
  for (const [column, values] of Object.entries(damaged))
    for (const value of values)
      it(`concern their user alone: ${column} = ${value.slice(0, 30)}`, async () => {
        await insertAll();
        await damage('cleo', column, value);
        const found = names.map((name) => store.users.find(keyOf(addressOf(at(name)))));
        const [settled, fault] = [await Promise.allSettled(found), await rejection(found[2] ?? Promise.resolve())];
        expect(settled.filter(({ status }) => status === 'rejected')).to.have.lengthOf(1);
        expect(fault).to.include({ code: 'store_rejected', record: at('cleo') });
        expect(fault)
          .to.have.property('message')
          .that.matches(/^a stored user has no readable [a-zA-Z]+$/);
        for (const limit of [1, 2, 100]) {
          const [listed, unreadable]: [string[], unknown[]] = [[], []];
          for (let after: string | undefined, pages = 0; pages < 20; pages++) {
            const page = await store.listing?.list({ ...everyUser, limit, after });
            listed.push(...(page?.users ?? []).map(({ email }) => email.address));
            unreadable.push(...(page?.unreadable ?? []).map(({ record }) => record));
            after = page?.next;
            if (after === undefined) break;
          }
          expect(listed, `${limit}`).to.deep.equal(names.filter((name) => name !== 'cleo').map(at));
          expect(unreadable, `${limit}`).to.deep.equal([at('cleo')]);
        }
      });

  it('are refused if another program has made a column of flags one of texts', async () => {
    await store.users.insert(userOf(at('ada')));
    await scratch.query(`ALTER TABLE ${scratch.schema}.users ALTER verified TYPE text`);
    expect(await rejection(store.users.find(keyOf(addressOf(at('ada')))))).to.include({
      code: 'store_rejected',
      message: 'a stored user has no readable verified',
    });
  });

  it('are refused by look-ups and lists if their properties are not UTF-8, and not if they have the character that replaces it', async () => {
    const owned = idOf('usr_1');
    const intact = userOf(at('ada'), { properties: asProperties('{"name":"Jos\ufffd"}') });
    await store.users.insert(intact);
    await store.users.insert(userOf(at('bea')), { names: [owned] });
    const properties = Buffer.from('{"name":"Jos\xe9"}', 'latin1').toString('hex');
    await scratch.query(
      `CREATE CAST (bytea AS text) WITHOUT FUNCTION;
       UPDATE ${scratch.schema}.users SET properties = '\\x${properties}'::bytea::text WHERE key = '${at('bea')}';
       DROP CAST (bytea AS text)`,
    );
    const refused = { code: 'store_rejected', message: 'a stored user has no readable properties', record: at('bea') };
    expect(await rejection(store.users.find(keyOf(addressOf(at('bea')))))).to.include(refused);
    expect(await rejection(store.names?.find(owned) ?? Promise.resolve())).to.include(refused);
    expect((await store.users.find(keyOf(addressOf(at('ada')))))?.user).to.deep.equal(intact);
    const every = { ...everyUser, limit: 9, after: undefined };
    const sorted = await store.search?.sorted({ ...every, order: { by: 'creationTime', isDescending: false } });
    for (const page of [await store.listing?.list(every), sorted])
      expect([page?.users, page?.unreadable?.map(({ record }) => record)]).to.eql([[intact], [at('bea')]]);
  });

  it('are not read if their properties are so large that they would delay look-ups of others', async () => {
    const owned = idOf('usr_1');
    await insertAll();
    await store.users.insert(userOf('gil@example.com'), { names: [owned] });
    const { schema } = scratch;
    await scratch.query(
      `UPDATE ${schema}.users SET properties = '{"a":"' || repeat('x', 60000000) || '"}' WHERE key IN ('${at('ada')}', 'gil@example.com')`,
    );
    const before = process.memoryUsage().rss;
    const found = [...names.map((name) => store.users.find(keyOf(addressOf(at(name))))), store.names?.find(owned)];
    const statuses = (await Promise.allSettled(found)).map(({ status }) => status);
    const page = await store.listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(statuses).to.deep.equal(names.map((_, n) => (n === 0 ? 'rejected' : 'fulfilled')).concat('rejected'));
    expect(page?.users).to.have.length(names.length - 1);
    expect(page?.unreadable).to.have.length(2);
    expect(process.memoryUsage().rss - before).to.be.below(60_000_000);
  });

  it('are sorted and counted between damaged ones, which are reported if they have a place in the order', async () => {
    await insertAll();
    await damage('bea', 'creation_time', 'NULL');
    await damage('cleo', 'creation_time', '-1');
    await damage('eve', 'password', "'\\xff28'");
    const order = { by: 'creationTime', isDescending: false } as const;
    for (const limit of [1, 2, 100]) {
      const [listed, unreadable]: [string[], unknown[]] = [[], []];
      for (let after: OrderedPosition | undefined, pages = 0; pages < 20; pages++) {
        const page = await store.search?.sorted({ ...everyUser, order, limit, after });
        listed.push(...(page?.users ?? []).map(({ email }) => email.address));
        unreadable.push(...(page?.unreadable ?? []).map(({ record }) => record));
        after = page?.next;
        if (after === undefined) break;
      }
      expect(listed, `${limit}`).to.deep.equal([at('ada'), at('dan'), at('fay')]);
      expect(unreadable, `${limit}`).to.deep.equal([at('eve')]);
    }
    expect(await store.search?.count(everyUser, 100)).to.equal(6);
  });

  it('of names lead to no user if they are damaged, and others stay', async () => {
    const owned = ['usr_1', 'usr_2'].map(idOf);
    for (const [index, name] of names.slice(0, 2).entries())
      await store.users.insert(userOf(at(name)), { names: owned.slice(index, index + 1) });
    await scratch.query(`DELETE FROM ${scratch.schema}.users_names WHERE key = '${at('ada')}'`);
    const holders = await Promise.all(owned.map((name) => store.names?.find(name)));
    expect(holders.map((stored) => stored?.user.email.address)).to.deep.equal([undefined, at('bea')]);
  });

  it('have a position that fits into a link, also if a page with a filter ends at a damaged key', async () => {
    const { schema } = scratch;
    await store.users.insert(userOf('zoe@example.com'));
    // As many as a page examines.
    await scratch.query(
      `INSERT INTO ${schema}.users (key, version, address, verified, password, creation_time, last_update_time, properties)
       SELECT CASE n WHEN 1000 THEN repeat('漢', 800) ELSE 'ada-' || n END, 'v', 'ada@example.com', true, 'a', n, n, '{}'
       FROM generate_series(1, 1000) n;
       UPDATE ${schema}.users SET key = repeat('漢', 801) WHERE key = 'zoe@example.com'`,
    );
    const conditions = [{ field: 'verified', test: 'equals', value: false }] as const;
    const page = await store.listing?.list({ ...everyUser, conditions, limit: 10, after: undefined });
    expect(page?.users).to.deep.equal([]);
    expect(Buffer.byteLength(page?.next ?? '')).to.be.within(1, 768);
  });

  it('are read in pages of a bounded size, whatever they hold', async () => {
    const properties = asProperties(JSON.stringify({ filler: '漢'.repeat(115_000), plan: 'paid' }));
    for (let n = 0; n < 12; n++) await store.users.insert(userOf(`user-${n}@example.com`, { properties }));
    const property = { name: 'plan', value: 'paid' };
    const order = { by: 'creationTime', isDescending: true } as const;
    const pages = [
      await store.listing?.list({ ...everyUser, limit: 200, after: undefined }),
      await store.search?.sorted({ ...everyUser, order, limit: 200, after: undefined }),
      await store.search?.sorted({ ...everyUser, property, order, limit: 200, after: undefined }),
    ];
    for (const page of pages) expect(page?.next).to.not.equal(undefined);
    for (const page of pages) expect(page?.users.length).to.be.within(1, 10);
  });
});
