import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { startLatchkey, type TestLatchkey } from '../../../../../../sdk/testing/index.ts';

const basic = (user: string, secret: string): string => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
const root = basic('root', 'of an administrator');
const other = basic('other', 'of another administrator');

describe('the pages of the administration', () => {
  let service: TestLatchkey;
  before(async () => {
    const keys = [
      { application: 'root', secret: 'of an administrator' },
      { application: 'other', secret: 'of another administrator' },
    ];
    service = await startLatchkey({ admin: { keys } });
  });
  after(() => service.stop());

  let count = 0;
  const created = async (properties: object = {}, address = `person-${++count}@example.com`): Promise<string> => {
    const { application = '', secret = '' } = service.credentials ?? {};
    const headers = { Authorization: basic(application, secret), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ email: { address }, password: 'correct horse', ...properties });
    expect((await fetch(`${service.url}/users`, { method: 'POST', headers, body })).status).to.equal(201);
    return address;
  };

  const open = async (path: string, options: RequestInit & { key?: string | null } = {}) => {
    const { key = root, headers, ...others } = options;
    const response = await fetch(`${service.adminUrl}${path}`, {
      redirect: 'manual',
      ...others,
      headers: { ...(key === null ? {} : { Authorization: key }), ...Object(headers) },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  const about = (page: string, address: string): string => `/admin/${page}?address=${encodeURIComponent(address)}`;
  const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const entityTagIn = (page: string): string => /name="entityTag" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const submit = (action: string, fields: Record<string, string>, options: { key?: string; headers?: object } = {}) =>
    open(`/admin/${action}`, { method: 'POST', body: new URLSearchParams(fields), ...Object(options) });
  const isThere = async (address: string): Promise<boolean> => (await open(about('user', address))).status === 200;

  it('show nothing without a key', async () => {
    const address = await created();
    const paths = ['/admin', about('user', address), about('delete', address), about('reset', address)];
    const keys = [null, basic('root', 'guessed')];
    // Concurrently, because each wrong key is answered late.
    const answers = await Promise.all(paths.flatMap((path) => keys.map((key) => open(path, { key }))));
    for (const { status, headers, text } of answers) {
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal('Basic realm="latchkey admin", charset="UTF-8"');
      expect(text).not.to.include(address);
    }
  });

  it('run no scripts, load nothing external and are not cached', async () => {
    const address = await created();
    for (const path of ['/admin', about('user', address), about('delete', address), about('user', 'nobody')]) {
      const { headers, text } = await open(path);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      );
      expect(text).not.to.match(/<script|javascript:|correct horse/);
    }
  });

  it('list users with a search, page by page', async () => {
    for (let n = 0; n < 60; n++) await created({}, `many-${n}@example.com`);
    const first = await open('/admin?address=MANY-&verified=');
    expect(first.text.match(/<td><a href="[^"]+">many-/g)).to.have.lengthOf(50);
    const next = /href="([^"]+)">Next page/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await open(next);
    expect(second.text.match(/<td><a href="[^"]+">many-/g)).to.have.lengthOf(10);
    expect(second.text).to.include('First page').and.not.include('Next page');
    expect((await open('/admin?address=many-&verified=true')).text).to.include('<h2>No user matches</h2>');
    expect((await open('/admin?after=broken!')).status).to.equal(400);
  });

  it('redirect a search for a complete address to its user', async () => {
    const address = await created();
    const { status, headers } = await open(`/admin?address=${address.toUpperCase()}`);
    expect(status).to.equal(303);
    expect(headers.get('location')).to.equal(about('user', address.toUpperCase()));
  });

  it('show a user with its custom properties', async () => {
    const address = await created({ name: '<b>Jane</b> & "co"', nested: { list: [1, null] } }, "o'hara&co@example.com");
    const { text } = await open(about('user', address));
    expect(text).to.include('<h1>o&#39;hara&amp;co@example.com</h1>').and.include('Email not verified');
    expect(text).to.include('&lt;b&gt;Jane&lt;/b&gt; &amp; \\&quot;co\\&quot;').and.not.include('<b>');
    // The colours of JSON are in elements.
    expect(text.replaceAll(/<[^>]+>/g, '')).to.include('  &quot;nested&quot;: {\n    &quot;list&quot;: [');
  });

  /** The text that a browser shows for escaped HTML. */
  const shownIn = (escaped: string): string =>
    escaped
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');

  /** Custom properties of about 340 KB, and some of the size up to which they are indented. */
  const large: Readonly<Record<string, (bytes: number) => unknown>> = {
    'numbers in 30 lists': (bytes) =>
      Array.from({ length: 29 }).reduce((inner) => [inner], Array.from({ length: bytes / 2 }).fill(1)),
    'empty texts': (bytes) => Array.from({ length: bytes / 3 }).fill(''),
    'characters that HTML escapes': (bytes) => '&'.repeat(bytes),
    'nested lists': (bytes) => Array.from({ length: bytes / 60 }).fill(JSON.parse('['.repeat(28) + ']'.repeat(28))),
  };
  for (const [shape, filled] of Object.entries(large))
    it(`take at most six times the stored size and 1 MiB: ${shape}`, async () => {
      for (const bytes of [16 * 1024 - 100, 340_000]) {
        const value = filled(bytes);
        const address = await created({ value });
        for (const page of ['user', 'properties', 'delete']) {
          const { status, text } = await open(about(page, address));
          expect([status, page]).to.deep.equal([200, page]);
          expect(text.length, page).to.be.below(6 * bytes + 1024 * 1024);
        }
        const form = (await open(`${about('properties', address)}&as=json`)).text;
        const entityTag = entityTagIn(form);
        const properties = shownIn(/<textarea[^>]*>\n([^<]*)</.exec(form)?.[1] ?? '');
        const sent = { address, token: tokenIn(form), entityTag, properties: properties.replaceAll('\n', '\r\n') };
        expect((await submit('properties', sent)).status, 'saved as it is shown').to.equal(303);
      }
    });

  it('store no property that responses hide, and say so beside its field', async () => {
    const hiding = await startLatchkey({
      admin: { keys: [{ application: 'root', secret: 'of an administrator' }] },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: {},
    });
    try {
      const address = 'jane@example.com';
      await hiding.client.createUser({ email: { address }, password: 'correct horse', plan: 'free' });
      const fetched = async (path: string, options: RequestInit = {}) =>
        fetch(`${hiding.adminUrl}${path}`, { redirect: 'manual', ...options, headers: { Authorization: root } });
      const form = await (await fetched(about('properties', address))).text();
      const save = async (fields: Record<string, string>) => {
        const body = new URLSearchParams({ address, token: tokenIn(form), entityTag: entityTagIn(form), ...fields });
        const response = await fetched('/admin/properties', { method: 'POST', body });
        return { status: response.status, text: await response.text() };
      };
      const row = { count: '1', 'name-0': 'plan', 'kind-0': 'text', 'value-0': 'pro' };
      for (const fields of [
        { ...row, 'name-1': 'passwordTime', 'kind-1': 'number', 'value-1': '5' },
        { as: 'json', properties: '{"plan":"pro","passwordTime":5}' },
      ]) {
        const { status, text } = await save(fields);
        expect(status).to.equal(400);
        expect(text).to.include('is set by the service; remove it here');
      }
      expect((await save(row)).status).to.equal(303);
    } finally {
      await hiding.stop();
    }
  });

  it('offer mails only for users who get them', async () => {
    const mailing = await startLatchkey({
      admin: { keys: [{ application: 'root', secret: 'of an administrator' }], createUsers: true },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: {},
      invitations: {},
    });
    try {
      const email = 'jane@example.com';
      await mailing.admin.createUser({ email });
      const offered = async (): Promise<readonly string[]> => {
        const page = await fetch(`${mailing.adminUrl}${about('user', email)}`, { headers: { Authorization: root } });
        const names = [...(await page.text()).matchAll(/href="\/admin\/([\w-]+)\?address=/g)].map(
          ([, name]) => `${name}`,
        );
        return names.filter((name) => ['send-verification', 'invite', 'recover'].includes(name));
      };
      expect(await offered()).to.have.members(['send-verification', 'invite', 'recover']);
      await mailing.admin.disableUser({ email }, { reason: 'ticket 4711' });
      expect(await offered()).to.deep.equal([]);
    } finally {
      await mailing.stop();
    }
  });

  it('delete a user after a confirmation', async () => {
    const address = await created();
    const { text } = await open(about('delete', address));
    expect(await isThere(address)).to.equal(true);
    const done = await submit('delete', { address, token: tokenIn(text), entityTag: entityTagIn(text) });
    expect([done.status, done.headers.get('location')]).to.deep.equal([303, '/admin?done=delete']);
    expect((await open('/admin?done=delete')).text).to.include('The user was deleted.');
    expect(await isThere(address)).to.equal(false);
    expect((await submit('delete', { address, token: tokenIn(text) })).status).to.equal(404);
  });

  for (const action of ['delete', 'erase'])
    it(`${action} nobody who has changed since the page was read`, async () => {
      const address = await created();
      const formOf = async () => {
        const { text } = await open(about(action, address));
        return { address, token: tokenIn(text), entityTag: entityTagIn(text) };
      };
      const shown = await formOf();
      const reset = { address, token: tokenIn((await open(about('require-password-change', address))).text) };
      expect((await submit('require-password-change', reset)).status).to.equal(303);
      const refused = await submit(action, shown);
      expect([refused.status, await isThere(address)]).to.deep.equal([412, true]);
      const done = await submit(action, await formOf());
      expect([done.status, await isThere(address)]).to.deep.equal([303, false]);
    });

  it('change nothing without the token of the form, or with that of another administrator', async () => {
    const [address, neighbour] = [await created(), await created()];
    const { text } = await open(about('delete', address));
    const [token, entityTag] = [tokenIn(text), entityTagIn(text)];
    const attempts = {
      none: { address },
      wrong: { address, token: 'guessed' },
      'of another user': { address, token: tokenIn((await open(about('delete', neighbour))).text) },
      'of another action': { address, token: tokenIn((await open(about('reset', address))).text) },
    };
    for (const [what, fields] of Object.entries(attempts))
      expect((await submit('delete', fields)).status, what).to.equal(403);
    expect((await submit('delete', { address, token }, { key: other })).status, 'of another key').to.equal(403);
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example.com' }])
      expect((await submit('delete', { address, token }, { headers })).status).to.equal(403);
    expect(await isThere(address)).to.equal(true);
    expect((await submit('delete', { address, token, entityTag })).status).to.equal(303);
  });

  it('refuse a malformed form with a page', async () => {
    const post = (body: string, headers = {}) =>
      open('/admin/delete', {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      });
    for (const [expected, { status, text }] of [
      [403, await post(`address=${'a'.repeat(20_000)}`)],
      [413, await post(`address=${'a'.repeat(2 * 1024 * 1024)}`)],
      [415, await post('address=a', { 'Content-Type': 'application/x-www-form-urlencoded; charset=none' })],
      [415, await post('address=a', { 'Content-Encoding': 'gzip' })],
      [400, await post('a&'.repeat(500_000))],
    ] as const) {
      expect(status).to.equal(expected);
      expect(text).to.include('<h1>');
    }
  });

  it('answer failures with a page', async () => {
    const { status, text } = await open(about('user', 'nobody@example.com'));
    expect(status).to.equal(404);
    expect(text).to.include('<h1>User not found</h1>');
    expect((await open(about('reset', 'nobody@example.com'))).status).to.equal(404);
  });
});

describe('the page of a user with a new address', () => {
  const links = { confirm: '/change?', cancel: '/change/cancel?' };
  const opened = async (tokenLifetime: '1h' | '1ms') => {
    const service = await startLatchkey({
      server: { publicUrl: 'https://users.example.com' },
      email: { confirmChange: true, tokenLifetime },
      admin: { keys: [{ application: 'root', secret: 'of an administrator' }] },
    });
    const jane = { email: 'jane@example.com', password: 'correct horse' };
    await service.client.createUser({ email: { address: jane.email }, password: jane.password });
    await service.client.patchUser(jane, { email: { address: 'joan@example.com' } });
    const read = async (address = jane.email) => {
      const page = `${service.adminUrl}/admin/user?address=${address}`;
      return (await fetch(page, { headers: { Authorization: root } })).text();
    };
    return { ...service, jane, read };
  };

  const expectNone = (page: string): void => {
    expect(page).to.include('Verification mail');
    expect(page).not.to.include('New address');
    expect(page).not.to.include('Change requested');
  };

  for (const [name, path] of Object.entries(links))
    it(`shows it until the link that can ${name} it is used`, async () => {
      const { read, jane, client, nextMail, stop } = await opened('1h');
      try {
        expect(await read())
          .to.include('joan@example.com')
          .and.to.include('Change requested');
        const to = name === 'confirm' ? 'joan@example.com' : jane.email;
        const link = new URL((await nextMail(to)).link ?? '');
        expect(`${link.pathname}?`).to.equal(path);
        const given = { email: jane.email, token: link.searchParams.get('token') ?? '' };
        expect(await (name === 'confirm' ? client.confirmChange(given) : client.cancelChange(given))).to.include({
          ok: true,
        });
        expectNone(await read(to));
      } finally {
        await stop();
      }
    });

  it('does not show one that is too old to be confirmed', async () => {
    const { read, stop } = await opened('1ms');
    try {
      expectNone(await read());
    } finally {
      await stop();
    }
  });
});

describe('the page of a user whose count of wrong passwords is damaged', () => {
  it('says so, and offers to remove the count', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-damaged-count-'));
    const path = join(folder, 'users.db');
    const service = await startLatchkey({
      database: { type: 'sqlite', path },
      throttle: { clientFailures: 0 },
      admin: { keys: [{ application: 'root', secret: 'of an administrator' }] },
    });
    try {
      const jane = { email: 'jane@example.com', password: 'correct horse' };
      await service.client.createUser({ email: { address: jane.email }, password: jane.password });
      await service.client.getUser({ ...jane, password: 'wrong' });
      const counts = new Database(`${path}-throttle`);
      expect(counts.prepare("UPDATE failed_attempts SET points = 'damaged'").run().changes).to.equal(1);
      counts.close();
      const options = { headers: { Authorization: root } };
      const page = await fetch(`${service.adminUrl}/admin/user?address=${jane.email}`, options);
      expect(page.status).to.equal(200);
      expect(await page.text())
        .to.include('the stored count is damaged')
        .and.include('/admin/unblock?address=');
      const unblock = { ...options, method: 'POST' };
      expect((await fetch(`${service.adminUrl}/admin/users/${jane.email}/unblock`, unblock)).status).to.equal(200);
      expect(await service.client.getUser(jane)).to.include({ ok: true });
    } finally {
      await service.stop();
      await rm(folder, { recursive: true });
    }
  });
});
