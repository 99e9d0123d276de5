import { expect } from 'chai';
import { withTimeout } from '../../../../../application/interceptor.ts';
import type { StorePorts, WriteOptions } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, isWritten, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { postgresqlNames } from '../../../../support/names/postgresql.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

describe('PostgreSQL: the connection breaks during a write', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  let proxy: TcpProxy;
  /** The store behind the proxy, and one that reaches the server. */
  let store: StorePorts;
  let direct: StorePorts;
  let count = 0;

  before(async () => {
    scratch = await ScratchSchema.create(url());
    const { hostname, port } = new URL(url());
    proxy = await TcpProxy.to(hostname, Number(port));
    const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
    direct = await scratch.open();
    await direct.users.check();
    store = await scratch.open({ connectionString }, { operationTimeoutMs: 1_000 });
    await store.users.check();
  });
  after(async () => {
    await scratch?.dispose();
    await proxy?.close();
  });
  afterEach(() => proxy.restore());

  const table = (suffix = '') => `"${scratch.schema}"."users${suffix}"`;
  const has = (text: string) => (request: Buffer) => request.includes(text);
  const find = (address: string) => direct.users.find(keyOf(addressOf(address)));

  /** A user with a name who was inserted, and what a change of it writes. */
  const change = async () => {
    const n = ++count;
    const [name, freed] = [idOf(`usr_${n}`), idOf(`usr_${n}_former`)];
    const from = written(await direct.users.insert(userOf(`from-${n}@example.com`), { names: [freed] }));
    const to = userOf(`to-${n}@example.com`);
    const options: WriteOptions = {
      names: [name],
      events: [{ id: `${n}`, destination: 'receiver', time: n, body: '{}' }],
    };
    return { n, name, freed, from, to, options };
  };

  const eventsOf = async (n: number) =>
    (await scratch.query(`SELECT FROM ${table('_events')} WHERE time = ${n}`)).length;

  const writes = {
    'an insert': async () => {
      const { n, from, name, to, options } = await change();
      const address = `new-${n}@example.com`;
      const write = () => store.users.insert({ ...to, email: { ...to.email, address: addressOf(address) } }, options);
      return { n, address, from, name, write, statement: `INSERT INTO ${table()}` };
    },
    'a move': async () => {
      const { n, from, name, to, options } = await change();
      const write = () => store.users.replace(from, to, options);
      return { n, address: to.email.address, from, name, write, statement: `UPDATE ${table()}` };
    },
  } as const;

  for (const [what, prepare] of Object.entries(writes)) {
    for (const passed of [0, 20])
      it(`after ${what} was applied, with ${passed} bytes of its reply: it succeeds, once`, async () => {
        const { n, address, name, write, statement } = await prepare();
        const lost = proxy.loseReply(has(statement), passed);
        const stored = written(await write());
        await lost;
        expect(await find(address)).to.deep.equal(stored);
        expect(await direct.names?.find(name)).to.deep.equal(stored);
        expect(await eventsOf(n)).to.equal(1);
      });

    for (const passed of [0, 200])
      it(`after the server got ${passed} bytes of ${what}: its outcome is unknown, and nothing was written`, async () => {
        const { n, address, from, name, write, statement } = await prepare();
        const cut = proxy.cutRequest(has(statement), passed);
        expect(await faultOf(write())).to.include({ code: 'store_unavailable' });
        await cut;
        expect(await find(address)).to.equal(undefined);
        expect(await find(from.user.email.address)).to.deep.equal(from);
        expect(await direct.names?.find(name)).to.equal(undefined);
        expect(await eventsOf(n)).to.equal(0);
      });
  }

  it('after a change was applied that another writer has overtaken: its outcome is unknown, and it is not repeated', async () => {
    const { n, from, to, options } = await change();
    const look = proxy.holdRequest(has('SET version = version'));
    const lost = proxy.loseReply(has(`UPDATE ${table()}`));
    const outcome = faultOf(store.users.replace(from, to, options));
    await lost;
    const release = await look;
    const moved = await find(to.email.address);
    const changed = moved && (await direct.users.replace(moved, { ...to, password: 'of another writer' }));
    await release();
    expect(await outcome).to.include({ code: 'store_unavailable' });
    expect(await find(to.email.address)).to.deep.equal(changed);
    expect(await eventsOf(n)).to.equal(1);
  });

  it('after a removal was applied: its outcome is unknown, and its names are free', async () => {
    const { from, freed } = await change();
    const lost = proxy.loseReply(has(`DELETE FROM ${table()}`));
    expect(await faultOf(store.users.remove(from))).to.include({ code: 'store_unavailable' });
    await lost;
    expect(await find(from.user.email.address)).to.equal(undefined);
    expect(await direct.users.insert(userOf('heir@example.com'), { names: [freed] })).to.have.property('version');
  });

  it('after a reservation was made: its outcome is unknown, and the next one renews it', async () => {
    for (const key of [keyOf(addressOf('reserved@example.com')), idOf('usr_reserved')]) {
      const lost = proxy.loseReply(has('ended_names'));
      expect(await faultOf(store.users.reserve(key))).to.include({ code: 'store_unavailable' });
      await lost;
      const renewed = reserved(await store.users.reserve(key));
      const user = userOf('other@example.com');
      const taken =
        key === 'reserved@example.com'
          ? await direct.users.insert(userOf(key))
          : await direct.users.insert(user, { names: [idOf('usr_reserved')] });
      expect(taken).to.deep.equal({ taken: key, reservation: renewed });
    }
  });

  it('after events were added: they are stored once, unless they were delivered before that is known', async () => {
    const event = (id: string) => ({ id, destination: 'alone', time: 1, body: '{}' });
    const lost = proxy.loseReply(has(`INSERT INTO ${table('_events')}`));
    await store.events?.add([event('1'), event('2')]);
    await lost;
    expect(await direct.events?.pending('alone', 10)).to.equal(2);

    const look = proxy.holdRequest(has(`SELECT 1 FROM ${table('_events')}`));
    const again = proxy.loseReply(has(`INSERT INTO ${table('_events')}`));
    const outcome = store.events && faultOf(store.events.add([event('3')]));
    await again;
    const release = await look;
    const claimed = await direct.events?.claim('alone', 10, { now: 1, until: 2 });
    for (const one of claimed ?? []) await direct.events?.done(one);
    await release();
    expect(await outcome).to.include({ code: 'store_unavailable' });
    expect(await direct.events?.pending('alone', 10)).to.equal(0);
  });

  /** Makes a write that reaches the server only after its deadline, and after `meanwhile`. */
  const late = async (statement: string, write: () => Promise<unknown>, meanwhile: () => Promise<unknown>) => {
    const held = proxy.holdRequest(has(statement));
    const started = performance.now();
    const outcome = faultOf(withTimeout(1_000, write(), () => new Error('later than the operation timeout')));
    const release = await held;
    expect(await outcome).to.include({ code: 'store_unavailable' });
    expect(performance.now() - started).to.be.at.least(700);
    await meanwhile();
    await release();
  };

  it('until after the deadline of a move: it is refused by the version that another writer has stored', async () => {
    const { n, from, to, options } = await change();
    const next = { ...from.user, password: 'of another writer' };
    await late(
      `UPDATE ${table()}`,
      () => store.users.replace(from, to, options),
      async () => written(await direct.users.replace(from, next, { names: from.names ?? [] })),
    );
    expect((await find(from.user.email.address))?.user).to.deep.equal(next);
    expect(await find(to.email.address)).to.equal(undefined);
    expect(await eventsOf(n)).to.equal(0);
  });

  it('until after the deadline of a removal: it is refused by the version that another writer has stored', async () => {
    const { from } = await change();
    await late(
      `DELETE FROM ${table()}`,
      () => store.users.remove(from),
      async () => written(await direct.users.replace(from, from.user, { names: from.names ?? [] })),
    );
    expect((await find(from.user.email.address))?.user).to.deep.equal(from.user);
  });

  for (const what of ['address', 'name'])
    it(`until after the deadline of an insert: it is refused by a reservation of its ${what}`, async () => {
      const [address, name] = [`late-${what}@example.com`, idOf(`usr_late_${what}`)];
      await late(
        `INSERT INTO ${table()}`,
        () => store.users.insert(userOf(address), { names: [name] }),
        async () => reserved(await direct.users.reserve(what === 'name' ? name : keyOf(addressOf(address)))),
      );
      expect(await find(address)).to.equal(undefined);
      expect(await direct.names?.find(name)).to.equal(undefined);
    });

  it('after which every name still belongs to the user that lists it', async () => {
    const { users, entries } = await postgresqlNames(url(), table().replaceAll('"', ''));
    const listed = [...users].flatMap(([key, names]) => names.map((name) => [name, key] as const));
    const owned = [...entries].filter(([, key]) => key !== undefined);
    expect(new Map(owned)).to.deep.equal(new Map(listed));
    expect(isWritten(await direct.users.insert(userOf('last@example.com')))).to.equal(true);
  });
});
