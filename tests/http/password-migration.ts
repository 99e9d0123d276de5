import { expect } from 'chai';
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

/** How the stored forms of another algorithm are read, and replaced, by one that takes its place. */
export const passwordMigration = (harness: Harness): void => {
  describe('passwords that another algorithm stored', () => {
    accepting(harness);
  });
};
