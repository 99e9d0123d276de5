import { expect } from 'chai';
import { startLatchkey, type TestLatchkey } from '../../../../../../sdk/testing/index.ts';

const key = { application: 'root', secret: 'of an administrator' };
const Authorization = `Basic ${Buffer.from(`${key.application}:${key.secret}`).toString('base64')}`;

/** The text that a browser reads in an attribute. */
const unescaped = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

describe('the list of users for people', () => {
  let service: TestLatchkey;
  before(async () => {
    service = await startLatchkey({ admin: { keys: [key], nameProperty: 'name' } });
    for (let n = 0; n < 120; n++)
      await create(`person-${String(n).padStart(3, '0')}@example.com`, {
        name: `Person ${n}`,
        plan: n % 10 === 0 ? 'paid' : 'free',
      });
    await create('mary.jane@example.org', { name: '<b>Mary</b> & "co"', plan: true, n: 42 });
    await create('no-name@example.org', { name: { first: 'No' } });
  });
  after(() => service.stop());

  const create = async (address: string, properties: object): Promise<void> => {
    const outcome = await service.client.createUser({ email: { address }, password: 'correct horse', ...properties });
    expect(outcome.ok).to.equal(true);
  };

  const removed = async (address: string): Promise<void> => {
    const path = `/admin/users/${encodeURIComponent(address)}`;
    const response = await fetch(`${service.adminUrl}${path}`, { method: 'DELETE', headers: { Authorization } });
    expect(response.status).to.equal(200);
  };

  const open = async (path: string, options: RequestInit = {}) => {
    const response = await fetch(`${service.adminUrl}${path}`, {
      redirect: 'manual',
      ...options,
      headers: { Authorization },
    });
    const text = await response.text();
    return { status: response.status, location: response.headers.get('location'), text };
  };
  const list = (query: Record<string, string> = {}) => open(`/admin?${new URLSearchParams(query)}`);
  const addressesIn = ({ text }: { text: string }): readonly string[] =>
    [...text.matchAll(/<tr><td><a href="[^"]+">([^<]+)</g)].map(([, address = '']) => unescaped(address));
  const linkIn = ({ text }: { text: string }, label: string): string | undefined => {
    const href = new RegExp(`href="([^"]+)">${label}<`).exec(text)?.[1];
    return href === undefined ? undefined : unescaped(href);
  };
  const follow = async (page: { text: string }, label: string) => {
    const path = linkIn(page, label);
    if (path === undefined) throw new Error(`there is no link ${label}`);
    return open(path);
  };

  const hiddenIn = ({ text }: { text: string }): [string, string][] =>
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]);

  it('finds any part of the address, and the value of a property', async () => {
    expect(addressesIn(await list({ address: 'JANE@ex' }))).to.deep.equal(['mary.jane@example.org']);
    expect(addressesIn(await list({ property: 'plan', value: 'true' }))).to.deep.equal(['mary.jane@example.org']);
    expect(addressesIn(await list({ property: 'n', value: '42' }))).to.deep.equal(['mary.jane@example.org']);
    // Without a name, the property of the column is meant.
    expect(addressesIn(await list({ value: 'Person 7' }))).to.deep.equal(['person-007@example.com']);
    expect(addressesIn(await list({ address: 'person', property: 'plan', value: 'paid' }))).to.have.lengthOf(12);
    expect((await list({ property: 'plan', value: 'none' })).text).to.include('<h2>No user matches</h2>');
    // The name stays in the form. Without a value it finds no user.
    expect(addressesIn(await list({ property: 'name' }))).to.have.lengthOf(50);
  });

  it('shows a property next to the address', async () => {
    const { text } = await list({ address: '@example.org' });
    expect(text).to.include('<th scope="col">Name</th>');
    expect(text).to.include('<td dir="auto">&lt;b&gt;Mary&lt;/b&gt; &amp; &quot;co&quot;</td>');
    expect(text).to.match(/no-name@example\.org<\/a><\/td><td dir="auto"><\/td>/);
  });

  it('sorts and counts users', async () => {
    const newest = await list({ sort: '-creationTime', size: '25' });
    expect(addressesIn(newest).slice(-1)).to.deep.equal(['person-097@example.com']);
    expect(newest.text).to.include('<p class="count">122 users</p>');
    expect(newest.text).to.include('<option value="-creationTime" selected>newest first</option>');
    expect((await list({ address: 'jane' })).text).to.include('<p class="count">1 user</p>');
    expect(addressesIn(await list({ sort: 'password' })), 'an unknown order').to.include('mary.jane@example.org');
  });

  for (const sort of ['', '-lastUpdateTime', 'creationTime'])
    it(`leads to the next, the previous and the first page: sorted by ${sort || 'address'}`, async () => {
      const pages = [await list({ address: 'person', sort, size: '25', property: 'plan', value: 'free' })];
      const [first] = pages;
      if (first === undefined) throw new Error('there is no page');
      expect(linkIn(first, 'Previous page')).to.equal(undefined);
      expect(linkIn(first, 'First page')).to.equal(undefined);
      for (let page = first; linkIn(page, 'Next page') !== undefined; ) {
        page = await follow(page, 'Next page');
        pages.push(page);
      }
      const all = pages.flatMap((page) => addressesIn(page));
      expect([pages.length, all.length, new Set(all).size]).to.deep.equal([5, 108, 108]);
      for (let n = pages.length - 1; n > 0; n--) {
        const [page, previous] = [pages[n], pages[n - 1]];
        if (page === undefined || previous === undefined) throw new Error('there is no page');
        const back = await follow(page, 'Previous page');
        expect(addressesIn(back)).to.deep.equal(addressesIn(previous));
        expect(linkIn(back, 'Previous page')).to.equal(linkIn(previous, 'Previous page'));
        expect(addressesIn(await follow(page, 'First page'))).to.deep.equal(addressesIn(first));
      }
    });

  it('keeps the filters and the page while a user is visited and changed', async () => {
    const first = await list({ address: 'person', sort: '-creationTime', size: '25' });
    const second = await follow(first, 'Next page');
    const [address = ''] = addressesIn(second);
    const user = await follow(second, address);
    expect(addressesIn(await follow(user, 'Back to the list'))).to.deep.equal(addressesIn(second));
    const form = await follow(user, 'Require new password');
    expect(addressesIn(await follow(form, 'Back to the list'))).to.deep.equal(addressesIn(second));
    expect(linkIn(await follow(form, 'Cancel'), 'Back to the list')).to.equal(linkIn(user, 'Back to the list'));
    const fields = hiddenIn(form);
    const action = /<form class="card part" method="post" action="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const done = await open(action, { method: 'POST', body: new URLSearchParams(fields) });
    expect(done.status).to.equal(303);
    const changed = await open(done.location ?? '');
    expect(linkIn(changed, 'Back to the list')).to.equal(linkIn(user, 'Back to the list'));
    const back = await follow(changed, 'Back to the list');
    expect(linkIn(back, 'Previous page')).to.equal(linkIn(second, 'Previous page'));
  });

  it('shows the only user of a complete address at once, and leads back to the list with its order', async () => {
    const { status, location } = await list({ address: 'Mary.Jane@example.org', sort: '-creationTime', size: '25' });
    expect([status, location]).to.deep.equal([
      303,
      '/admin/user?address=Mary.Jane%40example.org&list=sort%3D-creationTime%26size%3D25',
    ]);
    const back = await follow(await open(location ?? ''), 'Back to the list');
    expect(addressesIn(back)).to.have.lengthOf(25);
    expect((await list({ address: 'mary.jane@example.org' })).location).to.equal(
      '/admin/user?address=mary.jane%40example.org',
    );
  });

  it('lists the others whose addresses contain a complete one, too', async () => {
    const both = ['bob@bobs.example', 'jbob@bobs.example'];
    for (const address of both) await create(address, {});
    try {
      expect(addressesIn(await list({ address: 'bob@bobs.example' }))).to.deep.equal(both);
      expect((await list({ address: 'jbob@bobs.example' })).status).to.equal(303);
    } finally {
      for (const email of both) await removed(email);
    }
  });

  it('returns to the list after a deletion, with its filters', async () => {
    await create('deleted@example.net', {});
    const user = await follow(await list({ address: '@example.net', verified: 'false' }), 'deleted@example.net');
    const form = await follow(user, 'Delete user');
    const fields = hiddenIn(form);
    const done = await open('/admin/delete', { method: 'POST', body: new URLSearchParams(fields) });
    expect(done.location).to.equal('/admin?address=%40example.net&verified=false&done=delete');
  });

  it('leads back to nothing but lists', async () => {
    const address = 'mary.jane@example.org';
    for (const list of [
      'https://evil.example.com/',
      '//evil.example.com',
      '/../outbox?',
      'javascript:alert(1)',
      '"><script>alert(1)</script>',
      'after=broken!&done=delete&evil=1',
      'done=delete',
      `address=${'a'.repeat(5_000)}`,
      '%',
      '\0',
    ]) {
      const { status, text } = await open(`/admin/user?${new URLSearchParams({ address, list })}`);
      expect(status, list).to.equal(200);
      const back = unescaped(/class="back" href="([^"]+)"/.exec(text)?.[1] ?? '');
      const url = new URL(back, 'http://admin.example.com');
      expect([url.origin, url.pathname], list).to.deep.equal(['http://admin.example.com', '/admin']);
      expect(
        [...url.searchParams.keys()].filter((name) => !['address', 'after'].includes(name)),
        list,
      ).to.deep.equal([]);
      expect(text).to.not.include('<script');
    }
  });

  it('answers 400 to a cursor of another order, and ignores a trail that it did not make', async () => {
    const sorted = await list({ sort: 'creationTime', size: '25' });
    const after = new URLSearchParams(linkIn(sorted, 'Next page')?.split('?')[1]).get('after') ?? '';
    expect((await list({ after, sort: 'creationTime' })).status).to.equal(200);
    for (const query of [{ after }, { after, sort: '-creationTime' }, { after: 'broken!' }])
      expect((await list(query)).status).to.equal(400);
    for (const before of ['<script>', 'a b', '.'.repeat(5_000)])
      expect(linkIn(await list({ after, sort: 'creationTime', before }), 'Previous page')).to.equal(undefined);
  });

  it('takes odd and long values', async () => {
    for (const text of ['%', '_', '\\', "' OR 1=1 --", '(', '\0', '\u{1f600}', '<b>', 'x'.repeat(4_000), '\ud800'])
      for (const query of [{ address: text }, { property: text, value: text }, { value: text }]) {
        const { status, text: page } = await list(query);
        expect(status).to.equal(200);
        expect(page).to.not.include('<b>');
      }
  });
});

describe('the list of users without a property', () => {
  it('asks for the name of a property', async () => {
    const service = await startLatchkey({ admin: { keys: [key] } });
    try {
      const response = await fetch(`${service.adminUrl}/admin?value=paid`, { headers: { Authorization } });
      const text = await response.text();
      expect(text).to.include('<h2>Which property?</h2>');
      expect(text).to.not.include('<th');
      const all = await (await fetch(`${service.adminUrl}/admin`, { headers: { Authorization } })).text();
      expect(all).to.include('<h2>No users yet</h2>').and.not.include('>Name</th>');
    } finally {
      await service.stop();
    }
  });
});
