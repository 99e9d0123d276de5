import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as t from 'io-ts';
import { MemoryUserStore } from '../../../adapters/stores/memory/index.ts';
import { Fault } from '../../../application/fault.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import type { ApiResponse } from './api-response.ts';
import { type Account, basic, Client } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';

const secretOfAdmin = 'a secret of an administrator: 77d1f0';
const admin = { keys: [{ application: 'root', secret: secretOfAdmin }] };

const Page = t.type({
  users: t.array(t.type({ email: t.type({ address: t.string, verified: t.boolean }) })),
  next: t.union([t.string, t.null]),
});

/** A service with an administrator and further blocks, and a client with the administrator's key. */
export const administrated = async (
  harness: Harness,
  blocks: Blocks = {},
): Promise<TestService & { readonly root: Client }> => {
  const service = await harness.service({ ...blocks, admin: { ...admin, ...Object(blocks.admin) } });
  return { ...service, root: new Client(service.adminUrl, basic('root', secretOfAdmin), harness.leakDetector) };
};

export const pathOf = (address: string): string => `/admin/users/${encodeURIComponent(address)}`;

const pageOf = ({ status, text, json }: ApiResponse): t.TypeOf<typeof Page> => {
  expect(status, text).to.equal(200);
  if (!Page.is(json)) throw new Error(`not a page: ${text}`);
  return json;
};

const access = (harness: Harness): void => {
  it('404 without admin.keys, like any unknown path', async () => {
    const service = await harness.service();
    const root = new Client(service.adminUrl, basic('root', secretOfAdmin), harness.leakDetector);
    for (const path of ['/admin', '/admin/users', pathOf('jane@example.com')])
      expect((await root.get(path)).refusal).to.equal('404 route_not_found');
  });

  it('404 on the public port', async () => {
    const { client } = await administrated(harness);
    expect((await client.get('/admin/users')).refusal).to.equal('404 route_not_found');
  });

  it('401 with a separate realm: without a key, with an unknown one, and with that of a client; refused keys are logged', async () => {
    const { client, root, log } = await administrated(harness);
    const { address } = await client.create();
    // Each wrong key delays its response, and counts for its address in all tests that share the service.
    const calls = [
      ['GET', '/admin/users', null],
      ['GET', pathOf(address), null],
      ['DELETE', pathOf(address), basic('root', 'guessed')],
      ['POST', `${pathOf(address)}/reset`, client.credentials],
    ] as const;
    const responses = calls.map(([method, path, authorization]) => root.send(method, path, { authorization }));
    for (const response of await Promise.all(responses)) {
      expect(response.refusal).to.equal('401 client_unauthorized');
      expect(response.headers.get('www-authenticate')).to.equal('Basic realm="latchkey admin", charset="UTF-8"');
    }
    expect((await root.get(pathOf(address))).status).to.equal(200);
    const refused = (await log()).filter((line) => line.startsWith('a login of an administrator was refused'));
    expect(refused).to.have.lengthOf(2);
    for (const line of refused) expect(line).to.include('address:').and.not.include(address);
  });

  it('403 for requests that a browser sends from another site, and nothing is changed', async () => {
    const { client, root } = await administrated(harness);
    const { address } = await client.create();
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example.com' },
      { Origin: 'null' },
    ]) {
      expect((await root.delete(pathOf(address), { headers })).refusal).to.equal('403 cross_site');
      expect((await root.post(`${pathOf(address)}/reset`, { headers })).refusal).to.equal('403 cross_site');
    }
    expect((await root.get(pathOf(address))).status).to.equal(200);
    const own = { Origin: root.url, 'Sec-Fetch-Site': 'same-origin' };
    expect((await root.delete(pathOf(address), { headers: own })).status).to.equal(200);
  });

  it('405 and 404 as on the public port', async () => {
    const { root } = await administrated(harness);
    const response = await root.put('/admin/users');
    expect(response.refusal).to.equal('405 method_not_allowed');
    expect(response.headers.get('allow')).to.equal('HEAD, GET, OPTIONS');
    expect((await root.get('/admin/nowhere')).refusal).to.equal('404 route_not_found');
  });
};

const secrecy = (harness: Harness): void => {
  it('shows administrators no hash, and no token with which a route would return it or change the user', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const { address } = account;
    const token = await client.token(account);
    const hash = String(JSON.parse((await client.read(account)).text).password);
    const query = { address };
    const actions = ['disable', 'enable', 'require-password-change', 'withdraw-password-change'];
    const calls: readonly (readonly [string, string, object])[] = [
      ...(harness.lacks('listing') ? [] : ['/admin/users', '/admin'].map((path) => ['GET', path, { query }] as const)),
      ['GET', pathOf(address), {}],
      ...['user', 'reset', 'delete', 'properties', 'set-password', ...actions].map(
        (page) => ['GET', `/admin/${page}`, { query }] as const,
      ),
      ...actions.map((action) => ['POST', `${pathOf(address)}/${action}`, { body: { reason: 'a test' } }] as const),
      ['PATCH', pathOf(address), { body: { plan: 'paid' } }],
      ['DELETE', pathOf(address), {}],
    ];
    for (const [method, path, options] of calls) {
      const { status, text } = await root.send(method, path, options);
      expect(text, `${method} ${path}: ${status}`).to.not.include(token);
      expect(text, `${method} ${path}: ${status}`).to.not.include(hash);
    }
    expect((await root.get(pathOf(address))).status).to.equal(404);
  });
};

const listing = (harness: Harness): void => {
  if (harness.lacks('listing')) {
    it('reports that the database cannot list users', async () => {
      const { root } = await administrated(harness);
      expect((await root.get('/admin/users')).refusal).to.equal('501 users_not_listed');
    });
    return;
  }

  it('lists every user once, page by page, without passwords', async () => {
    const { client, root } = await administrated(harness);
    const prefix = `listed-${randomUUID()}-`;
    const addresses = Array.from({ length: 7 }, (_, n) => `${prefix}${n}@example.com`);
    const accounts = [];
    for (const address of addresses) accounts.push(await client.create({ address, properties: { of: 'the list' } }));
    // A settled read reserves the address of an unknown user.
    const unknown = { query: { email: `${prefix}unknown@example.com` }, password: 'of nobody' };
    await client.get('/users', { ...unknown, headers: { Prefer: 'settled' } });
    const found: string[] = [];
    let query: Record<string, string> = { limit: '3', address: prefix };
    for (let next: string | null = ''; next !== null; ) {
      const response = await root.get('/admin/users', { query });
      const { users, next: following } = pageOf(response);
      expect(users.length).to.be.at.most(3);
      expect(response.text).not.to.include('password');
      for (const { password } of accounts) expect(response.text).not.to.include(password);
      for (const user of users) expect(user).to.include({ of: 'the list' }).and.to.have.property('creationTime');
      found.push(...users.map(({ email }) => email.address));
      next = following;
      query = { ...query, after: next ?? '' };
    }
    expect(found.sort()).to.deep.equal(addresses);
    // The record of reserved addresses.
    expect(pageOf(await root.get('/admin/users', { query: { address: 'reservations-' } })).users).to.deep.equal([]);
  });

  it('filters by the start of the address, case-insensitively, and by verification', async () => {
    const { client, root } = await administrated(harness);
    const prefix = `Filtered-${randomUUID()}-`;
    const [one, other] = [
      await client.create({ address: `${prefix}1@example.com` }),
      await client.create({ address: `${prefix}2@example.com` }),
    ];
    await client.get('/verify', { query: { email: one.address, token: await client.token(one) } });
    const listed = async (query: Record<string, string>, after = ''): Promise<readonly string[]> => {
      const given = { address: prefix.toUpperCase(), ...query, ...(after !== '' && { after }) };
      const { users, next } = pageOf(await root.get('/admin/users', { query: given }));
      const addresses = users.map(({ email }) => email.address);
      // A page of a large table may have fewer users than match.
      return next === null ? addresses : [...addresses, ...(await listed(query, next))];
    };
    expect([...(await listed({}))].sort()).to.deep.equal([one.address, other.address]);
    expect(await listed({ verified: 'true' })).to.deep.equal([one.address]);
    expect(await listed({ verified: 'false' })).to.deep.equal([other.address]);
    expect(await listed({ address: `${prefix}2` })).to.deep.equal([other.address]);
  });

  it('400: parameters that are malformed, repeated or empty, and invalid cursors', async () => {
    const { root } = await administrated(harness);
    const wrong = {
      limit: ['limit=0', 'limit=201', 'limit=1.5', 'limit=', 'limit=-1', 'limit=1&limit=1', 'limit=9007199254740993'],
      verified: ['verified=yes', 'verified='],
      address: ['address=', `address=${'a'.repeat(255)}`],
      after: ['after=', 'after=!', 'after=a', 'after=_w', 'after=YR', `after=${'YWFh'.repeat(500)}`],
    };
    for (const [name, queries] of Object.entries(wrong))
      for (const query of queries) {
        const response = await root.get('/admin/users', { query });
        expect(response.refusal, query).to.equal('400 invalid_parameter');
        expect(response.paths).to.deep.equal([`query.${name}`]);
      }
  });

  it('501 where the store cannot list users; everything else works', async function () {
    if (!harness.takesStores) return this.skip();
    const { users } = new MemoryUserStore().ports;
    const { client, adminUrl } = await harness.serviceOn({ users }, { admin });
    const root = new Client(adminUrl, basic('root', secretOfAdmin), harness.leakDetector);
    const { address } = await client.create();
    expect((await root.get('/admin/users')).refusal).to.equal('501 users_not_listed');
    expect((await root.get(pathOf(address))).status).to.equal(200);
    expect((await root.delete(pathOf(address))).status).to.equal(200);
  });
};

/** A user as administrators see it: without its hash and its token. */
export const administered = ({
  password: _,
  email: { verificationToken: __, ...email },
  ...others
}: Account['user']) => ({
  email,
  ...others,
});

const users = (harness: Harness): void => {
  it('reads a user by an address in any case, without its password', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create({ properties: { f: 1.5, nested: { list: [null, true] } } });
    const response = await root.get(pathOf(account.address.toUpperCase()));
    expect(response.json).to.deep.equal(administered(account.user));
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('content-type')).to.equal('application/json');
  });

  it('accepts every valid address in a path', async () => {
    const { client, root } = await administrated(harness);
    for (const address of ["o'hara/?#&+@example.com", 'ünï@xn--bcher-kva.example', 'a/reset@example.com']) {
      await client.create({ address });
      expect((await root.get(pathOf(address))).json, address).to.have.nested.property('email.address', address);
      expect((await root.delete(pathOf(address))).status).to.equal(200);
    }
  });

  it('deletes a user without its password, and returns it', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create({ properties: { a: 1 } });
    expect((await root.delete(pathOf(account.address))).json).to.deep.equal(administered(account.user));
    const gone = await client.get('/users', { query: { email: account.address }, password: account.password });
    expect(gone.refusal).to.equal('404 user_not_found');
    expect((await root.delete(pathOf(account.address))).refusal).to.equal('404 user_not_found');
  });

  it('resets a user without its password', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    await client.get('/verify', { query: { email: account.address, token: await client.token(account) } });
    expect((await client.read(account)).user.email.verified).to.equal(true);
    const response = await root.post(`${pathOf(account.address)}/reset`);
    expect(response.status).to.equal(200);
    const { email } = (await client.read(account)).user;
    expect(email).to.deep.equal({ address: account.address, verified: false, verificationToken: null });
    expect(response.json).to.have.deep.property('email', { address: account.address, verified: false });
  });

  it('404: no user has the address; 400: it is invalid', async () => {
    const { root } = await administrated(harness);
    const calls = [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/reset'],
    ] as const;
    for (const [method, end] of calls) {
      expect((await root.send(method, `${pathOf('nobody@example.com')}${end}`)).refusal).to.equal('404 user_not_found');
      for (const address of ['nobody', '%', '%ff@example.com', '%00@example.com']) {
        const response = await root.send(method, `/admin/users/${address}${end}`);
        expect(response.refusal, address).to.equal('400 invalid_parameter');
        expect(response.paths).to.deep.equal(['path.address']);
      }
    }
  });

  it('keeps addresses out of the log, also for failures', async () => {
    const { root, log } = await administrated(harness);
    const address = `${randomUUID()}@example.com`;
    await root.get(pathOf(address), { headers: { 'X-Request-Id': 'of-the-administrator' } });
    const lines = (await log()).filter((line) => line.includes('of-the-administrator'));
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include("route: '/admin/users/:address'").and.not.include(address.slice(0, 36));
  });

  for (const [code, refusal] of [
    ['store_unavailable', '503 store_unavailable'],
    ['store_rejected', '500 store_rejected'],
  ] as const)
    it(`${refusal}: with a fixed text, and a log line`, async function () {
      if (!harness.takesStores) return this.skip();
      const store = new InMemoryUserStore();
      const { adminUrl, log } = await harness.serviceOn(store.ports, { admin });
      const root = new Client(adminUrl, basic('root', secretOfAdmin), harness.leakDetector);
      store.fault = new Fault(code, 'the store refused');
      for (const [method, path] of [
        ['GET', '/admin/users'],
        ['GET', pathOf('jane@example.com')],
        ['DELETE', pathOf('jane@example.com')],
      ] as const)
        expect((await root.send(method, path)).refusal).to.equal(refusal);
      const lines = (await log()).filter((line) => line.startsWith('the store refused'));
      expect(lines).to.have.lengthOf(3);
      for (const line of lines) expect(line).not.to.include('jane');
    });
};

const pages = (harness: Harness): void => {
  it('shows users on a page, and logs the request', async () => {
    const { client, root, log } = await administrated(harness);
    const { address } = await client.create();
    const response = await root.get('/admin/user', { query: { address }, headers: { 'X-Request-Id': 'of-the-page' } });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.text).to.include(`<h1>${address}</h1>`);
    const lines = (await log()).filter((line) => line.includes('of-the-page'));
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include("route: '/admin/user'").and.not.include(address);
  });

  for (const [code, status, words] of [
    ['store_unavailable', 503, 'Database unavailable'],
    ['store_rejected', 500, 'Database error'],
  ] as const)
    it(`${status} on a page: ${words}`, async function () {
      if (!harness.takesStores) return this.skip();
      const store = new InMemoryUserStore();
      const { adminUrl } = await harness.serviceOn(store.ports, { admin });
      const root = new Client(adminUrl, basic('root', secretOfAdmin), harness.leakDetector);
      store.fault = new Fault(code, 'the store refused');
      for (const path of ['/admin', '/admin/user?address=jane@example.com', '/admin/delete?address=jane@example.com']) {
        const response = await root.get(path);
        expect(response.status).to.equal(status);
        expect(response.text).to.include(words).and.not.include('the store refused');
      }
      const index = await root.get('/', { headers: { Accept: 'text/html' } });
      expect(index.status).to.equal(200);
      expect(index.text).to.include('not known: the database does not answer').and.include('Signed in as');
    });
};

/** The administration on the admin port. */
export const administration = (harness: Harness): void => {
  describe('the administration', () => {
    access(harness);
    secrecy(harness);
    listing(harness);
    users(harness);
    pages(harness);
  });
};
