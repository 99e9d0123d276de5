import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type AdminPort, startAdminPort } from '../admin-port.ts';

const basic = (user: string, secret: string): string => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
const root = basic('root', 'a secret of an administrator');
const wrong = basic('private-name', 'private-guess');
const keys = [{ application: 'root', secret: 'a secret of an administrator' }];

/** Starts a service for each test, because a service counts wrong keys until it stops. */
const eachWithAdminPort = (): (() => { readonly port: AdminPort; entries(): Promise<readonly object[]> }) => {
  let running: { readonly port: AdminPort; readonly folder: string } | undefined;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-guard-'));
    const audit = { file: join(folder, 'audit.jsonl') };
    running = { folder, port: await startAdminPort({ admin: { keys }, audit, logging: { requests: 'none' } }) };
  });
  afterEach(async () => {
    await running?.port.stop();
    if (running !== undefined) await rm(running.folder, { recursive: true });
  });
  return () => {
    if (running === undefined) throw new TypeError('there is a service only while a test runs');
    const { port, folder } = running;
    const entries = async (): Promise<readonly object[]> => {
      // Stopping writes all lines of the audit to the file.
      await port.stop();
      const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line));
    };
    return { port, entries };
  };
};

const guess = (port: AdminPort, count: number, from?: string) =>
  Promise.all(
    Array.from({ length: count }, () =>
      port.ask('/admin/users', { headers: { Authorization: wrong }, ...(from && { from }) }),
    ),
  );

const refusedLogins = ({ lines }: AdminPort) =>
  lines.filter(({ message }) => message === 'a login of an administrator was refused');

describe('wrong keys of administrators', () => {
  const running = eachWithAdminPort();

  it('are answered late, a right key at once', async () => {
    const { port } = running();
    const started = performance.now();
    const answered: string[] = [];
    const late = guess(port, 1).then(([response]) => {
      answered.push('wrong');
      expect(response?.status).to.equal(401);
      expect(response?.headers['www-authenticate']).to.equal('Basic realm="latchkey admin", charset="UTF-8"');
      // Timers can end slightly early by this clock.
      expect(performance.now() - started).to.be.greaterThan(490);
    });
    const { status } = await port.ask('/admin/users', { headers: { Authorization: root } });
    answered.push('right');
    await late;
    expect(status).to.equal(200);
    expect(answered).to.deep.equal(['right', 'wrong']);
  });

  it('block their address after ten, also for the right key, and no other address', async () => {
    const { port } = running();
    const statuses = (await guess(port, 30, '127.0.0.2')).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(10);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(20);
    for (const path of ['/admin', '/admin/users', '/admin/nowhere']) {
      const blocked = await port.ask(path, { headers: { Authorization: root }, from: '127.0.0.2' });
      expect(blocked.status, path).to.equal(429);
      expect(Number(blocked.headers['retry-after'])).to.be.within(890, 900);
      expect(JSON.parse(blocked.text)).to.include({ code: 'too_many_attempts' });
      expect((await port.ask(path, { headers: { Authorization: root } })).status, path).to.not.equal(429);
    }
    // A request without a key is still asked for one.
    expect((await port.ask('/admin/users', { from: '127.0.0.2' })).status).to.equal(401);
    expect((await port.ask('/livez', { from: '127.0.0.2' })).status).to.equal(200);
  });

  it('do not block an administrator when a page of another site makes the browser send them', async () => {
    const { port } = running();
    const from = '127.0.0.3';
    const visit = (Authorization: string, site: string) =>
      port.ask('/admin', { headers: { Authorization, 'Sec-Fetch-Site': site }, from });
    const sent = await Promise.all(Array.from({ length: 12 }, () => visit(wrong, 'cross-site')));
    expect(sent.map(({ status }) => status).filter((status) => status === 429)).to.have.lengthOf(2);
    expect((await visit(root, 'cross-site')).status).to.equal(429);
    for (const site of ['none', 'same-origin']) expect((await visit(root, site)).status, site).to.equal(200);
  });

  it('are ignored at the index, which shows nothing of administrators after ten from an address', async () => {
    const { port } = running();
    const index = async (from: string, Authorization: string) => {
      const { status, text } = await port.ask('/', { headers: { Authorization, Accept: 'text/html' }, from });
      expect(status).to.equal(200);
      return /Signed in as|\d+ users/.test(text) ? 'signed in' : 'anonymous';
    };
    const [proxy, guesser] = ['127.0.0.4', '127.0.0.5'];
    for (let count = 0; count < 9; count++) expect(await index(proxy, wrong)).to.equal('anonymous');
    for (let count = 0; count < 12; count++) expect(await index(proxy, 'Bearer of-the-proxy')).to.equal('anonymous');
    expect(await index(proxy, root)).to.equal('signed in');
    for (let count = 0; count < 3; count++) expect(await index(proxy, wrong)).to.equal('anonymous');
    expect(await index(proxy, root), 'after ten').to.equal('anonymous');
    expect((await port.ask('/admin', { headers: { Authorization: root }, from: proxy })).status).to.equal(200);
    await guess(port, 10, guesser);
    expect(await index(guesser, root), 'blocked').to.equal('anonymous');
    expect(await index('127.0.0.6', root)).to.equal('signed in');
    expect(port.lines.filter(({ message }) => message.startsWith('a key at the index'))).to.have.lengthOf(10);
    expect(JSON.stringify(port.lines)).to.not.include('private');
  });

  it('cannot exceed the limit by arriving at once on one connection', async () => {
    const { port } = running();
    const { hostname, port: number } = new URL(port.url);
    const request = (authorization: string, last: boolean): string =>
      `GET /admin/users HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
    let responses = '';
    await new Promise((resolve, reject) => {
      const socket = connect(Number(number), hostname).once('error', reject).once('close', resolve);
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        responses += chunk;
      });
      socket.write(`${request(wrong, false).repeat(10)}${request(root, true)}`);
    });
    const statuses = [...responses.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses).to.deep.equal([...new Array<string>(10).fill('401'), '429']);
  });

  it('are logged with their address and audited without any text of the request; the log says when one blocks', async () => {
    const { port, entries } = running();
    await guess(port, 12, '127.0.0.2');
    await port.ask('/admin/users/private%40example.com', { headers: { Authorization: wrong } });
    await port.ask('/admin/user?address=private@example.com', { headers: { Authorization: wrong } });
    await port.ask('/admin/private', { headers: { Authorization: 'Bearer private' } });
    const lines = refusedLogins(port);
    expect(lines).to.have.lengthOf(13);
    expect(lines.every(({ level }) => level === 'warn')).to.equal(true);
    const [first, ...others] = lines.map(({ fields: { request: _, ...fields } }) => fields);
    expect(first).to.deep.equal({
      method: 'GET',
      route: '/admin/users',
      address: '127.0.0.2',
      blockedForSeconds: undefined,
    });
    expect(others.filter(({ blockedForSeconds }) => blockedForSeconds !== undefined)).to.deep.equal([
      { ...first, blockedForSeconds: 900 },
    ]);
    expect(others.slice(-3).map(({ route }) => route)).to.deep.equal(['/admin/users/:address', '/admin/user', 'other']);
    const audited = await entries();
    expect(audited).to.have.lengthOf(15);
    const outcomes = audited.map((entry) => Object(entry)).map(({ operation, outcome }) => `${operation} ${outcome}`);
    expect(outcomes.slice(-3)).to.deep.equal([
      'inspectUser client_unauthorized',
      'inspectUser client_unauthorized',
      'other client_unauthorized',
    ]);
    expect(outcomes.filter((outcome) => outcome === 'listUsers too_many_attempts')).to.have.lengthOf(2);
    for (const entry of audited) expect(entry).to.include({ client: null, user: null });
    expect(audited[0]).to.include({ address: '127.0.0.2' });
    for (const text of [JSON.stringify(audited), JSON.stringify(port.lines)])
      expect(text).to.not.include('private').and.not.include(wrong.slice(6));
  });
});

describe('a cross-site request to the administration', () => {
  const running = eachWithAdminPort();

  const calls = [
    ['DELETE', '/admin/users/private@example.com', '/admin/users/:address', 'removeUser'],
    ['POST', '/admin/users/private%40example.com/reset', '/admin/users/:address/reset', 'forceReset'],
    ['POST', '/admin/delete', '/admin/delete', 'removeUser'],
    ['POST', '/admin/reset?address=private@example.com', '/admin/reset', 'forceReset'],
    ['PUT', '/admin/private', 'other', 'other'],
  ] as const;

  it('is logged by its route and audited without any text of the request', async () => {
    const { port, entries } = running();
    for (const [method, path] of calls) {
      const headers = { Authorization: root, 'Sec-Fetch-Site': 'cross-site' };
      expect((await port.ask(path, { method, headers })).status).to.equal(403);
    }
    const lines = port.lines.filter(({ message }) => message.startsWith('a cross-site request'));
    expect(lines.map(({ level, fields: { method, route, address } }) => [level, method, route, address])).to.deep.equal(
      calls.map(([method, , route]) => ['warn', method, route, '127.0.0.1']),
    );
    const audited = await entries();
    expect(audited.map((entry) => Object(entry).operation)).to.deep.equal(calls.map(([, , , operation]) => operation));
    for (const entry of audited)
      expect(entry).to.include({ client: null, user: null, address: '127.0.0.1', status: 403, outcome: 'cross_site' });
    for (const text of [JSON.stringify(audited), JSON.stringify(port.lines)]) expect(text).to.not.include('private');
  });
});
