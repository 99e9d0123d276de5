import { expect } from 'chai';
import { adminPermissions } from '../../../../../../adapters/http/authentication/permissions.ts';
import { serviceWithLimitedKeys } from './permissions.ts';

/** The actions on the page of a user whose address is not verified, and what they require. */
const actions: Readonly<Record<string, readonly string[]>> = {
  edit: ['properties'],
  state: ['disable', 'mark-verified', 'reset'],
  password: ['change-address', 'require-password-change', 'set-password', 'clear-password'],
  mail: ['send-verification', 'recover'],
  delete: ['delete', 'erase'],
};

const about = (page: string, address: string): string => `/admin/${page}?address=${encodeURIComponent(address)}`;
const sectionsOf = (page: string): readonly (string | undefined)[] =>
  [...(/<nav class="sections"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? '').matchAll(/href="([^"]+)"/g)].map(
    ([, path]) => path,
  );
const rowsOf = (page: string): readonly string[] =>
  /<tbody>([\s\S]*?)<\/tbody>/.exec(page)?.[1]?.trim().split('\n') ?? [];
const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

describe('the pages of an administrator with some permissions', () => {
  const service = serviceWithLimitedKeys();
  const index = async (key: string): Promise<string> =>
    (await service().ask(key, '/', { headers: { Accept: 'text/html' } })).text;

  for (const permission of Object.keys(actions))
    it(`offer for a user exactly what the key may do: ${permission}`, async () => {
      const { ask, created } = service();
      const address = await created();
      const { text } = await ask(`reads-and-${permission}`, about('user', address));
      const offered = [...text.matchAll(/href="\/admin\/([\w-]+)\?(?:id|address)=/g)].map(([, name]) => name);
      expect(offered).to.have.members(actions[permission] ?? []);
      expect(text).to.include('Export user');
      for (const heading of ['Account', 'Address', 'Password', 'Removal'])
        expect(text.includes(`<h2>${heading}</h2>`), heading).to.equal(
          { Account: 'state', Address: 'state mail password', Password: 'password mail', Removal: 'delete' }[
            heading
          ]?.includes(permission),
        );
    });

  it('lead only to the sections that the key may open, and say who is signed in and what it may do', async () => {
    const shared = ['/outbox', '/healthcheck', '/metrics', 'https://users.example.com/swagger'];
    const expected = {
      root: ['/admin', '/admin/waiting-mails'],
      none: [],
      'only-list': ['/admin'],
      'only-read': ['/admin/user'],
      'only-mail': ['/admin/waiting-mails'],
      'without-list': ['/admin/user', '/admin/waiting-mails'],
      'without-read': ['/admin', '/admin/waiting-mails'],
    };
    for (const [key, paths] of Object.entries(expected)) {
      const text = await index(key);
      expect(sectionsOf(text), key).to.deep.equal([...paths, ...shared]);
      expect([...text.matchAll(/<a class="card" href="([^"]+)"/g)].map(([, path]) => path)).to.deep.equal([
        ...paths,
        ...shared,
      ]);
      expect(text).to.include(`Signed in as <strong>${key}</strong>`);
    }
    expect(await index('root')).to.not.include('<br>may');
    expect(await index('none')).to.include('<br>may do nothing');
    expect(await index('reads-and-mail')).to.include('<br>may read, mail<');
  });

  it('have figures on the index only for keys that may list users', async () => {
    await service().created();
    for (const permission of adminPermissions) {
      expect(/\d+ users?, blocked/.test(await index(`only-${permission}`)), permission).to.equal(permission === 'list');
      expect(/\d+ mails?</.test(await index(`without-${permission}`)), permission).to.equal(
        permission !== 'list' && permission !== 'mail',
      );
    }
  });

  it('list users without custom properties and links where the key may not read them', async () => {
    const { ask, created } = service();
    const address = await created();
    const { text } = await ask('without-read', '/admin');
    expect(text)
      .to.include(address)
      .and.not.match(/Named \d|unique-\d|<th scope="col">Name<|name="value"|admin\/user/);
    const found = await ask('without-read', `/admin?address=${address}`);
    expect([found.status, rowsOf(found.text).length]).to.deep.equal([200, 1]);
    const unique = address.replace('person', 'unique').replace('@example.com', '');
    expect((await ask('root', `/admin?address=${unique}`)).status).to.equal(303);
    expect((await ask('without-read', `/admin?address=${unique}`)).text).to.include('No user matches');
    for (const path of ['/admin?', '/admin/users?']) {
      const { status, text } = await ask('without-read', `${path}property=username&value=${unique}`);
      expect([path, status]).to.deep.equal([path, 403]);
      expect(text).to.match(/“read”|"permission":"read"/);
    }
    const { users } = JSON.parse((await ask('without-read', '/admin/users')).text);
    expect(users).to.not.be.empty;
    for (const user of users) expect(user).to.not.have.any.keys('name', 'username');
  });

  it('open one user by the address, the id or a unique property where the key may read but not list', async () => {
    const { ask, created } = service();
    const address = await created();
    const { id, username } = JSON.parse((await ask('root', `/admin/users/${address}`)).text);
    const field = await ask('without-list', '/admin/user');
    expect([field.status, field.text.includes('Address, or id, or username')]).to.deep.equal([200, true]);
    for (const text of [id, username]) {
      const { status, location } = await ask('without-list', `/admin/user?address=${text}`);
      expect([text, status, location]).to.deep.equal([text, 303, `/admin/user?id=${id}`]);
    }
    const { status, text } = await ask('without-list', about('user', address));
    expect([status, /class="back" href="([^"]+)"/.exec(text)?.[1]]).to.deep.equal([200, '/admin/user']);
    const missing = await ask('without-list', '/admin/user?address=nobody');
    expect([missing.status, missing.text.includes('value="nobody"')]).to.deep.equal([404, true]);
    expect((await ask('root', '/admin/user')).text).to.include('<h1>User not found</h1>');
  });

  it('go on after an action where the key may go', async () => {
    const { ask, created } = service();
    const ways = {
      root: '/admin?done=delete',
      'without-read': '/admin?done=delete',
      'without-list': '/admin/user?done=delete',
      'only-delete': '',
    };
    for (const [key, expected] of Object.entries(ways)) {
      const form = await ask(key, about('delete', await created()));
      expect(form.text.includes('>Cancel<'), key).to.equal(key === 'root' || key === 'without-list');
      const sent = { method: 'POST', body: new URLSearchParams(hiddenIn(form.text)) };
      const { status, location, text } = await ask(key, '/admin/delete', sent);
      expect([key, status, location]).to.deep.equal([key, expected === '' ? 200 : 303, expected]);
      const next = expected === '' ? text : (await ask(key, location)).text;
      expect(next, key).to.include('The user was deleted.');
    }
  });
});
