import { expect } from 'chai';
import { administrationRoutes } from '../../../../../../adapters/http/admin/administration/administration-routes.ts';
import { pageRoutes } from '../../../../../../adapters/http/admin/administration/pages/administration-pages.ts';
import { FormTokens } from '../../../../../../adapters/http/admin/administration/pages/page-inputs.ts';
import { UserReferences } from '../../../../../../adapters/http/admin/administration/user-references.ts';
import type { Route } from '../../../../../../adapters/http/api/route-types.ts';
import { type AdminPermission, adminPermissions } from '../../../../../../adapters/http/authentication/permissions.ts';
import { systemClock } from '../../../../../../adapters/system-clock.ts';
import { CommandBus } from '../../../../../../application/bus.ts';
import { openService } from '../../../../../unit/application/wired-service.ts';
import { serviceWithLimitedKeys } from './permissions.ts';

const features = {
  clock: systemClock,
  queuesMails: true,
  linkBaseUrl: 'https://users.example.com',
  activity: null,
  createsUsers: true,
  invites: true,
  showsPasswordTime: false,
  moveLifetimeMs: 1,
  properties: undefined,
  countsPasswords: true,
  sortsUsers: true,
  nameProperty: null,
  ids: true,
  unique: [],
  limitsKeys: false,
};

/** The bodies of the operations that need one. */
const bodies: Readonly<Record<string, object>> = {
  addUser: { email: { address: 'added@example.com' } },
  changeAddress: { address: 'moved@example.com' },
  editProperties: { plan: 'paid' },
  disableUser: { reason: 'a test' },
  setPassword: { password: 'another correct horse' },
};
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/admin/create-user': { newAddress: 'created@example.com' },
  '/admin/change-address': { newAddress: 'moved-too@example.com' },
  '/admin/disable': { reason: 'a test' },
  '/admin/set-password': { password: 'another correct horse' },
};

const heading = (page: string): string | undefined => /<h1>([^<]*)<\/h1>/.exec(page)?.[1];
/** The fields that a form sends unchanged. */
const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

describe('a permission of an administrator', () => {
  const service = serviceWithLimitedKeys();
  let api: readonly Route[];
  let pages: readonly Route[];
  before(async () => {
    const { queries } = await openService();
    const StartRecovery = { handle: () => Promise.reject(new Error('the service is called, not these')) };
    const buses = { commands: new CommandBus({ StartRecovery }, (_, next) => next()), queries };
    const errorPages = { brand: { name: 'Latchkey', logo: null }, product: null, home: '/' };
    const { routes, actions, creation } = administrationRoutes({ ...buses, ...features }, null);
    api = routes;
    pages = pageRoutes(
      {
        ...buses,
        ...features,
        names: new UserReferences(true, []),
        site: { product: '', sections: [], errorPages },
        health: async () => new Map(),
        tokens: new FormTokens(),
        challenge: '',
      },
      actions,
      creation,
    ).filter(({ requires }) => requires !== 'nothing');
  });

  const pathFor = ({ path }: Route, address: string): string =>
    path.replace(':address', encodeURIComponent(address)).replace(':id', 'a-mail');
  const methodOf = ({ method }: Route) => ({ method: method.toUpperCase() });
  const pageFor = ({ path }: Route, address: string): string => `${path}?address=${encodeURIComponent(address)}&id=`;

  it('is required by every route and page', () => {
    for (const { method, path, requires } of [...api, ...pages])
      expect(requires, `${method} ${path}`).to.be.oneOf(adminPermissions);
    expect(new Set([...api, ...pages].map(({ requires }) => requires))).to.have.property(
      'size',
      adminPermissions.length,
    );
  });

  it('is named by the refusal of every route and page for a key with all others, which changes nothing', async () => {
    const { ask, created } = service();
    const address = await created();
    const path = `/admin/users/${address}`;
    const before = await ask('root', path);
    for (const route of api) {
      const key = `without-${route.requires}`;
      const { status, text } = await ask(key, pathFor(route, address), methodOf(route));
      expect([route.path, status]).to.deep.equal([route.path, 403]);
      expect(JSON.parse(text)).to.include({ code: 'not_permitted', permission: route.requires });
    }
    for (const route of pages) {
      const key = `without-${route.requires}`;
      const { status, text } = await ask(key, pageFor(route, address), methodOf(route));
      expect([route.path, status, heading(text)]).to.deep.equal([route.path, 403, 'Not permitted']);
      expect(text, route.path).to.include(`“${route.requires}”`).and.not.include('person-');
    }
    for (const route of [...api, ...pages])
      expect((await ask('none', pathFor(route, address), methodOf(route))).status, route.path).to.equal(403);
    expect(await ask('root', path)).to.deep.equal(before);
  });

  it('is all that a route needs', async () => {
    const { ask, created } = service();
    for (const route of api) {
      const body = bodies[route.operation];
      const { status, text } = await ask(`only-${route.requires}`, pathFor(route, await created()), {
        ...methodOf(route),
        ...(body && {
          body: JSON.stringify(body),
          headers: { 'Content-Type': route.method === 'patch' ? 'application/merge-patch+json' : 'application/json' },
        }),
      });
      const expected: Readonly<Record<string, number>> = { addUser: 201, inviteUser: 409 };
      const usual = route.path.includes(':id') ? 404 : 200;
      expect([route.operation, status]).to.deep.equal([route.operation, expected[route.operation] ?? usual]);
      expect(text.includes('Named '), route.operation).to.equal(
        ['inspectUser', 'exportUser', 'inspectPerson'].includes(route.operation),
      );
    }
  });

  it('is all that a page needs, but the form with the custom properties shows what `read` protects', async () => {
    const { ask, created } = service();
    for (const route of pages) {
      const key = `only-${route.requires}`;
      const address = await created();
      const shown = await ask(key, pageFor(route, address));
      if (route.path === '/admin/properties') {
        expect([shown.status, heading(shown.text)]).to.deep.equal([403, 'Not permitted']);
        expect(shown.text).to.include('“read”').and.not.include('Named ');
        // After a reload that took `read` away, the tokens of its forms are still valid.
        const sent = await ask(key, route.path, { method: 'POST', body: new URLSearchParams({ address }) });
        expect([sent.status, heading(sent.text)]).to.deep.equal([403, 'Not permitted']);
        continue;
      }
      if (route.method === 'get') {
        expect([route.path, shown.status]).to.deep.equal([route.path, 200]);
        expect(shown.text.includes('Named '), route.path).to.equal(route.path === '/admin/user');
        continue;
      }
      const body = new URLSearchParams({ ...hiddenIn(shown.text), ...fields[route.path] });
      const { status, text } = await ask(key, route.path, { method: 'POST', body });
      // No user here is invited.
      if (route.path.endsWith('-mail') || route.path === '/admin/invite')
        expect(heading(text), route.path).to.not.equal('Not permitted');
      else expect([route.path, status, heading(text)]).to.deep.equal([route.path, 200, 'Done']);
    }
  });

  it('to edit alone does not tell whether a patch guessed what `read` protects', async () => {
    const { ask, created } = service();
    const path = `/admin/users/${await created()}`;
    const { name } = JSON.parse((await ask('root', path)).text);
    const timeAfter = async (key: string, patch: object): Promise<number> => {
      const headers = { 'Content-Type': 'application/merge-patch+json' };
      const { status, text } = await ask(key, path, { method: 'PATCH', headers, body: JSON.stringify(patch) });
      expect(status).to.equal(200);
      return JSON.parse(text).lastUpdateTime;
    };
    let time = await timeAfter('reads-and-edit', { name });
    for (const patch of [{ name }, { name: 'another' }, { name: 'another' }, { absent: null }]) {
      const next = await timeAfter('only-edit', patch);
      expect(next, JSON.stringify(patch)).to.be.above(time);
      time = next;
    }
    expect(await timeAfter('reads-and-edit', { name: 'another' })).to.equal(time);
  });

  it('is named to the typed client', async () => {
    const { client, created } = service();
    const email = await created();
    const refused = await client('without-delete').deleteUser({ email });
    if (refused.ok) throw new TypeError('the user was deleted');
    const { code, permission }: { code: string; permission?: AdminPermission } = refused.problem;
    expect([code, permission]).to.deep.equal(['not_permitted', 'delete']);
    expect(await client('only-delete').deleteUser({ email })).to.include({ ok: true });
  });

  it('is named by the audit of a refusal', async () => {
    const { ask, audited, created } = service();
    const address = await created();
    const expected = [
      ['without-delete', 'DELETE', `/admin/users/${address}`, 'removeUser', 'delete'],
      ['without-state', 'POST', '/admin/disable', 'disableUser', 'state'],
      ['without-list', 'GET', '/admin', 'listUsers', 'list'],
      // Those that the page and the use of a parameter refuse.
      ['only-edit', 'GET', `/admin/properties?address=${address}`, 'inspectUser', 'read'],
      ['without-read', 'GET', '/admin/users?property=name&value=a', 'listUsers', 'read'],
    ] as const;
    for (const [key, method, path] of expected) await ask(key, path, { method });
    await ask('root', `/admin/users/${address}`);
    const lines = (await audited()).slice(-expected.length - 1);
    expect(lines.pop()).to.include({ outcome: 'ok', user: address }).and.not.have.property('permission');
    expect(
      lines.map(({ client, operation, status, outcome, permission }) => [
        client,
        operation,
        status,
        outcome,
        permission,
      ]),
    ).to.deep.equal(
      expected.map(([key, , , operation, permission]) => [key, operation, 403, 'not_permitted', permission]),
    );
  });
});
