import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as t from 'io-ts';
import { MemoryUserStore } from '../../../adapters/stores/memory/index.ts';
import { administrated } from './administration.ts';
import { type Account, basic, Client } from './client.ts';
import type { Harness } from './harness.ts';

const Page = t.type({
  users: t.array(t.type({ email: t.type({ address: t.string }) })),
  next: t.union([t.string, t.null]),
});

type Query = Readonly<Record<string, string>>;

/** The addresses of all pages, two users to a page. */
const listed = async (root: Client, query: Query): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const given: Query = { limit: '2', ...query, ...(after !== '' && { after }) };
    const { status, text, json } = await root.get('/admin/users', { query: given });
    expect(status, text).to.equal(200);
    if (!Page.is(json)) throw new Error(`not a page: ${text}`);
    expect(json.users.length).to.be.at.most(2);
    found.push(...json.users.map(({ email }) => email.address));
    after = json.next;
  }
  return found;
};

const sorted = (accounts: readonly Account[]): readonly string[] => accounts.map(({ address }) => address).sort();

const createAll = async (client: Client, users: readonly (readonly [string, object])[]): Promise<Account[]> => {
  const accounts: Account[] = [];
  for (const [address, properties] of users) accounts.push(await client.create({ address, properties }));
  return accounts;
};

const finding = (harness: Harness): void => {
  it('finds users by any part of the address, case-insensitively, with other filters', async () => {
    const { client, root } = await administrated(harness);
    const host = `${randomUUID()}.example.com`;
    const accounts = await createAll(client, [
      [`Jane@${host}`, {}],
      [`mary.jane@${host}`, {}],
      [`john%@${host}`, {}],
      [`ünï_@${host}`, {}],
    ]);
    const find = async (addressContains: string, query: Query = {}) => [
      ...(await listed(root, { addressContains, ...query })),
    ];
    expect((await find(`@${host.toUpperCase()}`)).sort()).to.deep.equal(sorted(accounts));
    expect((await find(`jane@${host}`)).sort()).to.deep.equal(sorted(accounts.slice(0, 2)));
    expect(await find(`JANE@${host}`, { address: 'mary' })).to.deep.equal([`mary.jane@${host}`]);
    expect(await find(`jane@${host}`, { verified: 'true' })).to.deep.equal([]);
    expect(await find(`ÜNÏ_@${host}`)).to.deep.equal([`ünï_@${host}`]);
    for (const part of [`%@${host}`, `_@${host}`]) expect(await find(part)).to.have.lengthOf(1);
    for (const part of ['.*', '(', '\\', '\0', '\u{1f600}', "' OR 1=1 --", '{"$gt":""}'])
      expect(await find(`${part}@${host}`), part).to.deep.equal([]);
  });

  it('finds users by the value of a custom property', async () => {
    const { client, root } = await administrated(harness);
    const address = `${randomUUID()}-`;
    const names = ['text', 'number', 'flag', 'nested', 'odd'] as const;
    const properties = {
      text: { plan: 'paid', n: '42' },
      number: { plan: 'free', n: 42 },
      flag: { plan: true },
      nested: { other: { plan: 'paid' } },
      odd: { 'a.b[c]="d"': 'x\\y "z" % 😀' },
    };
    await createAll(
      client,
      names.map((name) => [`${address}${name}@example.com`, properties[name]]),
    );
    const find = async (property: string, value: string) =>
      (await listed(root, { address, property, value }))
        .map((found) => found.slice(address.length).split('@')[0])
        .sort();
    expect(await find('plan', 'paid')).to.deep.equal(['text']);
    expect(await find('n', '42')).to.deep.equal(['number', 'text']);
    expect(await find('n', '42.0')).to.deep.equal(['number']);
    expect(await find('plan', 'true')).to.deep.equal(['flag']);
    expect(await find('a.b[c]="d"', 'x\\y "z" % 😀')).to.deep.equal(['odd']);
    for (const [property, value] of [
      ['plan', 'PAID'],
      ['plan', '%'],
      ['other', '[object Object]'],
      ['constructor', 'x'],
      ['__proto__', 'x'],
    ] as const)
      expect(await find(property, value), property).to.deep.equal([]);
  });

  it('finds nothing by what is hidden', async () => {
    const { client, root } = await administrated(harness);
    const account = await client.create();
    const { address } = account;
    const token = await client.token(account);
    const hash = String(JSON.parse((await client.read(account)).text).password);
    for (const value of [hash, token]) {
      for (const property of ['password', 'verificationToken', 'email', 'version'])
        expect(await listed(root, { address, property, value })).to.deep.equal([]);
      expect(await listed(root, { addressContains: value.slice(0, 254) })).to.deep.equal([]);
    }
  });

  it('counts what is on the only page', async () => {
    const { client, root } = await administrated(harness);
    const { address } = await client.create();
    for (const [query, total] of [
      [{ address }, 1],
      [{ address: 'nobody-has-this@' }, 0],
    ] as const) {
      const response = await root.get('/admin/users', { query: { ...query, total: 'true', limit: '200' } });
      if (!Page.is(response.json)) throw new Error(`not a page: ${response.text}`);
      // A large table is searched in parts, and not every store counts what is in the others.
      const isCounted = response.json.next === null || !harness.lacks('search');
      expect(response.json).to.include(
        isCounted ? { total, totalIsExact: true } : { total: null, totalIsExact: false },
      );
    }
    const { json } = await root.get('/admin/users', { query: { address } });
    expect(json).to.not.have.any.keys('total', 'totalIsExact');
  });

  it('400: parameters of a search that are malformed, too long or incomplete', async () => {
    const { root } = await administrated(harness);
    const wrong = {
      addressContains: [
        'addressContains=',
        `addressContains=${'a'.repeat(255)}`,
        'addressContains=a&addressContains=b',
      ],
      property: ['property=plan', 'property=&value=a', `property=${'a'.repeat(501)}&value=a`],
      value: [
        'value=a',
        'property=plan&value=',
        `property=plan&value=${'a'.repeat(501)}`,
        'property=a&value=b&value=c',
      ],
      sort: ['sort=', 'sort=address', 'sort=password', 'sort=-', 'sort=creationTime&sort=creationTime'],
      total: ['total=', 'total=1'],
    };
    for (const [name, queries] of Object.entries(wrong))
      for (const query of queries) {
        const response = await root.get('/admin/users', { query });
        expect(response.refusal, query).to.equal('400 invalid_parameter');
        expect(response.paths, query).to.deep.equal([`query.${name}`]);
      }
  });
};

const sorting = (harness: Harness): void => {
  if (harness.lacks('search')) {
    it('501 where the database cannot sort users; it counts none', async () => {
      const { client, root } = await administrated(harness);
      for (let n = 0; n < 2; n++) await client.create();
      expect((await root.get('/admin/users?sort=creationTime')).refusal).to.equal('501 users_not_sorted');
      const { json } = await root.get('/admin/users?total=true&limit=1');
      expect(json).to.include({ total: null, totalIsExact: false });
    });
    return;
  }

  it('sorts users by the time of their creation or last change', async () => {
    const { client, root } = await administrated(harness);
    const address = `${randomUUID()}-`;
    const accounts = await createAll(
      client,
      ['c', 'a', 'b'].map((name) => [`${address}${name}@example.com`, {}]),
    );
    const times = accounts.map(({ user }) => Number(Object(user).creationTime));
    const byCreation = accounts
      .map((account, n) => ({ address: account.address, time: times[n] ?? 0 }))
      .sort((one, other) => one.time - other.time || (one.address < other.address ? -1 : 1))
      .map((entry) => entry.address);
    expect(await listed(root, { address, sort: 'creationTime' })).to.deep.equal(byCreation);
    expect(await listed(root, { address, sort: '-creationTime' })).to.deep.equal(byCreation.toReversed());
    const [first = ''] = byCreation;
    await new Promise((resolve) => setTimeout(resolve, 5));
    await root.send('PATCH', `/admin/users/${encodeURIComponent(first)}`, { body: { plan: 'paid' } });
    expect((await listed(root, { address, sort: '-lastUpdateTime' }))[0]).to.equal(first);
    expect((await listed(root, { address, sort: 'lastUpdateTime' })).at(-1)).to.equal(first);
    expect(await listed(root, { address, sort: 'creationTime', property: 'plan', value: 'paid' })).to.deep.equal([
      first,
    ]);
  });

  it('400: a cursor of another order', async () => {
    const { client, root } = await administrated(harness);
    const address = `${randomUUID()}-`;
    await createAll(
      client,
      ['a', 'b'].map((name) => [`${address}${name}@example.com`, {}]),
    );
    const cursor = async (sort: Query) => {
      const { json } = await root.get('/admin/users', { query: { address, limit: '1', ...sort } });
      return String(Object(json).next);
    };
    const usual = await cursor({});
    const byCreation = await cursor({ sort: 'creationTime' });
    const places = [
      '',
      ' ',
      ' x',
      ' 1',
      ' 1 ',
      ' 1abc a@b',
      ' 9e999 a@b',
      ' 1.5 a@b',
      ' -1 a@b',
      ' 9007199254740992 a@b',
    ];
    const forged = places.map((place) => Buffer.from(`creationTime${place}`).toString('base64url'));
    for (const query of [
      { after: byCreation },
      { after: byCreation, sort: '-creationTime' },
      { after: byCreation, sort: 'lastUpdateTime' },
      ...[usual, ...forged].map((after) => ({ after, sort: 'creationTime' })),
    ]) {
      const response = await root.get('/admin/users', { query });
      expect(response.refusal, JSON.stringify(query)).to.equal('400 invalid_parameter');
      expect(response.paths).to.deep.equal(['query.after']);
    }
    // With other filters, a list continues after the same place.
    const query = { after: byCreation, sort: 'creationTime', addressContains: `${address}b` };
    expect((await root.get('/admin/users', { query })).status).to.equal(200);
  });

  it('counts all users who match, also those of other pages', async () => {
    const { client, root } = await administrated(harness);
    const address = `${randomUUID()}-`;
    const accounts = await createAll(
      client,
      ['a', 'b', 'c'].map((name) => [`${address}${name}@example.com`, { plan: 'paid' }]),
    );
    // A settled read reserves the address of an unknown user.
    const unknown = { query: { email: `${address}unknown@example.com` }, password: 'of nobody' };
    await client.get('/users', { ...unknown, headers: { Prefer: 'settled' } });
    const [account] = accounts;
    if (account === undefined) throw new Error('no user was created');
    await client.get('/verify', { query: { email: account.address, token: await client.token(account) } });
    const totalOf = async (query: Query) => {
      const { json } = await root.get('/admin/users', { query: { address, limit: '1', total: 'true', ...query } });
      const { total, totalIsExact } = Object(json);
      return [total, totalIsExact];
    };
    expect(await totalOf({})).to.deep.equal([3, true]);
    expect(await totalOf({ sort: '-creationTime' })).to.deep.equal([3, true]);
    expect(await totalOf({ verified: 'false' })).to.deep.equal([2, true]);
    expect(await totalOf({ addressContains: `${address}b` })).to.deep.equal([1, true]);
    expect(await totalOf({ property: 'plan', value: 'paid' })).to.deep.equal([null, false]);
  });

  it('501 where the store cannot sort users', async function () {
    if (!harness.takesStores) return this.skip();
    const { users, listing } = new MemoryUserStore().ports;
    if (listing === undefined) throw new Error('the store lists users');
    const { adminUrl } = await harness.serviceOn({ users, listing }, { admin: { keys: [key] } });
    const root = new Client(adminUrl, basic(key.application, key.secret), harness.leakDetector);
    expect((await root.get('/admin/users?sort=creationTime')).refusal).to.equal('501 users_not_sorted');
    expect((await root.get('/admin/users')).status).to.equal(200);
  });
};

const key = { application: 'root', secret: 'a secret of an administrator: 51d2c4' };

/** Users whom administrators search, sort and count. */
export const searchedUsers = (harness: Harness): void => {
  describe('the search for users', () => {
    if (harness.lacks('listing')) return;
    finding(harness);
    sorting(harness);
  });
};
