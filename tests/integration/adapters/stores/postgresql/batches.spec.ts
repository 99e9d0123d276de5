import { expect } from 'chai';
import type { Fault } from '../../../../../application/fault.ts';
import { withTimeout } from '../../../../../application/interceptor.ts';
import type { StoredUser, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, isWritten, written } from '../../../../../sdk/contract/outcomes.ts';
import { type Matches, TcpProxy } from '../../../../support/fault-proxy.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

describe('look-ups of users in PostgreSQL', () => {
  const url = postgresqlUrl();
  /** A pooler has its own sessions. */
  const directUrl = postgresqlUrl(false);
  let scratch: ScratchSchema;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
  });
  afterEach(() => scratch.dispose());

  it('at the same time find each user, also several times, and no other', async () => {
    const { users } = await scratch.open();
    const names = Array.from({ length: 150 }, (_, n) => `user-${n}@example.com`);
    const stored = await Promise.all(names.map(async (name) => written(await users.insert(userOf(name)))));
    const keys = [...names, 'nobody@example.com', ...names].map((name) => keyOf(addressOf(name)));
    const found = await Promise.all(keys.map((key) => users.find(key)));
    expect(found).to.deep.equal([...stored, undefined, ...stored]);
  });

  it('fail together with no user whose record the server cannot read from its disk', async () => {
    const { schema } = scratch;
    const { users } = await scratch.open();
    const names = ['ada', 'bea', 'eve'].map((name) => `${name}@example.com`);
    for (const name of names) await users.insert(userOf(name));
    await scratch.query(
      `CREATE FUNCTION ${schema}.is_read(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         IF $1 = 'bea@example.com' THEN RAISE 'invalid page in block 0' USING ERRCODE = 'XX001'; END IF; RETURN true; END $$;
       ALTER TABLE ${schema}.users RENAME TO stored;
       CREATE VIEW ${schema}.users AS SELECT * FROM ${schema}.stored WHERE ${schema}.is_read(key)`,
    );
    const find = (name: string) => users.find(keyOf(addressOf(name)));
    const [ada, fault, eve] = await Promise.all(
      names.map((name) => (name.startsWith('b') ? faultOf(find(name)) : find(name))),
    );
    expect(fault).to.include({
      code: 'store_rejected',
      message: 'PostgreSQL: data on the disk of the server are damaged (XX001)',
      record: 'bea@example.com',
    });
    for (const found of [ada, eve]) expect(found).to.have.property('version');
  });

  it('keep their connection when the server cancels them at the end of the timeout', async () => {
    const direct = await ScratchSchema.create(directUrl());
    try {
      const { users } = await direct.open({ poolSize: 1 }, { operationTimeoutMs: 2_000 });
      await users.check();
      const ownSession = `application_name = 'latchkey' AND query LIKE '%${direct.schema}%'`;
      const sessions = () => direct.query(`SELECT pid FROM pg_stat_activity WHERE ${ownSession}`);
      const find = () => users.find(keyOf(addressOf('ada@example.com')));
      await find();
      const before = await sessions();
      const release = await direct.lock(`LOCK TABLE ${direct.schema}.users`);
      expect(await faultOf(find())).to.have.property('code', 'store_unavailable');
      await release();
      expect(await find()).to.equal(undefined);
      expect(await sessions()).to.deep.equal(before);
    } finally {
      await direct.dispose();
    }
  });

  it('have the whole time of a call, also together with one that has waited for almost as long', async () => {
    const { hostname, port } = new URL(url());
    const proxy = await TcpProxy.to(hostname, Number(port));
    try {
      const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
      const { users } = await scratch.open({ connectionString }, { operationTimeoutMs: 2_000 });
      const find = (name: string) => users.find(keyOf(addressOf(`${name}@example.com`)));
      await Promise.all(Array.from({ length: 4 }, (_, n) => find(`user-${n}`)));
      const release = await scratch.lock(`LOCK TABLE ${scratch.schema}.users`);
      const running: Promise<unknown>[] = [];
      for (let n = 0; n < 4; n++) {
        running.push(find(`user-${n}`));
        await scratch.waiting(n + 1);
      }
      const early = faultOf(find('early'));
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      proxy.delay(600);
      const late = find('late');
      await release();
      expect(await late).to.equal(undefined);
      expect(await early).to.have.property('code', 'store_unavailable');
      await Promise.allSettled(running);
    } finally {
      await proxy.close();
    }
  });

  it('end within the timeout of a call, also while others wait for a server that does not respond', async () => {
    const { hostname, port } = new URL(url());
    const proxy = await TcpProxy.to(hostname, Number(port));
    try {
      const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
      const { users } = await scratch.open({ connectionString }, { operationTimeoutMs: 1_000 });
      await users.check();
      proxy.silence();
      const faults: Promise<Fault>[] = [];
      for (let n = 0; n < 16; n++) {
        const found = users.find(keyOf(addressOf(`user-${n}@example.com`)));
        faults.push(faultOf(withTimeout(1_000, found, () => new Error('later than the operation timeout'))));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      for (const { code } of await Promise.all(faults)) expect(code).to.equal('store_unavailable');
      await proxy.restore();
      expect(await users.find(keyOf(addressOf('user-1@example.com')))).to.equal(undefined);
    } finally {
      await proxy.close();
    }
  });
});

describe('writes of users in PostgreSQL at the same time', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  beforeEach(async () => {
    scratch = await ScratchSchema.create(url());
  });
  afterEach(() => scratch.dispose());

  const addresses = (count: number) => Array.from({ length: count }, (_, n) => `user-${n}@example.com`);
  const insertAll = (users: UserStore, count: number) =>
    Promise.all(addresses(count).map(async (address) => written(await users.insert(userOf(address)))));

  it('have each its own outcome, also beside refused ones', async () => {
    const { users, names } = await scratch.open();
    const stored = await insertAll(users, 40);
    const name = idOf('usr_taken');
    const owner = written(await users.insert(userOf('owner@example.com'), { names: [name] }));
    const changed = ({ user }: StoredUser) => ({ ...user, password: 'changed' });
    const outcomes = await Promise.all(
      stored.flatMap((one, n) => [
        users.replace(one, changed(one)),
        users.insert(userOf(n === 3 ? `user-${n}@example.com` : `new-${n}@example.com`)),
        users.insert(userOf(`named-${n}@example.com`), { names: [n === 7 ? name : idOf(`usr_${n}`)] }),
        users.replace({ ...one, version: 'another' }, changed(one)),
      ]),
    );
    for (const [n, one] of stored.entries()) {
      const [change, insertion, named, stale] = outcomes.slice(4 * n);
      expect(change).to.deep.include({ user: changed(one) });
      expect(await users.find(keyOf(one.user.email.address))).to.deep.equal(change);
      if (n === 3) expect(insertion).to.deep.equal({ taken: `user-${n}@example.com` });
      else expect(await users.find(keyOf(addressOf(`new-${n}@example.com`)))).to.deep.equal(insertion);
      const found = await users.find(keyOf(addressOf(`named-${n}@example.com`)));
      if (n === 7) expect([named, found]).to.deep.equal([{ taken: name }, undefined]);
      else
        expect(await names?.find(idOf(`usr_${n}`)))
          .to.deep.equal(found)
          .and.to.deep.equal(named);
      expect(stale).to.equal('stale');
    }
    expect(await names?.find(name)).to.deep.equal(owner);
  });

  it('share a few transactions', async () => {
    const { users } = await scratch.open();
    await insertAll(users, 160);
    const [row] = await scratch.query(`SELECT count(DISTINCT xmin::text)::int AS count FROM ${scratch.schema}.users`);
    expect(row?.count).to.equal(10);
  });

  it('fail together with none that needs a page that the server cannot read from its disk', async () => {
    const { schema } = scratch;
    const { users } = await scratch.open();
    const [first] = await insertAll(users, 2);
    if (first === undefined) throw new Error('there is no user');
    await scratch.query(
      `CREATE FUNCTION ${schema}.read_page() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE 'invalid page in block 0' USING ERRCODE = 'XX001'; END $$;
       CREATE TRIGGER damaged BEFORE INSERT ON ${schema}.users FOR EACH ROW WHEN (NEW.key = 'bea@example.com')
         EXECUTE FUNCTION ${schema}.read_page()`,
    );
    const insert = (name: string) => users.insert(userOf(`${name}@example.com`));
    const [fault, ...others] = await Promise.all([
      faultOf(insert('bea')),
      insert('ada'),
      insert('eve'),
      insert('user-1'),
      users.replace(first, first.user),
    ]);
    expect(fault).to.have.property('message', 'PostgreSQL: data on the disk of the server are damaged (XX001)');
    expect(others.map(isWritten)).to.deep.equal([true, true, false, true]);
    expect(others[2]).to.deep.equal({ taken: 'user-1@example.com' });
    for (const other of others.filter(isWritten))
      expect(await users.find(keyOf(other.user.email.address))).to.deep.equal(other);
  });

  for (const count of [2, 100])
    it(`do not wait for one of ${count} users whom another program has locked`, async () => {
      const { users } = await scratch.open();
      const stored = await insertAll(users, count);
      const { schema } = scratch;
      const release = await scratch.lock(
        `UPDATE ${schema}.users SET version = version WHERE key = 'user-1@example.com'`,
      );
      const started = performance.now();
      const writes = stored.map((one) => users.replace(one, one.user));
      await Promise.all(writes.filter((_, n) => n !== 1));
      const passedMs = performance.now() - started;
      await release();
      // One of two writes in a transaction may take half of the 27 seconds of a call.
      expect(passedMs).to.be.below(5_000);
      expect((await Promise.all(writes)).filter(isWritten)).to.have.length(count);
    });

  /** Opens a store behind a proxy. `isBatch` recognizes a request that inserts several users. */
  const behindProxy = async (use: (users: UserStore, proxy: TcpProxy, isBatch: Matches) => Promise<void>) => {
    const { hostname, port } = new URL(url());
    const proxy = await TcpProxy.to(hostname, Number(port));
    const isBatch = (request: Buffer) => request.toString().split(`INSERT INTO "${scratch.schema}"`).length > 2;
    try {
      const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
      const { users } = await scratch.open({ connectionString, poolSize: 1 });
      await users.check();
      await use(users, proxy, isBatch);
    } finally {
      await proxy.close();
    }
  };

  it('are all known to be stored if the reply to their transaction is lost', () =>
    behindProxy(async (users, proxy, isBatch) => {
      const lost = proxy.loseReply(isBatch);
      const stored = await insertAll(users, 16);
      await lost;
      for (const one of stored) expect(await users.find(keyOf(one.user.email.address))).to.deep.equal(one);
    }));

  /** An error of the server, whose severity is in the language of `lc_messages`. */
  const serverError = (severity: string, code: string): Buffer => {
    const fields = Buffer.from(`S${severity}\0C${code}\0Mcould not write\0\0`);
    const head = Buffer.from('E\0\0\0\0');
    head.writeInt32BE(fields.length + 4, 1);
    return Buffer.concat([head, fields]);
  };

  for (const [severity, code] of [
    ['PANIC', '53100'],
    ['ПАНИКА', '53100'],
    ['ВАЖНО', '40001'],
  ] as const)
    it(`are all known to be stored if ${severity} with ${code} ends their connection once they are`, () =>
      behindProxy(async (users, proxy, isBatch) => {
        const reply = serverError(severity, code);
        const replaced = proxy.replaceReply(isBatch, () => ({ reply, isLast: true }));
        const stored = await insertAll(users, 16);
        await replaced;
        for (const one of stored) expect(await users.find(keyOf(one.user.email.address))).to.deep.equal(one);
      }));

  it('have each its own outcome, and keep their connection, if the server refuses one in another language', () =>
    behindProxy(async (users, proxy, isBatch) => {
      const [first] = await insertAll(users, 1);
      const { connections } = proxy;
      const replaced = proxy.replaceReply(isBatch, (reply) => ({
        reply: Buffer.from(reply.toString('latin1').replace('SERROR\0', 'SCHYBA\0'), 'latin1'),
        isLast: false,
      }));
      const others = ['ada', 'bea', 'user-0', 'cleo', 'dan'].map((name) => userOf(`${name}@example.com`));
      const outcomes = await Promise.all(others.map((user) => users.insert(user)));
      await replaced;
      expect(outcomes.map(isWritten)).to.deep.equal([true, true, false, true, true]);
      expect(outcomes[2]).to.deep.equal({ taken: first && keyOf(first.user.email.address) });
      expect(proxy.connections).to.equal(connections);
    }));
});
