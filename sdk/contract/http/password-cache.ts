import { expect } from 'chai';
import { type Account, type Client, newPassword } from './client.ts';
import type { Blocks, Harness } from './harness.ts';
import { scraped } from './metrics.ts';

const caching: Blocks = {
  passwordHash: { algorithm: 'bcrypt', cost: 4, serverSideHash: true, cache: { entries: 1_000, ttl: '1h' } },
};
const checking: Blocks = { passwordHash: { algorithm: 'bcrypt', cost: 4, serverSideHash: true } };

const refused = async (client: Client, { address }: Account, password: string): Promise<void> => {
  const response = await client.get('/users', { query: { email: address }, password });
  expect(response.refusal).to.equal('401 wrong_password');
};

/** The numbers of password checks and of cached passwords so far. */
const counts = async (adminUrl: string) => {
  const { at } = await scraped(adminUrl);
  return {
    checks: at('latchkey_password_call_duration_seconds_count{operation="verify"}'),
    hits: at('latchkey_password_cache_hits_total'),
    misses: at('latchkey_password_cache_misses_total'),
  };
};

/** The cache of verified passwords. */
export const passwordCache = (harness: Harness): void => {
  describe('with passwordHash.cache', () => {
    it('a correct password is not checked again, in any call', async () => {
      const { client, adminUrl } = await harness.service(caching);
      const account = await client.create();
      const before = await counts(adminUrl);
      for (let count = 0; count < 3; count++) {
        expect((await client.read(account)).user).to.deep.equal(account.user);
      }
      const sent = { query: { email: account.address }, password: account.password };
      expect((await client.post('/verify/reset', sent)).status).to.equal(200);
      expect((await client.delete('/users', sent)).status).to.equal(200);
      const after = await counts(adminUrl);
      expect(after.checks - before.checks).to.equal(1);
      expect(after.hits - before.hits).to.equal(4);
      expect(after.misses - before.misses).to.equal(1);
    });

    it('a wrong password is checked and refused every time', async () => {
      const { client, adminUrl } = await harness.service(caching);
      const account = await client.create();
      await client.read(account);
      const before = await counts(adminUrl);
      for (let count = 0; count < 3; count++) await refused(client, account, `${account.password}x`);
      expect((await counts(adminUrl)).checks - before.checks).to.equal(3);
    });

    it('a changed password is effective at once, also when another instance changed it', async () => {
      const { client } = await harness.service(caching);
      const other = await harness.service(checking);
      for (const changing of [client, other.client]) {
        const account = await client.create();
        await client.read(account);
        const password = newPassword();
        const body = { email: { address: account.address }, password };
        expect((await changing.put('/users', { password: account.password, body })).status).to.equal(200);
        await refused(client, account, account.password);
        await client.read({ ...account, password });
      }
    });

    it('deleted users are removed from the cache', async () => {
      const { client } = await harness.service(caching);
      const account = await client.create();
      await client.read(account);
      const sent = { query: { email: account.address }, password: account.password };
      await client.delete('/users', sent);
      expect((await client.get('/users', sent)).refusal).to.equal('404 user_not_found');
      await client.create({ address: account.address });
      await refused(client, account, account.password);
    });

    it('a password stays valid under a new address', async () => {
      const { client } = await harness.service(caching);
      const account = await client.create();
      await client.read(account);
      const address = `new-${account.address}`;
      const moved = { query: { email: account.address }, password: account.password, body: { email: { address } } };
      expect((await client.put('/users', moved)).status).to.equal(200);
      await client.read({ ...account, address });
      await client.create({ address: account.address });
      await refused(client, account, account.password);
    });

    it('has no metrics when it is disabled', async () => {
      const { adminUrl } = await harness.service(checking);
      expect((await scraped(adminUrl)).text).not.to.include('latchkey_password_cache');
    });
  });
};
