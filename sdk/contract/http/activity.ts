import { expect } from 'chai';
import { administrated, pathOf } from './administration.ts';
import { type Account, type Client, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';
import { scraped } from './metrics.ts';

const caching = { algorithm: 'sha256', serverSideHash: true, cache: { entries: 100, ttl: '1h' } };

const ofUser = ({ address, password }: Account): Sent => ({ query: { email: address }, password });

/** When the password of a user was last right, as administrators see it; null if it never was. */
const lastCheck = async (root: Client, { address }: Pick<Account, 'address'>): Promise<number | null> => {
  const { status, text, json } = await root.get(`${pathOf(address)}/attempts`);
  expect(status, text).to.equal(200);
  return Object(json).lastCheckTime;
};

/** Waits until a password is noted as right after a time, because that happens after the response. */
export const notedCheck = async (root: Client, account: Pick<Account, 'address'>, after = 0): Promise<number> => {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const time = await lastCheck(root, account);
    if (time !== null && time > after) return time;
    if (performance.now() > deadline) throw new Error('it was not noted that the password was right');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** How many users a service has changed in the store. */
const writes = async (adminUrl: string): Promise<number> =>
  (await scraped(adminUrl)).at('latchkey_store_call_duration_seconds_count{operation="replace"}');

/** Every way in which a password is checked. */
const checks: Readonly<Record<string, (client: Client, account: Account) => Promise<{ readonly status: number }>>> = {
  'GET /users': (client, account) => client.read(account),
  'POST /users/check': (client, { address, password }) =>
    client.post('/users/check', { body: { email: { address }, password } }),
  'PUT /users with another password': (client, account) =>
    client.put('/users', {
      ...ofUser(account),
      body: { email: { address: account.address }, password: newPassword(), plan: 'pro' },
    }),
  'PATCH /users': (client, account) => client.send('PATCH', '/users', { ...ofUser(account), body: { plan: 'pro' } }),
  'POST /verify': (client, account) => client.post('/verify', ofUser(account)),
  'POST /verify/reset': (client, account) => client.post('/verify/reset', ofUser(account)),
};

const recording = (harness: Harness): void => {
  for (const [way, check] of Object.entries(checks))
    it(`is noted after ${way}`, async () => {
      const { client, root } = await administrated(harness, { activity: {}, passwordHash: caching });
      const account = await client.create();
      expect(await lastCheck(root, account)).to.equal(null);
      const before = Date.now();
      expect((await check(client, account)).status).to.be.within(200, 204);
      expect(await notedCheck(root, account)).to.be.within(before, Date.now());
    });

  it('is not noted after a wrong password', async () => {
    const { client, root } = await administrated(harness, { activity: {} });
    const [account, other] = [await client.create(), await client.create()];
    const wrong = await client.get('/users', { ...ofUser(account), password: other.password });
    expect(wrong.refusal).to.equal('401 wrong_password');
    await client.read(other);
    await notedCheck(root, other);
    expect(await lastCheck(root, account)).to.equal(null);
  });

  it('is written once for many checks in the precision, by all instances together, also where passwords are cached', async () => {
    const blocks = { activity: { precision: '1h' }, passwordHash: caching };
    const one = await administrated(harness, blocks);
    const other = await administrated(harness, { ...blocks, openApi: { enabled: false } });
    const { client, root } = one;
    const before = (await writes(one.adminUrl)) + (await writes(other.adminUrl));
    const account = await client.create();
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).client.read(account)));
    const noted = await notedCheck(root, account);
    for (let n = 0; n < 10; n++) for (const service of [one, other]) await service.client.read(account);
    // Until whatever these have scheduled is done.
    for (const service of [one, other])
      for (let n = 0; n < 8; n++) {
        const last = await service.client.create();
        await service.client.read(last);
        await notedCheck(root, last);
      }
    expect(await lastCheck(root, account)).to.equal(noted);
    // Both instances may try at once; the store refuses one of them.
    const ofOthers = 16;
    expect((await writes(one.adminUrl)) + (await writes(other.adminUrl)) - before - ofOthers).to.be.within(1, 2);
  });

  it('is written again after the precision, also where the password is cached', async () => {
    const { client, root } = await administrated(harness, { activity: { precision: '1ms' }, passwordHash: caching });
    const account = await client.create();
    await client.read(account);
    const first = await notedCheck(root, account);
    await client.read(account);
    await notedCheck(root, account, first);
  });

  it('changes neither ETag nor lastUpdateTime, and no write of the user fails or is lost because of it', async () => {
    const { client, root } = await administrated(harness, { activity: { precision: '1ms' } });
    const account = await client.create();
    let etag = (await client.read(account)).headers.get('etag') ?? '';
    await notedCheck(root, account);
    for (let n = 0; n < 20; n++) {
      // Its check is noted while the change is made.
      const sent = { ...ofUser(account), body: { [`n${n}`]: n }, headers: { 'If-Match': etag } };
      const changed = await client.send('PATCH', '/users', sent);
      expect(changed.status, changed.text).to.equal(200);
      const read = await client.read(account);
      expect(read.text).to.equal(changed.text);
      expect(read.headers.get('etag')).to.equal(changed.headers.get('etag'));
      etag = changed.headers.get('etag') ?? '';
    }
    const { properties } = await client.read(account);
    expect(Object.keys(properties)).to.include.members(Array.from({ length: 20 }, (_, n) => `n${n}`));
  });

  it('is shown in no response without the block', async () => {
    const { root } = await administrated(harness);
    const { client, ...recorded } = await administrated(harness, { activity: {} });
    const account = await client.create();
    const read = await client.read(account);
    await notedCheck(recorded.root, account);
    expect((await client.read(account)).text).to.equal(read.text);
    for (const path of [pathOf(account.address), `${pathOf(account.address)}/attempts`])
      expect((await root.get(path)).text).to.not.include('lastCheckTime');
    expect((await recorded.root.get(pathOf(account.address))).text).to.not.include('lastCheckTime');
    expect((await root.get('/admin/openapi.json')).text).to.not.include('inactiveSince');
  });
};

const filter = (harness: Harness): void => {
  if (harness.lacks('listing')) return;

  const opened = async (activity: object) => {
    const service = await administrated(harness, { activity });
    const [never, checked] = [await service.client.create(), await service.client.create()];
    await service.client.read(checked);
    const noted = await notedCheck(service.root, checked);
    const isListed = async (address: string, inactiveSince: string, after = ''): Promise<boolean> => {
      const query = { inactiveSince, address, ...(after !== '' && { after }) };
      const { status, text, json } = await service.root.get('/admin/users', { query });
      expect(status, text).to.equal(200);
      const { users, next } = Object(json);
      const own = users.find(({ email }: Account['user']) => email.address === address);
      if (own === undefined) return next !== null && isListed(address, inactiveSince, next);
      expect(own.email.lastCheckTime).to.equal(address === checked.address ? noted : undefined);
      return true;
    };
    // One by one, because other tests leave thousands of users.
    const listed = async (inactiveSince: number | string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const { address } of [never, checked])
        if (await isListed(address, String(inactiveSince))) found.push(address);
      return found.sort();
    };
    return { ...service, never, checked, noted, listed };
  };

  it('lists users by when their password was last right, and the others by their creation', async () => {
    const { never, checked, noted, listed } = await opened({});
    const all = [never.address, checked.address].sort();
    expect(await listed(noted + 1)).to.deep.equal(all);
    expect(await listed(noted)).to.deep.equal([never.address]);
    expect(await listed(Number(never.user.creationTime) + 1)).to.include(never.address);
    expect(await listed(Number(never.user.creationTime))).to.deep.equal([]);
    for (const duration of ['36h', '90d', '2y']) expect(await listed(duration), duration).to.deep.equal([]);
  });

  it('counts no user as inactive from before activity.since', async () => {
    const { never, checked, noted, listed } = await opened({ since: '2020-01-01' });
    expect(await listed(noted + 1)).to.deep.equal([never.address, checked.address].sort());
    const later = await opened({ since: '2200-01-01' });
    expect(await later.listed(later.noted + 1)).to.deep.equal([]);
  });

  it('counts passwords that were set later', async () => {
    const { root, never, checked, listed } = await opened({});
    const set = await root.put(`${pathOf(never.address)}/password`, { body: { password: newPassword() } });
    expect(set.status, set.text).to.be.within(200, 204);
    const { passwordTime } = Object((await root.get(`${pathOf(never.address)}/export`)).json).email;
    expect(await listed(passwordTime)).to.not.include(never.address);
    expect(await listed(Math.max(passwordTime, Date.now()) + 1)).to.deep.equal([never.address, checked.address].sort());
  });

  it('400: a time that is none', async () => {
    const { root } = await administrated(harness, { activity: {} });
    for (const wrong of ['', 'never', '-1', '1.5', '2 weeks', '1e3', '99999999999999999999', '2y&inactiveSince=2y']) {
      const response = await root.get('/admin/users', { query: `inactiveSince=${wrong}` });
      expect(response.refusal, wrong).to.equal('400 invalid_parameter');
      expect(response.paths).to.deep.equal(['query.inactiveSince']);
    }
  });

  it('400: without the block, so that no list has active users instead', async () => {
    const { root } = await administrated(harness);
    const response = await root.get('/admin/users', { query: { inactiveSince: '90d' } });
    expect([response.refusal, response.paths]).to.deep.equal(['400 invalid_parameter', ['query.inactiveSince']]);
  });

  it('is in the list of the pages, and finds users there', async () => {
    const { root, client, checked } = await opened({});
    const headers = { Authorization: root.credentials };
    const page = async (query: string) => (await fetch(`${root.url}/admin?${query}`, { headers })).text();
    expect(await page(`address=${checked.address.slice(0, -1)}`)).to.match(/Last sign-in.*<td><time/s);
    const found = await page(`address=${checked.address.slice(0, -1)}&inactiveSince=30d`);
    // A slow database searches only a part of the users for a page.
    expect(found).to.match(/<h2>No (user matches|match on this page)</);
    expect(found).to.include('<option value="30d" selected>');
    const user = await page('').then(() => fetch(`${root.url}/admin/user?address=${checked.address}`, { headers }));
    expect(await user.text()).to.include('<dt>Last sign-in</dt><dd><time');
    await client.read(checked);
  });
};

/** The block `activity`. */
export const activity = (harness: Harness): void => {
  describe('when a password was last right', () => recording(harness));
  describe('GET /admin/users?inactiveSince', () => filter(harness));
};
