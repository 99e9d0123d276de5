import { expect } from 'chai';
import type { Client } from './client.ts';
import { type Blocks, type Harness, publicUrl } from './harness.ts';

const local = { host: '127.0.0.1', port: 0, adminPort: 0 };

/** The base of the link in the mail that a request causes. */
const linkBase = async (harness: Harness, blocks: Blocks, headers: Readonly<Record<string, string>> = {}) => {
  const { client, mailsTo } = await harness.service(blocks);
  const { address, password } = await client.create();
  const response = await client.post('/verify', { query: { email: address }, password, headers });
  if (response.status !== 200) return response.refusal;
  const [mail] = await mailsTo(address);
  return /(\S+)\/verify\?email=/.exec(mail?.text ?? '')?.[1];
};

const redirect = async (client: Client) => {
  const account = await client.create();
  const query = { email: account.address, token: await client.token(account), response_type: 'html' };
  return (await client.get('/verify', { query })).headers.get('location');
};

const hostile = {
  Host: 'evil.example.com',
  'X-Forwarded-Host': 'evil.example.com',
  'X-Forwarded-Proto': 'https',
  Forwarded: 'host=evil.example.com',
};

const links = (harness: Harness): void => {
  describe('server.publicUrl', () => {
    it('is the base of links, regardless of the host of the request', async () => {
      const { Host: _, ...forwarded } = hostile;
      expect(await linkBase(harness, {}, forwarded)).to.equal(publicUrl);
    });

    it('may have a path, which is part of the links and the redirect', async () => {
      const server = { ...local, publicUrl: 'https://example.com/accounts/' };
      expect(await linkBase(harness, { server })).to.equal('https://example.com/accounts');
      expect(await redirect((await harness.service({ server })).client)).to.equal('/accounts/verify/success');
    });

    it('absent: links start with the origin of the request, forwarded or not, and the service warns at the start', async () => {
      const { url, warnings, client } = await harness.service({ server: local });
      expect(warnings.join()).to.include('server.publicUrl is absent');
      const { Host: _, ...forwarded } = hostile;
      expect(await linkBase(harness, { server: local }, forwarded)).to.equal(url);
      expect(await redirect(client)).to.equal('/verify/success');
    });
  });

  describe('server.trustProxy', () => {
    const server = { ...local, trustProxy: true };

    it('true: links start with the host that the proxy appended, not with what its client sent', async () => {
      const headers = {
        'X-Forwarded-Host': 'evil.example.com, accounts.example.org:8443',
        'X-Forwarded-Proto': 'http, https',
      };
      for (const trustProxy of [true, 1])
        expect(await linkBase(harness, { server: { ...local, trustProxy } }, headers)).to.equal(
          'https://accounts.example.org:8443',
        );
    });

    it('networks: headers of connections from other addresses are ignored', async () => {
      const elsewhere = { ...local, trustProxy: ['192.0.2.0/24', '2001:db8::/32'] };
      const { url } = await harness.service({ server: elsewhere });
      const { Host: _, ...forwarded } = hostile;
      expect(await linkBase(harness, { server: elsewhere }, forwarded)).to.equal(url);
    });

    for (const [name, headers] of Object.entries({
      'a host that is none': { 'X-Forwarded-Host': 'evil.example.com/path?' },
      'a host with a space': { 'X-Forwarded-Host': 'evil example.com' },
      'an empty port': { 'X-Forwarded-Host': 'evil.example.com:' },
      'a protocol that is none of the web': { 'X-Forwarded-Proto': 'javascript' },
    })) {
      it(`400 for ${name}`, async () => {
        expect(await linkBase(harness, { server }, headers)).to.equal('400 malformed_request');
      });
    }
  });
};

const switches = (harness: Harness): void => {
  it('email.type none: the four endpoints of the verification are 404, the others work', async () => {
    const { client } = await harness.service({ email: { type: 'none' } });
    const account = await client.create();
    const query = { email: account.address, token: 'a' };
    for (const [method, path] of [
      ['POST', '/verify'],
      ['GET', '/verify'],
      ['POST', '/verify/reset'],
      ['GET', '/verify/success'],
    ] as const) {
      const response = await client.send(method, path, { query, password: account.password });
      expect(response.refusal).to.equal('404 route_not_found');
    }
    expect((await client.read(account)).user).to.deep.equal(account.user);
  });

  it('email absent is none', async () => {
    const { client } = await harness.service({ email: null });
    expect((await client.get('/verify/success')).refusal).to.equal('404 route_not_found');
  });

  it('openApi: the document and its page exist without the block, and have the configured texts', async () => {
    const { client } = await harness.service();
    const json = await client.get('/openapi.json', { authorization: null });
    expect(json.headers.get('content-type')).to.equal('application/json');
    expect(json.json).to.have.nested.property('info.title', 'Latchkey API');
    expect((await client.get('/openapi.yaml', { authorization: null })).text).to.include('title: Latchkey API');
    expect((await client.get('/swagger', { authorization: null })).text).to.match(/^<!doctype html>/i);
  });

  it('openApi.redirectRoot: / leads to its page, otherwise to email.productUrl, or is 404', async () => {
    const targetOf = async (options: Readonly<Record<string, object>>) => {
      const { client } = await harness.service(options);
      const response = await client.get('/', { authorization: null });
      return response.status === 302 ? response.headers.get('location') : response.refusal;
    };
    const redirectRoot = { openApi: { redirectRoot: true } };
    const directory = await harness.file('unused-root', '');
    const email = { type: 'outbox', directory, productUrl: 'https://tea.example/start' };
    expect(await targetOf({})).to.equal('404 route_not_found');
    expect(await targetOf(redirectRoot)).to.equal('swagger');
    expect(await targetOf({ email })).to.equal('https://tea.example/start');
    expect(await targetOf({ email, ...redirectRoot })).to.equal('swagger');
  });

  it('openApi.enabled false: they are 404', async () => {
    const { client } = await harness.service({ openApi: { enabled: false } });
    for (const path of ['/openapi.json', '/openapi.yaml', '/swagger', '/swagger/assets/swagger-ui-bundle.js', '/']) {
      expect((await client.get(path)).refusal).to.equal('404 route_not_found');
    }
  });

  it('health and metrics are on the admin port only', async () => {
    const { client, adminUrl } = await harness.service();
    for (const path of ['/healthcheck', '/livez', '/readyz', '/ping']) {
      expect((await fetch(`${adminUrl}${path}`)).status).to.equal(200);
      expect((await client.get(path)).refusal).to.equal('404 route_not_found');
    }
    expect(await (await fetch(`${adminUrl}/ping`)).text()).to.equal('pong\n');
    expect((await fetch(`${adminUrl}/users`)).status).to.equal(404);
  });
};

const crossOrigin = (harness: Harness): void => {
  const page = { Origin: 'https://app.example.com' };
  const asked = { ...page, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'password' };
  const server = { ...local, cors: { origins: ['https://app.example.com', 'https://other.example.com'] } };
  const allowed = 'access-control-allow-origin';

  it('server.cors absent: no other origin is allowed', async () => {
    const { client } = await harness.service();
    const response = await client.get('/users', { headers: page });
    expect(response.headers.get(allowed)).to.equal(null);
    const preflight = await client.send('OPTIONS', '/users', { headers: asked, authorization: null });
    expect([preflight.status, preflight.headers.get(allowed)]).to.deep.equal([204, null]);
  });

  it('server.cors.origins: these origins are allowed, also for errors and before authentication', async () => {
    const { client } = await harness.service({ server });
    const preflight = await client.send('OPTIONS', '/users', { headers: asked, authorization: null });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get(allowed)).to.equal(page.Origin);
    expect(preflight.headers.get('access-control-allow-methods')).to.equal('GET,POST,PUT,PATCH,DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).to.include('password').and.include('If-Match');
    const response = await client.get('/users', { headers: page });
    expect([response.status, response.headers.get(allowed)]).to.deep.equal([400, page.Origin]);
    expect(response.headers.get('vary')).to.equal('Origin');
    expect(response.headers.get('access-control-expose-headers')).to.include('X-Request-Id').and.include('ETag');
    const denied = await client.get('/users', { headers: page, authorization: null });
    expect([denied.status, denied.headers.get(allowed)]).to.deep.equal([401, page.Origin]);
  });

  it('server.cors.origins: other origins are not allowed', async () => {
    const { client } = await harness.service({ server });
    const headers = { ...asked, Origin: 'https://evil.example.com' };
    expect((await client.send('OPTIONS', '/users', { headers, authorization: null })).headers.get(allowed)).to.equal(
      null,
    );
    expect((await client.get('/users', { headers })).headers.get(allowed)).to.equal(null);
  });

  it('server.cors.origins "*": every origin is allowed', async () => {
    const { client } = await harness.service({ server: { ...local, cors: { origins: ['*'] } } });
    expect((await client.get('/users', { headers: page })).headers.get(allowed)).to.equal('*');
  });
};

/** Options of the configuration that change how requests are received. */
export const configuration = (harness: Harness): void => {
  describe('the configuration', () => {
    links(harness);
    switches(harness);
    crossOrigin(harness);
  });
};
