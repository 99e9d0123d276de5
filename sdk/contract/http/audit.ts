import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect } from 'chai';
import { basic, newAddress } from './client.ts';
import type { Blocks, Harness, TestService } from './harness.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The audit lines about a user, in order. */
const entriesIn = async (file: string, user: string): Promise<readonly Entry[]> => {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const entries = lines.map((line): Entry => JSON.parse(line));
  return entries.filter((entry) => entry.user === user.toLowerCase());
};

/** Waits for a number of audit lines about a user, because they are written after the response. */
const entriesOf = async (file: string, user: string, count: number): Promise<readonly Entry[]> => {
  const until = performance.now() + 5_000;
  for (;;) {
    const entries = await entriesIn(file, user).catch(() => []);
    if (entries.length >= count || performance.now() > until) return entries;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const outline = ({ operation, client, status, outcome }: Entry): string =>
  `${operation} by ${client}: ${status} ${outcome}`;

/** The block `audit`: a line for each request about a user. */
export const audit = (harness: Harness): void => {
  describe('the audit', () => {
    const audited = async (name: string, blocks: Blocks = {}): Promise<TestService & { readonly file: string }> => {
      const file = `${await harness.file('place', '')}-${name}/audit.jsonl`;
      return { ...(await harness.service({ ...blocks, audit: { file } })), file };
    };

    it('records actor, action, user, address and outcome, and no secret', async () => {
      const { client, file } = await audited('all');
      const account = await client.create({ address: `Mixed.${newAddress()}`, properties: { colour: 'secret green' } });
      const { address, password } = account;
      const query = { email: address };
      await client.read(account);
      await client.get('/users', { query, password: 'a wrong guess' });
      await client.get('/users', { query, password, authorization: null });
      await client.post('/users', { body: { email: { address }, password } });
      await client.put('/users', { password, body: { email: { address }, password, colour: 'secret red' } });
      await client.send('PATCH', '/users', { query, password, body: { colour: 'secret blue' } });
      const token = await client.token(account);
      await client.get('/verify', { query: { email: address, token }, authorization: null });
      await client.get('/verify', { query: { email: address, token: 'a wrong token' }, authorization: null });
      await client.post('/verify/reset', { query, password });
      const removed = await client.delete('/users', { query, password });
      await client.delete('/users', { query, password });
      const entries = await entriesOf(file, address, 13);
      expect(entries.map(outline)).to.deep.equal([
        'createUser by suite: 201 ok',
        'getUser by suite: 200 ok',
        'getUser by suite: 401 wrong_password',
        'getUser by null: 401 client_unauthorized',
        'createUser by suite: 409 user_exists',
        'updateUser by suite: 200 ok',
        'patchUser by suite: 200 ok',
        'sendVerification by suite: 200 ok',
        'confirmVerification by null: 200 ok',
        'confirmVerification by null: 400 token_mismatch',
        'resetVerification by suite: 200 ok',
        'deleteUser by suite: 200 ok',
        'deleteUser by suite: 404 user_not_found',
      ]);
      const [first] = entries;
      expect(first).to.include({ key: 1 });
      const names = ['time', 'request', 'operation', 'client', 'key', 'user', 'address', 'status', 'outcome'];
      expect(first).to.have.all.keys(...names);
      expect(first?.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(first?.address).to.match(/127\.0\.0\.1$/);
      const everything = await readFile(file, 'utf8');
      const secrets = [password, 'a wrong guess', token, 'a wrong token', 'secret green', 'secret red', 'secret blue'];
      for (const secret of [...secrets, removed.user.password, client.credentials.slice(6)])
        expect(everything).to.not.include(secret);
    });

    it('names the permission that the key of a refused request lacks', async () => {
      const secret = 'a secret of the reader: 5b1d0e93';
      const auth = { keys: [{ application: 'reader', secret, may: ['read'] }] };
      const { client, file } = await audited('permission', { auth });
      const authorization = basic('reader', secret);
      const email = newAddress();
      await client.delete('/users', { query: { email }, password: 'any', authorization });
      await client.get('/users', { query: { email }, password: 'any', authorization });
      const [refused, read] = await entriesOf(file, email, 2);
      expect(refused).to.include({ operation: 'deleteUser', client: 'reader', status: 403, outcome: 'not_permitted' });
      expect(refused).to.have.property('permission', 'delete');
      expect(read).to.include({ outcome: 'user_not_found' }).and.not.have.property('permission');
    });

    it('has the request id of the response, and is readable by its owner only', async () => {
      const { client, file } = await audited('all');
      const email = newAddress();
      const response = await client.get('/users', {
        query: { email },
        password: 'x',
        headers: { 'X-Request-Id': 'id-7' },
      });
      expect(response.headers.get('x-request-id')).to.equal('id-7');
      const [entry] = await entriesOf(file, email, 1);
      expect(entry).to.include({ request: 'id-7' });
      expect((await stat(file)).mode & 0o077).to.equal(0);
    });

    it('cannot be forged by the content of a request', async () => {
      const { client, file } = await audited('all');
      const marker = newAddress();
      const forged = `jane@example.com\n{"user":"${marker}","operation":"deleteUser"}`;
      await client.get('/users', { query: { email: forged }, password: 'x' });
      await client.post('/users', { body: { email: { address: forged }, password: 'x' } });
      await client.get('/users', { query: { email: marker }, password: 'x' });
      expect((await entriesOf(file, marker, 1)).map(outline)).to.deep.equal(['getUser by suite: 404 user_not_found']);
    });

    it('takes the client address from trusted proxies only', async () => {
      const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' };
      const headers = { 'X-Forwarded-For': 'anything "at all", 198.51.100.3, 192.0.2.7' };
      for (const [name, trustProxy, expected] of [
        ['proxy', true, /^192\.0\.2\.7$/],
        ['two-proxies', 2, /^198\.51\.100\.3$/],
        ['too-many-proxies', 4, /^198\.51\.100\.3$/],
        ['no-proxy', false, /127\.0\.0\.1$/],
        ['another-proxy', ['192.0.2.0/24'], /127\.0\.0\.1$/],
      ] as const) {
        const { client, file } = await audited(name, { server: { ...server, trustProxy } });
        const email = newAddress();
        await client.get('/users', { query: { email }, password: 'x', headers });
        const [entry] = await entriesOf(file, email, 1);
        expect(String(entry?.address), name).to.match(expected);
      }
    });

    it('contains nothing but valid addresses', async () => {
      const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' };
      const { client, file } = await audited('proxy', { server: { ...server, trustProxy: true } });
      for (const told of ['unknown', '192.0.2.7", "client": "root', '192.0.2.7 192.0.2.8', '1', '']) {
        const email = newAddress();
        await client.get('/users', { query: { email }, password: 'x', headers: { 'X-Forwarded-For': told } });
        const [entry] = await entriesOf(file, email, 1);
        expect(String(entry?.address), told).to.match(/127\.0\.0\.1$/);
      }
    });

    it('records the address of a client that disconnected before the response', async () => {
      const passwordHash = { algorithm: 'argon2', serverSideHash: true };
      const { client, url, file } = await audited('abandoned', { passwordHash });
      const { address } = await client.create();
      const host = 'Host: localhost';
      const quick = ['GET /verify/success HTTP/1.1', host];
      const slow = [
        `GET /users?email=${address} HTTP/1.1`,
        host,
        `Authorization: ${client.credentials}`,
        'password: x',
      ];
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.write([quick, slow].map((lines) => `${lines.join('\r\n')}\r\n\r\n`).join(''));
      // Both requests have arrived when the first response is sent, and the second one waits for its password check.
      await once(socket, 'data');
      socket.resetAndDestroy();
      const [, entry] = await entriesOf(file, address, 2);
      expect(String(entry?.address)).to.match(/127\.0\.0\.1$/);
    });

    it('records the actions of administrators', async () => {
      const secret = 'a secret of an administrator: 5f1c02';
      const { client, adminUrl, file } = await audited('admin', {
        admin: { keys: [{ application: 'root', secret }] },
      });
      const { address } = await client.create();
      const path = `${adminUrl}/admin/users/${encodeURIComponent(address)}`;
      await fetch(path, { method: 'DELETE' });
      await fetch(path, { method: 'DELETE', headers: { Authorization: basic('root', secret) } });
      const [, refused, done] = await entriesOf(file, address, 3);
      expect(refused).to.include({ client: null, status: 401, outcome: 'client_unauthorized' });
      expect(done).to.include({ client: 'root', status: 200, outcome: 'ok', operation: 'removeUser' });
      const page = `${adminUrl}/admin/user?address=${encodeURIComponent(address)}`;
      await fetch(page, { headers: { Authorization: basic('root', secret) } });
      const [, , , shown] = await entriesOf(file, address, 4);
      expect(shown).to.include({ client: 'root', status: 404, outcome: 'refused', operation: 'inspectUser' });
      await fetch(page);
      const [, , , , asked] = await entriesOf(file, address, 5);
      expect(asked).to.include({ client: null, status: 401, outcome: 'client_unauthorized' });
    });

    it('goes to the log if configured, and nowhere without the block', async () => {
      const logged = await harness.service({ audit: { to: 'log' } });
      const { address } = await logged.client.create();
      const audits = async (service: TestService, user: string): Promise<readonly string[]> =>
        (await service.log()).filter((line) => line.includes('audit') && line.includes(user));
      expect((await audits(logged, address)).length).to.equal(1);
      const silent = await harness.service();
      const other = await silent.client.create();
      expect(await audits(silent, other.address)).to.deep.equal([]);
    });
  });
};
