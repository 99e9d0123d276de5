import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import { basic, Client, newAddress, newPassword, type Sent } from './client.ts';
import type { Blocks, Harness } from './harness.ts';

const secret = 'a secret of the jobs: 40c27d81';
const may = ['read', 'update', 'delete', 'verify', 'check'];

const keys = [
  { application: 'everything', secret },
  { application: 'shop', secret, may: [...may, 'create'] },
  { application: 'webhook', secret, may: [...may, 'without-password'] },
];

const blocks: Blocks = {
  auth: { type: 'basic', keys },
  passwordHash: { algorithm: 'sha256', serverSideHash: true },
};

/** A service, its administrator, and a client for each key. */
const open = async (harness: Harness, others: Blocks = {}) => {
  const { url, root } = await administrated(harness, { ...blocks, ...others });
  const clientOf = (application: string) => new Client(url, basic(application, secret), harness.leakDetector);
  return { root, everything: clientOf('everything'), shop: clientOf('shop'), webhook: clientOf('webhook') };
};

/** Every request that names a password in a header. */
const requests: readonly (readonly [method: string, path: string, sent?: (address: string) => Omit<Sent, 'query'>])[] =
  [
    ['GET', '/users'],
    ['GET', '/users', () => ({ headers: { Prefer: 'settled' } })],
    ['PATCH', '/users', () => ({ body: { plan: 'paid' } })],
    ['PUT', '/users', (address) => ({ body: { email: { address }, password: newPassword() } })],
    ['POST', '/verify'],
    ['POST', '/verify/reset'],
    ['DELETE', '/users'],
  ];

const missing = { code: 'invalid_parameter', errors: [{ path: 'header.password', message: 'is required' }] };

/** What clients do that have the permission to leave the password of a user out (docs/configuration.md, `auth.keys`). */
export const withoutPasswords = (harness: Harness): void => {
  describe('a client with the permission without-password', () => {
    for (const [method, path, sent = (): Sent => ({})] of requests)
      it(`needs no password, which others do: ${method} ${path} ${JSON.stringify(sent('').headers ?? '')}`, async () => {
        const { everything, shop, webhook } = await open(harness);
        const { address, password } = await shop.create();
        const request: Sent = { query: { email: address }, ...sent(address) };
        for (const client of [everything, shop])
          expect((await client.send(method, path, request)).problem).to.deep.include(missing);
        const wrong = await webhook.send(method, path, { ...request, password: newPassword() });
        expect(wrong.refusal).to.equal('401 wrong_password');
        const empty = await webhook.send(method, path, { ...request, password: '' });
        expect(empty.refusal).to.equal('400 invalid_parameter');
        const unchanged = await shop.get('/users', { query: { email: address }, password });
        expect(unchanged.status).to.equal(200);
        const { status, user, headers } = await webhook.send(method, path, request);
        expect([status, user.email.address]).to.deep.equal([200, address]);
        expect(headers.get('preference-applied')).to.equal(request.headers === undefined ? null : 'settled');
        const unknown = await webhook.send(method, path, { ...request, query: { email: newAddress() } });
        expect(unknown.refusal).to.equal('404 user_not_found');
      });

    it('sets a new password', async () => {
      const { shop, webhook } = await open(harness);
      const { address, password } = await shop.create();
      const next = newPassword();
      await webhook.send('PATCH', '/users', { query: { email: address }, body: { password: next } });
      expect((await shop.read({ address, password: next })).user.email.address).to.equal(address);
      const former = await shop.get('/users', { query: { email: address }, password });
      expect(former.refusal).to.equal('401 wrong_password');
    });

    it('is refused a user who is disabled or has to change the password, unless it changes it', async () => {
      const { root, shop, webhook } = await open(harness);
      const { address } = await shop.create();
      const query = { email: address };
      await root.post(`${pathOf(address)}/disable`, { body: { reason: 'fraud' } });
      expect((await webhook.get('/users', { query })).refusal).to.equal('403 user_disabled');
      await root.post(`${pathOf(address)}/enable`);
      await root.post(`${pathOf(address)}/require-password-change`);
      expect((await webhook.get('/users', { query })).refusal).to.equal('403 password_change_required');
      const body = { password: newPassword() };
      expect((await webhook.send('PATCH', '/users', { query, body })).status).to.equal(200);
      expect((await webhook.get('/users', { query })).status).to.equal(200);
    });

    it('learns of unknown users where others do not', async () => {
      const { shop, webhook } = await open(harness, { privacy: { hideUnknownUsers: true } });
      const query = { email: newAddress() };
      expect((await webhook.get('/users', { query })).refusal).to.equal('404 user_not_found');
      for (const client of [shop, webhook])
        expect((await client.get('/users', { query, password: 'any' })).refusal).to.equal('401 wrong_password');
    });

    it('still has a password checked', async () => {
      const { shop, webhook } = await open(harness);
      const { address, password } = await shop.create();
      const check = (given: string) => webhook.post('/users/check', { body: { email: { address }, password: given } });
      expect((await check(newPassword())).refusal).to.equal('401 wrong_password');
      expect((await check(password)).status).to.equal(204);
    });

    it('gets the same as every client where no password is checked', async () => {
      const { shop, webhook } = await open(harness, { passwordHash: { headerCheck: false } });
      const { address } = await shop.create();
      for (const email of [address, newAddress()]) {
        const read = (client: Client, password?: string) => client.get('/users', { query: { email }, password });
        const answers = [read(shop), read(webhook), read(shop, 'wrong'), read(webhook, 'wrong')];
        const texts = (await Promise.all(answers)).map(
          ({ status, text }) => `${status} ${text.replace(/"requestId":"[^"]*"/, '')}`,
        );
        expect(new Set(texts).size).to.equal(1);
      }
    });
  });
};
