import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { knownHosts } from '../../../../../adapters/http/admin/known-hosts.ts';
import { type AdminPort, startAdminPort } from './admin-port.ts';

const admin = { keys: [{ application: 'root', secret: 'a secret of an administrator' }] };

/** Sends bytes unchanged and returns the response. */
const exchange = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let response = '';
    const socket = connect(Number(port), hostname)
      .once('error', reject)
      .once('close', () => resolve(response))
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        response += chunk;
      });
    socket.write(text);
  });

describe('the Host header of a request to the admin port', () => {
  let outbox = '';
  let port: AdminPort;
  before(async () => {
    outbox = await mkdtemp(join(tmpdir(), 'latchkey-outbox-'));
    await writeFile(
      join(outbox, '2026-01-01.eml'),
      'To: jane@example.com\r\nSubject: Verify\r\n\r\nhttp://h/verify?token=secret',
    );
    const server = { adminHosts: ['Latchkey', 'admin.example.com'] };
    port = await startAdminPort({ server, admin, email: { type: 'outbox', directory: outbox } });
  });
  after(async () => {
    await port.stop();
    await rm(outbox, { recursive: true });
  });

  const paths = ['/healthcheck', '/livez', '/readyz', '/metrics', '/outbox', '/admin', '/admin/users', '/nowhere'];

  it('is refused on every path when it names another host', async () => {
    for (const path of paths)
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, headers, text } = await port.ask(path, { method, headers: { Host: 'evil.example.com:8081' } });
        expect(status, `${method} ${path}`).to.equal(421);
        expect(headers['content-type']).to.equal('application/problem+json');
        expect(JSON.parse(text)).to.include({ code: 'misdirected_request', status: 421 });
        expect(text).to.not.include('secret').and.not.include('evil');
      }
  });

  it('is replaced by the host of an absolute target (RFC 9112, section 3.2.2)', async () => {
    const get = (target: string) =>
      exchange(port.url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await get('http://evil.example.com/outbox')).to.match(/^HTTP\/1\.1 421 /);
    expect(await get('http://localhost:8081/livez')).to.match(/^HTTP\/1\.1 200 /);
  });

  it('is refused with a line in the log that contains no text of the request', async () => {
    const before = port.lines.length;
    await port.ask('/private-path', { headers: { Host: 'evil.example.com', 'X-Request-Id': 'a-request' } });
    const [line, ...others] = port.lines.slice(before);
    expect(others).to.deep.equal([]);
    expect(line?.level).to.equal('warn');
    expect(line?.fields).to.deep.equal({ method: 'GET', address: '127.0.0.1', request: 'a-request' });
    expect(line?.message).to.include('server.adminHosts');
    expect(JSON.stringify(port.lines)).to.not.include('evil').and.not.include('private-path');
  });

  for (const host of [
    'localhost',
    'LocalHost:8081',
    '127.0.0.1:8081',
    '10.1.2.3',
    '[::1]:8081',
    '[::1]',
    'latchkey:8081',
    'ADMIN.example.com',
    'admin.example.com.:8081',
  ])
    it(`may be ${host}`, async () => {
      for (const path of ['/livez', '/outbox'])
        expect((await port.ask(path, { headers: { Host: host } })).status).to.equal(200);
    });

  for (const host of [
    'example.com',
    'evil-admin.example.com',
    'x.admin.example.com',
    'admin.example.com.evil.example',
    'evil.localhost',
    'localhost.evil.example',
    'localhost:80:80',
    '127.0.0.1.evil.example',
    '1.2.3',
    '0x7f.1',
    '[evil.example]:8081',
    'latchkey@evil.example',
  ])
    it(`may not be ${host}`, async () => {
      expect((await port.ask('/livez', { headers: { Host: host } })).status).to.equal(421);
    });

  it('must be sent exactly once, except that HTTP/1.0, as health checks of load balancers use it, may omit it', async () => {
    const get = (version: string, hosts: string) =>
      exchange(port.url, `GET /livez HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`);
    expect(await get('1.1', '')).to.match(/^HTTP\/1\.1 400 /);
    expect(await get('1.1', 'Host: localhost\r\nHost: evil.example\r\n')).to.match(/^HTTP\/1\.1 400 /);
    expect(await get('1.0', '')).to.match(/^HTTP\/1\.1 200 /);
    expect(await get('1.1', 'Host:\r\n')).to.match(/^HTTP\/1\.1 421 /);
    expect(await get('1.0', 'Host: evil.example\r\n')).to.match(/^HTTP\/1\.1 421 /);
  });

  it('may be the name of server.adminHost', async function () {
    const named = await startAdminPort({ server: { adminHost: hostname() } }).catch(() => undefined);
    // Some machines cannot be reached by their own name.
    if (named === undefined) return this.skip();
    const { status } = await named.ask('/livez', { headers: { Host: `${hostname()}:8081` } });
    await named.stop();
    expect(status).to.equal(200);
  });
});

describe('the probes of the admin port', () => {
  let port: AdminPort;
  before(async () => {
    port = await startAdminPort({ admin });
  });
  after(() => port.stop());

  for (const path of ['/healthcheck', '/ping', '/livez', '/readyz', '/metrics'])
    it(`answer in any case of their path, as in former versions: ${path}`, async () => {
      const { status } = await port.ask(path);
      for (const spelt of [path.toUpperCase(), `/${path.charAt(1).toUpperCase()}${path.slice(2)}`, `${path}/`])
        expect((await port.ask(spelt)).status, spelt).to.equal(status);
      expect((await port.ask(path.toUpperCase(), { method: 'POST' })).status).to.equal(405);
    });

  it('are no model for the administration, whose paths are case-sensitive', async () => {
    for (const path of ['/ADMIN', '/Admin/users', '/admin/Users'])
      expect((await port.ask(path)).status, path).to.equal(404);
  });
});

describe('other methods on the admin port', () => {
  let port: AdminPort;
  before(async () => {
    port = await startAdminPort({ admin });
  });
  after(() => port.stop());

  const headers = { Authorization: `Basic ${Buffer.from('root:a secret of an administrator').toString('base64')}` };

  for (const path of ['/healthcheck', '/livez', '/metrics', '/', '/admin', '/admin/user'])
    it(`are refused as by the API, and named by OPTIONS: ${path}`, async () => {
      const refused = await port.ask(path, { method: 'DELETE', headers });
      expect(refused.status).to.equal(405);
      expect(refused.headers.allow).to.equal('HEAD, GET, OPTIONS');
      expect(JSON.parse(refused.text)).to.include({ code: 'method_not_allowed' });
      const options = await port.ask(path, { method: 'OPTIONS', headers });
      expect([options.status, options.headers.allow]).to.deep.equal([204, 'HEAD, GET, OPTIONS']);
    });
});

describe('knownHosts', () => {
  it('refuses names that contain a listed name', () => {
    const isKnown = knownHosts(['latchkey']);
    const label = fc.stringMatching(/^[a-z0-9-]{1,10}$/);
    fc.assert(
      fc.property(label, label, fc.integer({ min: 0, max: 65_535 }), (one, other, port) => {
        for (const host of [`${one}.latchkey`, `latchkey.${one}`, `${one}.${other}.localhost`])
          expect(isKnown(`${host}:${port}`), host).to.equal(false);
      }),
    );
  });

  it('accepts all IPv4 and IPv6 addresses', () => {
    const isKnown = knownHosts([]);
    fc.assert(fc.property(fc.ipV4(), (address) => isKnown(`${address}:8081`)));
    fc.assert(fc.property(fc.ipV6(), (address) => isKnown(`[${address}]:8081`)));
  });
});
