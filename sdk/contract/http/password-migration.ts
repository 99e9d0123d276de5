import { expect } from 'chai';
import { Fault } from '../../../application/fault.ts';
import { InMemoryUserStore } from '../../../tests/support/doubles/in-memory-user-store.ts';
import type { UserJson } from './answer.ts';
import type { Account, Client } from './client.ts';
import type { Blocks, Harness } from './harness.ts';

/** A service with one algorithm alone, which hashes. */
const hashing = (algorithm: string, options: object = {}): Blocks => ({
  passwordHash: { algorithm, serverSideHash: true, ...options },
});

/** What an older system kept, by its algorithm: each is cheap, and none is as a new bcrypt hash of cost 5. */
const former: Readonly<Record<string, Blocks>> = {
  sha256: hashing('sha256'),
  bcrypt: hashing('bcrypt', { cost: 4 }),
  argon2: hashing('argon2'),
};

/** A service for which bcrypt is the algorithm from now on. */
const migrating = (options: object = {}): Blocks =>
  hashing('bcrypt', { cost: 5, accept: ['sha256', 'bcrypt', 'argon2'], ...options });

const put = (client: Client, { address, password }: Account, changes: object) =>
  client.put('/users', { password, body: { email: { address }, ...changes } });

const refused = async (client: Client, { address }: Account, password: string): Promise<void> => {
  const answer = await client.get('/users', { query: { email: address }, password });
  expect(answer.refusal).to.equal('401 wrong_password');
};

const accepting = (harness: Harness): void => {
  for (const [name, blocks] of Object.entries(former)) {
    it(`checks the password of a user whose stored form is of ${name}, and leaves the form as it is`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      expect((await client.read(account)).user).to.deep.equal(account.user);
      for (const wrong of [`${account.password}x`, account.user.password]) await refused(client, account, wrong);
    });

    it(`leaves a form of ${name} as it is when an update repeats it, or its password`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      for (const password of [account.password, account.user.password]) {
        expect((await put(client, account, { password })).user.password).to.equal(account.user.password);
      }
    });

    it(`hashes a new password of a user with a form of ${name} in its own way`, async () => {
      const account = await (await harness.service(blocks)).client.create();
      const { client } = await harness.service(migrating());
      const password = `${account.password} changed`;
      expect((await put(client, account, { password })).user.password).to.match(/^\$2b\$05\$/);
      await refused(client, account, account.password);
      await client.read({ ...account, password });
    });
  }

  it('401 for a stored form that is not accepted', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ accept: ['argon2'] }));
    await refused(client, account, account.password);
    await refused(client, account, account.user.password);
  });
};

/** Reads a user until its stored form is a new one, as callers do who log in again and again. */
const renewed = async (client: Client, account: Account): Promise<UserJson> => {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { user } = await client.read(account);
    if (user.password !== account.user.password) return user;
    if (performance.now() > deadline) throw new Error('the password was not stored anew');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const eventuallyLogged = async (log: () => Promise<readonly string[]>, expected: RegExp): Promise<void> => {
  const deadline = performance.now() + 10_000;
  while (!(await log()).some((line) => expected.test(line))) {
    if (performance.now() > deadline) throw new Error('the log does not say it');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const rehashing = (harness: Harness): void => {
  for (const [name, blocks] of Object.entries(former)) {
    it(`stores a password of ${name} anew after it was checked, and the user stays as it is`, async () => {
      const { client: old } = await harness.service(blocks);
      const account = await old.create({ properties: { plan: 'free', n: 1e21 } });
      await old.token(account);
      const before = (await old.read(account)).user;
      const { client } = await harness.service(migrating({ rehash: true }));
      expect((await client.read(account)).user, 'the answer does not wait').to.deep.equal(before);
      const { password, lastUpdateTime, ...after } = await renewed(client, account);
      const { password: _, lastUpdateTime: earlier, ...others } = before;
      expect(password).to.match(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
      expect(lastUpdateTime).to.be.above(earlier);
      expect(after).to.deep.equal(others);
      await refused(client, account, `${account.password}x`);
      await refused(client, account, account.user.password);
    });
  }

  it('keeps the password for services that know the new algorithm alone', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    await renewed((await harness.service(migrating({ rehash: true }))).client, account);
    // As after a restart with another configuration.
    await (await harness.service(hashing('bcrypt', { cost: 5 }))).client.read(account);
    await refused((await harness.service(hashing('sha256'))).client, account, account.password);
  });

  it('stores a password once, however many callers come at once', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true }));
    const answers = await Promise.all(Array.from({ length: 64 }, () => client.read(account)));
    const first = await renewed(client, account);
    const forms = new Set([...answers.map(({ user }) => user.password), first.password]);
    expect([...forms]).to.have.members([account.user.password, first.password]);
    expect((await client.read(account)).user).to.deep.equal(first);
  });

  it('loses no update that comes at the same time', async () => {
    const { client: old } = await harness.service(hashing('sha256'));
    const { client } = await harness.service(migrating({ rehash: true }));
    for (let round = 0; round < 5; round++) {
      const account = await old.create();
      const changes = Array.from({ length: 4 }, (_, index) => put(client, account, { [`round${round}`]: index }));
      const answers = await Promise.all([client.read(account), ...changes]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      const last = answers
        .slice(1)
        .map(({ user }) => user)
        .sort((one, other) => other.lastUpdateTime - one.lastUpdateTime)[0];
      const { password: _, lastUpdateTime, ...user } = await renewed(client, account);
      expect(lastUpdateTime).to.be.at.least(last?.lastUpdateTime ?? 0);
      expect(user).to.deep.include({ [`round${round}`]: Object(last)[`round${round}`] });
    }
  });

  it('stores it anew after every call that checks it', async () => {
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
      await renewed(reader.client, account);
    }
  });

  for (const [name, blocks] of Object.entries({ ...former, 'costlier bcrypt': hashing('bcrypt', { cost: 6 }) })) {
    it(`takes a whole user back that was read before its password of ${name} was stored anew`, async () => {
      const { client: old } = await harness.service(blocks);
      const { client } = await harness.service(migrating({ rehash: true }));
      const account = await old.create();
      const { user: read } = await client.read(account);
      const { password } = await renewed(client, account);
      const body = { ...read, plan: 'paid' };
      const answer = await client.put('/users', { password: account.password, body });
      expect(answer.status).to.equal(200);
      expect(answer.user.password, 'it is the same password still').to.equal(password);
      await client.read(account);
    });
  }

  it('takes a new password that looks like a hash of any cost for what it is', async () => {
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

  it('stores a password of the same algorithm anew when the costs are others', async () => {
    const account = await (await harness.service(hashing('bcrypt', { cost: 4 }))).client.create();
    const { client } = await harness.service(hashing('bcrypt', { cost: 5, rehash: true }));
    expect((await renewed(client, account)).password).to.match(/^\$2b\$05\$/);
  });

  it('stores what was meant where a mistake was forgiven', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true, allowCommonMistakes: true }));
    await client.read({ ...account, password: `${account.password}x` });
    await renewed(client, account);
    const strict = await harness.service(migrating());
    await strict.client.read(account);
    await refused(strict.client, account, `${account.password}x`);
  });

  // It breaks the store from inside.
  (harness.takesStores ? it : it.skip)(
    'answers as ever when nothing can be written, and says so in the log',
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

  it('leaves a password alone that the new algorithm would not read to its end', async () => {
    const account = await (await harness.service(hashing('sha256'))).client.create({ password: 'p'.repeat(80) });
    const other = await (await harness.service(hashing('sha256'))).client.create();
    const { client } = await harness.service(migrating({ rehash: true }));
    await client.read(account);
    // They are stored one after the other.
    await renewed(client, other);
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });
};

/** How the stored forms of another algorithm are read, and replaced, by one that takes its place. */
export const passwordMigration = (harness: Harness): void => {
  describe('passwords that another algorithm stored', () => {
    accepting(harness);
    describe('with rehash', () => rehashing(harness));
  });
};
