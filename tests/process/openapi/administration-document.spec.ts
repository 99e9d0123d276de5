import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { administrationRoutes } from '../../../adapters/http/admin/administration/administration-routes.ts';
import { systemClock } from '../../../adapters/system-clock.ts';
import { CommandBus } from '../../../application/bus.ts';
import { openService } from '../../unit/application/wired-service.ts';
import { clientHeaders, eachWithInstallation } from '../installation.ts';
import { type Document, expectDeclared, judgeOf } from './described-service.ts';

const secret = 'of the support team';
const headers = { Authorization: `Basic ${Buffer.from(`support:${secret}`).toString('base64')}` };
const user = '/admin/users/{address}';

describe('the OpenAPI document of the administration', () => {
  const installation = eachWithInstallation();

  /** Starts a service with an administrator. */
  const administrated = async (blocks: object = {}) => {
    await installation().configure({ admin: { keys: [{ application: 'support', secret }] }, throttle: {}, ...blocks });
    const serving = await installation().serve();
    const response = await fetch(`${serving.adminUrl}/admin/openapi.json`, { headers });
    return { ...serving, response };
  };

  it('conforms to the schema of OpenAPI 3.1, and has exactly the routes that are served and documented', async () => {
    const { response } = await administrated({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://users.example.com' },
      email: { type: 'outbox', directory: 'outbox', queue: true, confirmChange: true },
      admin: { keys: [{ application: 'support', secret }], createUsers: true },
      passwordHash: { serverSideHash: true },
      invitations: {},
      recovery: { pageUrl: 'https://app.example.com/new-password' },
    });
    const document: Document = JSON.parse(await response.text());
    const { valid, errors } = await new Validator().validate(structuredClone({ ...document }));
    expect([valid, errors ?? []]).to.deep.equal([true, []]);
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const { queries } = await openService();
    const StartRecovery = { handle: () => Promise.reject(new Error('no route is called')) };
    const commands = new CommandBus({ StartRecovery }, (_, next) => next());
    const { routes } = administrationRoutes(
      {
        commands,
        queries,
        clock: systemClock,
        queuesMails: true,
        linkBaseUrl: 'https://users.example.com',
        activity: { recordedSince: 0 },
        createsUsers: true,
        invites: true,
        showsPasswordTime: true,
        moveLifetimeMs: 1,
        properties: undefined,
        countsPasswords: true,
        sortsUsers: true,
        nameProperty: null,
        ids: false,
        unique: [],
        limitsKeys: false,
      },
      null,
    );
    const declared = routes.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/, '{$1}')}`);
    expect(described).to.have.members(declared);
    const page = await readFile(new URL('../../../docs/administration.md', import.meta.url), 'utf8');
    const rows = page.matchAll(/^\| ([A-Z]+) \| `([^`?]+)/gm);
    expect([...rows].map(([, method, path]) => `${method} ${path}`)).to.have.members([
      ...declared,
      'GET /admin/openapi.json',
    ]);
    expect(document.servers.map(({ url }) => new URL(url, response.url).pathname)).to.deep.equal(['/']);
  });

  it('declares the responses of the service', async () => {
    const { url, adminUrl, response } = await administrated();
    const document: Document = JSON.parse(await response.text());
    const described = { document, judge: judgeOf(document) };
    const body = JSON.stringify({ email: { address: 'jane@example.com' }, password: 'correct horse', plan: 'trial' });
    await fetch(`${url}/users`, { method: 'POST', headers: clientHeaders, body });
    const requests: readonly (readonly [number, string, string, (object | undefined)?, object?])[] = [
      [200, 'GET', '/admin/users'],
      [400, 'GET', '/admin/users?state=asleep'],
      [200, 'GET', user],
      [401, 'GET', user, undefined, { Authorization: '' }],
      [200, 'POST', `${user}/disable`, { reason: 'ticket 4711', until: Date.now() + 3_600_000 }],
      [200, 'GET', user],
      [200, 'GET', '/admin/users?state=disabled'],
      [400, 'POST', `${user}/disable`, {}],
      [200, 'POST', `${user}/enable`],
      [412, 'POST', `${user}/enable`, undefined, { 'If-Match': '"other"' }],
      [403, 'POST', `${user}/enable`, undefined, { Origin: 'https://attacker.example' }],
      [200, 'PATCH', user, { plan: 'paid' }],
      [415, 'PATCH', user, {}, { 'Content-Type': 'text/plain' }],
      [200, 'POST', `${user}/require-password-change`],
      [200, 'POST', `${user}/withdraw-password-change`],
      [200, 'PUT', `${user}/password`, { password: 'battery staple' }],
      [200, 'DELETE', `${user}/password`],
      [200, 'GET', `${user}/attempts`],
      [200, 'POST', `${user}/unblock`],
      [200, 'POST', `${user}/reset`],
      [200, 'POST', `${user}/mark-verified`],
      [200, 'GET', `${user}/export`],
      [200, 'DELETE', user],
      [404, 'DELETE', user],
    ];
    for (const [status, method, target, content, others] of requests) {
      const answered = await fetch(adminUrl + target.replace('{address}', 'jane@example.com'), {
        method,
        headers: { ...headers, 'Content-Type': 'application/json', ...others },
        ...(content !== undefined && { body: JSON.stringify(content) }),
      });
      expect(answered.status, `${method} ${target}`).to.equal(status);
      await expectDeclared(described, method, target, answered);
    }
  });

  it('is compressed, and sent again only if it has changed', async () => {
    const { adminUrl } = await administrated();
    const response = await fetch(`${adminUrl}/admin/openapi.json`, {
      headers: { ...headers, 'Accept-Encoding': 'br' },
    });
    expect(response.headers.get('content-encoding')).to.equal('br');
    expect(response.headers.get('cache-control')).to.equal('private, no-cache');
    expect(response.headers.get('vary')).to.equal('Accept-Encoding');
    const address = `${adminUrl}/admin/openapi.json`;
    const plain = await fetch(address, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(await plain.text()).to.equal(await response.text());
    const tag = response.headers.get('etag') ?? '';
    expect(tag)
      .to.match(/^"[\w-]{20,}"$/)
      .and.not.equal(plain.headers.get('etag'));
    const again = await fetch(address, { headers: { ...headers, 'Accept-Encoding': 'br', 'If-None-Match': tag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).to.deep.equal([304, '', tag]);
    expect((await fetch(address, { headers: { 'If-None-Match': tag } })).status, 'without a key').to.equal(401);
  });

  for (const allowSubset of [true, false])
    for (const allowSuperset of [true, false])
      it(`has examples that the rules for custom properties allow: ${allowSubset}, ${allowSuperset}`, async () => {
        const allowed = [
          { name: 'visits', type: 'integer' },
          { name: 'tags', type: 'list' },
        ];
        const { url, adminUrl, response } = await administrated({
          properties: { allowSubset, allowSuperset, allowed },
        });
        const document: Document = JSON.parse(await response.text());
        const body = { email: { address: 'jane@example.com' }, password: 'correct horse', visits: 1, tags: [] };
        await fetch(`${url}/users`, { method: 'POST', headers: clientHeaders, body: JSON.stringify(body) });
        const { schema, examples = {} } =
          document.paths[user]?.patch?.requestBody?.content['application/merge-patch+json'] ?? expect.fail();
        expect(examples).to.not.deep.equal({});
        const judge = judgeOf(document);
        for (const { value } of Object.values(examples)) {
          expect(judge(schema, value)).to.deep.equal([]);
          const patched = await fetch(`${adminUrl}/admin/users/jane@example.com`, {
            method: 'PATCH',
            headers: { ...headers, 'Content-Type': 'application/json' },
            body: JSON.stringify(value),
          });
          expect(patched.status, await patched.text()).to.equal(200);
        }
        expect(judge(schema, { visits: 'many' })).to.not.deep.equal([]);
      });

  it('needs the key of an administrator, and is not published with openApi.enabled: false', async () => {
    const { adminUrl, stop } = await administrated();
    expect((await fetch(`${adminUrl}/admin/openapi.json`)).status).to.equal(401);
    await stop();
    const { response } = await administrated({ openApi: { enabled: false } });
    expect(response.status).to.equal(404);
  });
});
