import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import type { UserJson } from './api-response.ts';
import type { Account, Client } from './client.ts';
import type { Blocks, Harness } from './harness.ts';

/** A service with one algorithm. */
export const hashing = (algorithm: string, options: object = {}): Blocks => ({
  passwordHash: { algorithm, serverSideHash: true, ...options },
});

/** Stored hashes of an older system, by algorithm. All are cheap, and differ from new bcrypt hashes of cost 5. */
const former: Readonly<Record<string, Blocks>> = {
  sha256: hashing('sha256'),
  bcrypt: hashing('bcrypt', { cost: 4 }),
  argon2: hashing('argon2'),
};

/** A service that migrates to bcrypt. */
const migrating = (options: object = {}): Blocks =>
  hashing('bcrypt', { cost: 5, accept: ['sha256', 'bcrypt', 'argon2'], ...options });

export const put = (client: Client, { address, password }: Account, changes: object) =>
  client.put('/users', { password, body: { email: { address }, ...changes } });

export const refused = async (client: Client, { address }: Account, password: string): Promise<void> => {
  const response = await client.get('/users', { query: { email: address }, password });
  expect(response.refusal).to.equal('401 wrong_password');
};

const accepting = (harness: Harness): void => {
  for (const [name, blocks] of Object.entries(former)) {
    it(`checks the password of a user with a hash of ${name}, and keeps the hash`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      expect((await client.read(account)).user).to.deep.equal(account.user);
      for (const wrong of [`${account.password}x`, account.user.password]) await refused(client, account, wrong);
    });

    it(`keeps a hash of ${name} when an update repeats it, or its password`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      for (const password of [account.password, account.user.password]) {
        expect((await put(client, account, { password })).user.password).to.equal(account.user.password);
      }
    });

    it(`hashes a new password of a user with a hash of ${name} with the new algorithm`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      const password = `${account.password} changed`;
      expect((await put(client, account, { password })).user.password).to.match(/^\$2b\$05\$/);
      await refused(client, account, account.password);
      await client.read({ ...account, password });
    });
  }

  it('401 for a stored hash that is not accepted', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ accept: ['argon2'] }));
    await refused(client, account, account.password);
    await refused(client, account, account.user.password);
  });
};

/** Reads a user repeatedly until its password is rehashed. */
export const rehashedUser = async (client: Client, account: Account): Promise<UserJson> => {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { user } = await client.read(account);
    if (user.password !== account.user.password) return user;
    if (performance.now() > deadline) throw new Error('the password was not rehashed');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const eventuallyLogged = async (log: () => Promise<readonly string[]>, expected: RegExp): Promise<void> => {
  const deadline = performance.now() + 10_000;
  while (!(await log()).some((line) => expected.test(line))) {
    if (performance.now() > deadline) throw new Error('the expected log line is missing');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const rehashing = (harness: Harness): void => {
  for (const [name, blocks] of Object.entries(former)) {
    it(`rehashes a password of ${name} after a successful check, and changes nothing else`, async () => {
      const { client: old } = await harness.service(blocks);
      const account = await old.create({ properties: { plan: 'free', n: 1e21 } });
      await old.token(account);
      const before = (await old.read(account)).user;
      const { client } = await harness.service(migrating({ rehash: true }));
      expect((await client.read(account)).user, 'the response does not wait').to.deep.equal(before);
      const { password, ...after } = await rehashedUser(client, account);
      const { password: _, ...others } = before;
      expect(password).to.match(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
      expect(after).to.deep.equal(others);
      await refused(client, account, `${account.password}x`);
      await refused(client, account, account.user.password);
    });
  }

  it('rehashes so that services with only the new algorithm accept the password', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    await rehashedUser((await harness.service(migrating({ rehash: true }))).client, account);
    // As after a restart with another configuration.
    await (await harness.service(hashing('bcrypt', { cost: 5 }))).client.read(account);
    await refused((await harness.service(hashing('sha256'))).client, account, account.password);
  });

  it('rehashes once, however many requests come at once', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true }));
    const responses = await Promise.all(Array.from({ length: 64 }, () => client.read(account)));
    const first = await rehashedUser(client, account);
    const forms = new Set([...responses.map(({ user }) => user.password), first.password]);
    expect([...forms]).to.have.members([account.user.password, first.password]);
    expect((await client.read(account)).user).to.deep.equal(first);
  });

  it('loses no concurrent update', async () => {
    const { client: old } = await harness.service(hashing('sha256'));
    const { client } = await harness.service(migrating({ rehash: true }));
    for (let round = 0; round < 5; round++) {
      const account = await old.create();
      const changes = Array.from({ length: 4 }, (_, index) => put(client, account, { [`round${round}`]: index }));
      const responses = await Promise.all([client.read(account), ...changes]);
      expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      const last = responses
        .slice(1)
        .map(({ user }) => user)
        .sort((one, other) => other.lastUpdateTime - one.lastUpdateTime)[0];
      const { password: _, lastUpdateTime, ...user } = await rehashedUser(client, account);
      expect(lastUpdateTime).to.be.at.least(last?.lastUpdateTime ?? 0);
      expect(user).to.deep.include({ [`round${round}`]: Object(last)[`round${round}`] });
    }
  });

  it('rehashes after every kind of call that checks the password', async () => {
    const { client: old } = await harness.service(hashing('sha256'));
    const { client } = await harness.service(migrating({ rehash: true }));
    for (const call of [
      (account: Account) => put(client, account, { plan: 'paid' }),
      (account: Account) => client.post('/verify', { query: { email: account.address }, password: account.password }),
      (account: Account) =>
        client.post('/verify/reset', { query: { email: account.address }, password: account.password }),
    ]) {
      const account = await old.create();
      expect((await call(account)).status).to.equal(200);
      const reader = await harness.service(migrating());
      await rehashedUser(reader.client, account);
    }
  });

  for (const [name, blocks] of Object.entries({ ...former, 'costlier bcrypt': hashing('bcrypt', { cost: 6 }) })) {
    it(`accepts an update with a user that was read before its password of ${name} was rehashed`, async () => {
      const { client: old } = await harness.service(blocks);
      const { client } = await harness.service(migrating({ rehash: true }));
      const account = await old.create();
      const { user: read } = await client.read(account);
      const { password } = await rehashedUser(client, account);
      const body = { ...read, plan: 'paid' };
      const response = await client.put('/users', { password: account.password, body });
      expect(response.status).to.equal(200);
      expect(response.user.password, 'it is the same password still').to.equal(password);
      await client.read(account);
    });
  }

  it('accepts the user as another instance read it before an expensive hash was replaced, also with its ETag', async () => {
    const account = await (await harness.service(hashing('bcrypt', { cost: 6 }))).client.create();
    const { client: other } = await harness.service(migrating({ rehash: false }));
    const etag = (await other.read(account)).headers.get('etag') ?? '';
    await rehashedUser((await harness.service(migrating({ rehash: true }))).client, account);
    for (const headers of [{ 'If-Match': etag }, {}]) {
      const body = { ...account.user, plan: Object.keys(headers).length };
      const response = await other.put('/users', { password: account.password, body, headers });
      expect(response.status, response.text).to.equal(200);
      await other.read(account);
      await refused(other, account, account.user.password);
    }
  });

  const toArgon2 = hashing('argon2', { accept: ['sha256'], rehash: true });
  for (const [name, upgrades, last, statuses] of [
    ['rehash is off', [toArgon2], hashing('argon2', { accept: ['sha256'] }), [200]],
    ['the algorithm is not accepted', [toArgon2], hashing('argon2'), [412, 200]],
    [
      'it was replaced twice',
      [migrating({ rehash: true }), hashing('argon2', { accept: ['bcrypt'], rehash: true })],
      hashing('argon2'),
      [412, 200],
    ],
  ] as const)
    it(`takes no earlier hash for a new password in a change with the ETag of its read, also if ${name}`, async () => {
      const { client: old } = await harness.service(hashing('sha256'));
      const account = await old.create();
      const read = await old.read(account);
      let current = account;
      for (const blocks of upgrades)
        current = { ...account, user: await rehashedUser((await harness.service(blocks)).client, current) };
      const { client } = await harness.service(last);
      let { user, headers } = read;
      for (const status of statuses) {
        const response = await client.put('/users', {
          password: account.password,
          body: { ...user, plan: 'paid' },
          headers: { 'If-Match': headers.get('etag') ?? '' },
        });
        expect(response.status, response.text).to.equal(status);
        await refused(client, account, account.user.password);
        ({ user, headers } = await client.read(account));
      }
      expect(user).to.deep.include({ plan: 'paid' });
    });

  it('stores a new password with the ETag from before an upgrade; one like a hash after a 412 and another read', async () => {
    const { client: old } = await harness.service(hashing('sha256'));
    const rehashing = await harness.service(migrating({ rehash: true }));
    const { client } = await harness.service(hashing('bcrypt', { cost: 5 }));
    for (const [password, statuses] of [
      ['a new password', [200]],
      ['0f'.repeat(32), [412, 200]],
    ] as const) {
      const account = await old.create();
      const before = await old.read(account);
      await rehashedUser(rehashing.client, account);
      let { headers } = before;
      for (const status of statuses) {
        const response = await client.send('PATCH', '/users', {
          query: { email: account.address },
          password: account.password,
          body: { password },
          headers: { 'If-Match': headers.get('etag') ?? '' },
        });
        expect(response.status, response.text).to.equal(status);
        // Bookkeeping after the refusal must not bring the same refusal again.
        if (status === 412)
          ({ headers } = await client.get('/users', {
            query: { email: account.address },
            password: account.password,
            headers: { Prefer: 'settled' },
          }));
      }
      await client.read({ ...account, password });
    }
  });

  it('treats a new password that looks like a hash as a password', async () => {
    const { client } = await harness.service(migrating({ rehash: true }));
    const account = await client.create();
    for (const password of [
      '$2b$15$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW',
      '$argon2id$v=19$m=262144,t=10,p=16$c29tZXNhbHQ$nf65EOgLrQMR/uIP',
    ]) {
      const changed = await client.create();
      expect((await put(client, changed, { password })).user.password).to.match(/^\$2b\$05\$/);
      await client.read({ ...changed, password });
      await refused(client, changed, changed.password);
    }
    await client.read(account);
  });

  it('rehashes a password of the same algorithm when the configured cost differs', async () => {
    const account = await (await harness.service(hashing('bcrypt', { cost: 4 }))).client.create();
    const { client } = await harness.service(hashing('bcrypt', { cost: 5, rehash: true }));
    expect((await rehashedUser(client, account)).password).to.match(/^\$2b\$05\$/);
  });

  it('rehashes the intended password when a typo was accepted', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true, allowCommonMistakes: true }));
    await client.read({ ...account, password: `${account.password}x` });
    await rehashedUser(client, account);
    const strict = await harness.service(migrating());
    await strict.client.read(account);
    await refused(strict.client, account, `${account.password}x`);
  });

  // This test needs a store in the same process.
  (harness.takesStores ? it : it.skip)(
    'sends the usual responses when nothing can be written, and logs the reason',
    async () => {
      class ReadOnly extends InMemoryUserStore {
        override async replace(): Promise<never> {
          throw new Fault('store_unavailable', 'the store takes no writes');
        }
      }
      const store = new ReadOnly();
      const account = await (await harness.serviceOn(store.ports, hashing('sha256'))).client.create();
      const { client, log } = await harness.serviceOn(store.ports, migrating({ rehash: true }));
      expect((await client.read(account)).user).to.deep.equal(account.user);
      await eventuallyLogged(log, /^could not rehash a password.*the store takes no writes/);
      expect((await client.read(account)).user).to.deep.equal(account.user);
    },
  );

  it('does not rehash a password that is too long for the new algorithm', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create({ password: 'p'.repeat(80) });
    const other = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true }));
    await client.read(account);
    // They are stored one after the other.
    await rehashedUser(client, other);
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });
};

/** Migration of stored hashes to another algorithm. */
export const passwordMigration = (harness: Harness): void => {
  describe('passwords hashed by another algorithm', () => {
    accepting(harness);
    describe('with rehash', () => rehashing(harness));
  });
};
