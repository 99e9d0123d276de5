import { expect } from 'chai';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import type { Reservation, StoredUser, StorePorts } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { UserName } from '../../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf, nameOf } from '../../../../../sdk/contract/named-users.ts';
import { isWritten, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { postgresqlNames } from '../../../../support/names/postgresql.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const [id, jane, joan] = [idOf('usr_1'), nameOf('jane'), nameOf('joan')];

describe('names and reservations in PostgreSQL', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  let store: StorePorts;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
    store = await scratch.open();
    await store.users.check();
  });
  afterEach(() => scratch.dispose());

  const stored = () => postgresqlNames(url(), `${scratch.schema}.users`);
  const entries = async () => (await stored()).entries;
  const inserted = async (address: string, names: readonly UserName[]): Promise<StoredUser> =>
    written(await store.users.insert(userOf(address), { names }));

  it('follow their user to another address, and go with it', async () => {
    const first = await inserted('jane@example.com', [id, jane]);
    const moved = written(await store.users.replace(first, userOf('moved@example.com'), { names: [id, joan] }));
    expect(await entries()).to.deep.equal(new Map([id, joan].map((name) => [name, 'moved@example.com'])));
    expect(await store.names?.find(joan)).to.deep.equal(moved);
    expect(await store.users.remove(moved)).to.equal('removed');
    expect((await entries()).size).to.equal(0);
  });

  it('are not taken by a write that fails, which ends no reservation either', async () => {
    const holder = await inserted('jane@example.com', [id]);
    const reservation = reserved(await store.users.reserve(joan));
    const next = { names: [id, joan], reservations: [reservation] };
    const former = { ...holder, version: 'former' };
    expect(await store.users.replace(former, userOf('new@example.com'), next)).to.equal('stale');
    const both = { names: [joan, id], reservations: [reservation] };
    expect(await store.users.insert(userOf('other@example.com'), both)).to.deep.equal({ taken: id });
    const refused = await store.users.insert(userOf('other@example.com'), { names: [joan] });
    expect(refused).to.deep.equal({ taken: joan, reservation });
    expect(await entries()).to.deep.equal(
      new Map([
        [id, 'jane@example.com'],
        [joan, undefined],
      ]),
    );
  });

  it('are free when their reservation has ended and another one is made, which is kept', async () => {
    const user = userOf('jane@example.com');
    const [address, name] = [
      reserved(await store.users.reserve(keyOf(user.email.address))),
      reserved(await store.users.reserve(jane)),
    ];
    await store.users.reserve(joan);
    const age = async (minutes: number) => {
      for (const table of ['users', 'users_names'])
        await scratch.query(
          `UPDATE ${scratch.schema}.${table} SET reserved_until = reserved_until - interval '${minutes} minutes'`,
        );
    };
    await age(16);
    await store.users.reserve(joan);
    expect(await store.users.insert(user, { names: [jane] })).to.deep.equal({
      taken: user.email.address,
      reservation: address,
    });
    expect((await entries()).get(jane)).to.equal(undefined);
    await age(45);
    // Those that have ended are removed, but not the one that is renewed.
    const renewed = reserved(await store.users.reserve(joan));
    expect(await entries()).to.deep.equal(new Map([[joan, undefined]]));
    const known: readonly Reservation[] = [address, name];
    expect(await store.users.insert(user, { names: [joan], reservations: known })).to.deep.equal({
      taken: joan,
      reservation: renewed,
    });
    expect(await store.users.insert(user, { names: [jane] })).to.have.property('version');
  });

  it('of a user are no reservations, also where another program has given them an end', async () => {
    const { version } = await inserted('ada@example.com', [jane]);
    for (const table of ['users', 'users_names'])
      await scratch.query(`UPDATE ${scratch.schema}.${table} SET reserved_until = now() - interval '1 day'`);
    expect(await store.users.reserve(jane)).to.equal('taken');
    expect(await store.users.reserve(keyOf(addressOf('ada@example.com')))).to.equal('taken');
    reserved(await store.users.reserve(joan));
    const { listing, search } = store;
    const page = await listing?.list({ ...everyUser, limit: 5, after: undefined });
    expect(page).to.have.property('users').with.lengthOf(1);
    expect(await search?.count(everyUser, 5)).to.equal(1);
    expect(await store.users.find(keyOf(addressOf('ada@example.com')))).to.include({ version });
    expect(await store.names?.find(jane)).to.include({ version });
  });

  it('are reserved while another reservation waits for a lock, without waiting for it', async () => {
    const [one, other] = [jane, joan];
    await store.users.reserve(one);
    await store.users.reserve(other);
    const names = `${scratch.schema}.users_names`;
    await scratch.query(`UPDATE ${names} SET reserved_until = now() - interval '1 day'`);
    const release = await scratch.lock(
      `SELECT FROM ${names} WHERE name = convert_to('${one.replaceAll("'", "''")}', 'UTF8') FOR UPDATE`,
    );
    const waiting = store.users.reserve(one);
    await scratch.waiting(1);
    // With ended reservations removed first, this would wait, and two of them could wait for each other.
    reserved(await store.users.reserve(other));
    await release();
    reserved(await waiting);
    expect((await entries()).size).to.equal(2);
  });

  it('are refused, one or both, when two users exchange their addresses or names at once', async () => {
    for (let round = 0; round < 3; round++) {
      const [a, b] = [`a-${round}@example.com`, `b-${round}@example.com`];
      const [one, other] = [await inserted(a, [idOf(`${round}-a`)]), await inserted(b, [idOf(`${round}-b`)])];
      const outcomes = await Promise.all([
        store.users.replace(one, userOf(b), { names: other.names ?? [] }),
        store.users.replace(other, userOf(a), { names: one.names ?? [] }),
      ]);
      for (const outcome of outcomes) expect(outcome).to.have.property('taken');
    }
  });

  it('are taken by one of two writers that wait for each other, within the timeout of a call', async () => {
    const reservation = reserved(await store.users.reserve(jane));
    const { schema } = scratch;
    await scratch.query(
      `CREATE FUNCTION ${schema}.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';
       CREATE TRIGGER slow BEFORE INSERT ON ${schema}.users FOR EACH ROW EXECUTE PROCEDURE ${schema}.slow()`,
    );
    const ports = await scratch.open({}, { operationTimeoutMs: 5_000 });
    const insert = (reservations: readonly Reservation[]) =>
      ports.users.insert(userOf('ada@example.com'), { names: [jane], reservations });
    // The first one has the address when the second one asks for it, which has ended the reservation that the first one meets.
    const first = insert([]);
    const inTrigger = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%${schema}%'`;
    await eventually(async () => expect(await scratch.query(inTrigger)).to.have.length(1), 5_000);
    const second = insert([reservation]);
    await scratch.waiting(2);
    const stored = written(await second);
    expect(await first).to.deep.equal({ taken: 'ada@example.com' });
    expect(await store.names?.find(jane)).to.deep.equal(stored);
  });

  it('stay with the users that list them, whatever many writers of two instances do at once', async () => {
    const [first, second] = [store, await scratch.open()];
    const addresses = Array.from({ length: 6 }, (_, n) => `user-${n}@example.com`);
    const names = Array.from({ length: 8 }, (_, n) => idOf(`usr_${n}`));
    let seed = 7;
    const pick = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor(seed / 65_536) % most;
    };
    const some = () => [...new Set([names[pick(8)], names[pick(8)]].flatMap((name) => name ?? []))];
    const outcomes = new Map<string, number>();
    const act = async (): Promise<void> => {
      const { users } = pick(2) === 0 ? first : second;
      const [address, target] = [addresses[pick(6)] ?? '', addresses[pick(6)] ?? ''];
      const [listed, action] = [some(), pick(4)];
      const found = await users.find(keyOf(addressOf(address)));
      let outcome: unknown;
      if (found === undefined) outcome = await users.insert(userOf(address), { names: listed });
      else if (action === 0) outcome = await users.remove(found);
      else outcome = await users.replace(found, userOf(action === 1 ? target : address), { names: listed });
      const kind = typeof outcome === 'string' ? outcome : Object.keys(outcome as object)[0];
      outcomes.set(`${kind}`, (outcomes.get(`${kind}`) ?? 0) + 1);
    };
    for (let round = 0; round < 40; round++) {
      await Promise.all(Array.from({ length: 16 }, act));
      const { users, entries: owned } = await stored();
      const listed = [...users].flatMap(([key, ofUser]) => ofUser.map((name) => [name, key] as const));
      expect(owned, `round ${round}`).to.deep.equal(new Map(listed));
    }
    expect([...outcomes.keys()].sort()).to.deep.equal(['removed', 'stale', 'taken', 'user']);
  });

  it('follow their user, and go with it, also before a restore has added the foreign key', async () => {
    const { schema } = scratch;
    await scratch.query(`ALTER TABLE ${schema}.users_names DROP CONSTRAINT users_names_key_fkey`);
    const ada = await inserted('ada@example.com', [jane, joan]);
    const moved = written(await store.users.replace(ada, userOf('bea@example.com'), { names: [jane] }));
    expect(await store.names?.find(jane)).to.deep.equal(moved);
    expect(await store.users.remove(moved)).to.equal('removed');
    expect((await entries()).size).to.equal(0);
  });

  it('lead to no user who does not list them, whatever another program has left', async () => {
    await inserted('ada@example.com', [jane]);
    await scratch.query(`UPDATE ${scratch.schema}.users SET names = NULL`);
    expect(await store.names?.find(jane)).to.equal(undefined);
  });

  it('are given again to a user whose row lost them, and to nobody else', async () => {
    await inserted('ada@example.com', [id, jane]);
    await scratch.query(`UPDATE ${scratch.schema}.users SET names = NULL`);
    const ada = await store.users.find(keyOf(addressOf('ada@example.com')));
    expect(await store.users.insert(userOf('bea@example.com'), { names: [jane] })).to.deep.equal({ taken: jane });
    const changes = [0, 1, 2].map(() => ada && store.users.replace(ada, ada.user, { names: [id, jane] }));
    const outcomes = await Promise.all(changes);
    expect(outcomes.filter((outcome) => outcome !== 'stale')).to.have.length(1);
    expect(await store.names?.find(jane)).to.deep.equal(outcomes.find((outcome) => outcome !== 'stale'));
    expect([...(await entries()).keys()].sort()).to.deep.equal([id, jane].sort());
  });

  it('are taken from no other user by one whose row lists a name that is not its own', async () => {
    const bea = await inserted('bea@example.com', [jane]);
    await inserted('ada@example.com', [joan]);
    await scratch.query(
      `UPDATE ${scratch.schema}.users SET names = '${JSON.stringify([jane]).replaceAll("'", "''")}' WHERE key = 'ada@example.com'`,
    );
    const ada = await store.users.find(keyOf(addressOf('ada@example.com')));
    expect(ada && isWritten(await store.users.replace(ada, ada.user))).to.equal(true);
    expect(await store.names?.find(jane)).to.deep.equal(bea);
  });

  it('are written, reserved and delivered by concurrent calls where transactions are serializable', async () => {
    await scratch.query(`CREATE DATABASE ${scratch.schema}`);
    await scratch.query(`ALTER DATABASE ${scratch.schema} SET default_transaction_isolation = 'serializable'`);
    const serializable = await ScratchSchema.create(Object.assign(new URL(url()), { pathname: scratch.schema }).href);
    const ports = await serializable.open();
    const keys = [keyOf(addressOf('ada@example.com')), jane];
    for (const key of keys)
      await Promise.all(Array.from({ length: 8 }, async () => reserved(await ports.users.reserve(key))));
    const bea = written(await ports.users.insert(userOf('bea@example.com')));
    const changes = Array.from({ length: 8 }, (_, n) =>
      ports.users.replace(bea, { ...bea.user, password: `${n}` }, { names: [joan] }),
    );
    expect((await Promise.all(changes)).filter(isWritten)).to.have.length(1);
    const events = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, destination: 'receiver', time: 1, body: '{}' }));
    await ports.events?.add(events);
    const claims = Array.from({ length: 8 }, () => ports.events?.claim('receiver', 5, { now: 1, until: 9 }));
    const claimed = (await Promise.all(claims)).flatMap((some) => some ?? []);
    expect(new Set(claimed.map(({ id: one }) => one)).size)
      .to.equal(claimed.length)
      .and.above(0);
    await serializable.dispose();
    // A pooler may keep connections.
    await scratch.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${scratch.schema}'`);
    await scratch.query(`DROP DATABASE ${scratch.schema}`);
  });
});
