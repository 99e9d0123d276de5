import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeConfiguration } from '../../../bootstrap/configuration/index.ts';
import { type RunningService, startService } from '../../../bootstrap/service.ts';
import { ManualClock } from '../../support/doubles/manual-clock.ts';
import { silentContext } from '../../support/doubles/silent-context.ts';

const hourMs = 3_600_000;
const start = Date.UTC(2040, 5, 1);
const expires = '2040-06-01T01:00:00Z';
const secrets = (former: string, next: string) => [{ secret: former, expires }, { secret: next }];
const [former, next] = ['the former secret', 'the next secret!!'];

/** Everything in the service that tells or compares the time takes it from one clock. */
describe('the clock of a service', () => {
  const clock = new ManualClock(start);
  let folder: string;
  let service: RunningService;
  beforeEach(async () => {
    clock.time = start;
    folder = await mkdtemp(join(tmpdir(), 'latchkey-clock-'));
    const document = {
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://users.example.com' },
      database: { type: 'sqlite', path: join(folder, 'users.db') },
      auth: { type: 'basic', keys: [{ application: 'app', secrets: secrets(former, next) }] },
      admin: { keys: [{ application: 'root', secrets: secrets(former, next) }] },
      email: { type: 'outbox', directory: join(folder, 'mails'), tokenLifetime: '2h', confirmChange: true },
      audit: { to: 'file', file: join(folder, 'audit.log') },
      activity: { precision: '1m', since: '2040-01-01' },
    };
    const { configuration } = await decodeConfiguration('the configuration', document, silentContext.log);
    service = await startService(configuration, silentContext.log, undefined, clock);
    expect((await asClient('POST', '', { email: { address: 'jane@example.com' }, password: 'right' })).status).to.equal(
      201,
    );
  });
  afterEach(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const send = async (url: string, application: string, secret: string, method: string, body?: object) => {
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Basic ${Buffer.from(`${application}:${secret}`).toString('base64')}`,
        password: 'right',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const asClient = (method: string, query: string, body?: object, secret = next) =>
    send(`${service.url}/users${query}`, 'app', secret, method, body);
  const asAdministrator = (method: string, path: string, body?: object, secret = next) =>
    send(`${service.adminUrl}/admin${path}`, 'root', secret, method, body);
  const jane = '?email=jane@example.com';

  it('ends secrets of clients and of administrators, and accepts them again when it is set back', async () => {
    const statuses = async () => [
      (await asClient('GET', jane, undefined, former)).status,
      (await asAdministrator('GET', '/users', undefined, former)).status,
    ];
    clock.time = start + hourMs - 1;
    expect(await statuses()).to.deep.equal([200, 200]);
    clock.time += 1;
    expect(await statuses()).to.deep.equal([401, 401]);
    clock.time = start;
    expect(await statuses()).to.deep.equal([200, 200]);
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    for (const block of ['auth', 'admin'])
      expect(metrics).to.include(
        `latchkey_secret_last_use_timestamp_seconds{option="${block}.keys[0].secrets[0]"} ${start / 1000}`,
      );
  });

  it('is that of the audit, of the files of mails, and of the times of users', async () => {
    clock.time = start + 5;
    const sent = await fetch(`${service.url}/verify${jane}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`app:${next}`).toString('base64')}`, password: 'right' },
    });
    expect(sent.status).to.be.oneOf([200, 202, 204]);
    expect((await readdir(join(folder, 'mails')))[0]).to.match(/^2040-06-01T000000\.005Z-/);
    const outbox = async () => (await fetch(`${service.adminUrl}/outbox`)).text();
    expect(await outbox()).to.include('(just now)');
    clock.time += hourMs;
    expect(await outbox()).to.include('(1 hour ago)');
    await service.stop();
    const lines = (await readFile(join(folder, 'audit.log'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).time)).to.deep.equal([
      '2040-06-01T00:00:00.000Z',
      '2040-06-01T00:00:00.005Z',
    ]);
  });

  it('decides which end of a disablement lies in the future, in the API and in the form', async () => {
    const path = '/users/jane@example.com/disable';
    const until = start + hourMs;
    expect((await asAdministrator('POST', path, { reason: 'a test', until: start })).status).to.equal(400);
    expect((await asAdministrator('POST', path, { reason: 'a test', until })).status).to.equal(200);
    expect((await asClient('GET', jane)).status).to.equal(403);
    expect((await asAdministrator('GET', `/user?address=jane@example.com`)).text).to.include('(in 1 hour)');
    clock.time = until;
    expect((await asClient('GET', jane)).status).to.equal(200);
    const page = (await asAdministrator('GET', '/user?address=jane@example.com')).text;
    expect(page).to.include('(1 hour ago)').and.to.not.include('Disabled until');
    const form = (await asAdministrator('GET', '/disable?address=jane@example.com')).text;
    const token = /name="token" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const submit = async (time: string) => {
      const body = new URLSearchParams({ address: 'jane@example.com', token, reason: 'a test', until: time });
      const Authorization = `Basic ${Buffer.from(`root:${next}`).toString('base64')}`;
      const headers = { Authorization };
      return (await fetch(`${service.adminUrl}/admin/disable`, { method: 'POST', headers, body, redirect: 'manual' }))
        .status;
    };
    expect(await submit('2040-06-01T01:00'), 'now').to.equal(400);
    expect(await submit('2040-06-01T01:01'), 'in a minute').to.equal(303);
  });

  it('decides who is inactive, and how long a new address is shown', async () => {
    const inactive = async () =>
      JSON.parse((await asAdministrator('GET', '/users?inactiveSince=1h')).text).users.length;
    const change = { email: { address: 'jane@example.org' }, password: 'right' };
    expect((await asClient('PUT', jane, change)).status).to.equal(200);
    clock.time = start + hourMs - 1;
    expect(await inactive()).to.equal(0);
    expect((await asClient('GET', jane)).text).to.include('jane@example.org');
    clock.time = start + 3 * hourMs;
    expect(await inactive()).to.equal(1);
    expect((await asAdministrator('GET', '/users/jane@example.com')).text).to.not.include('jane@example.org');
    expect((await asAdministrator('GET', '/user?address=jane@example.com')).text).to.not.include('jane@example.org');
    expect((await asAdministrator('GET', '?address=jane')).text).to.include('3 hours ago');
    const longInactive = async () => (await asAdministrator('GET', '?inactiveSince=30d')).text;
    expect(await longInactive()).to.include('No user matches');
    clock.time = start + 31 * 24 * hourMs;
    expect(await longInactive()).to.include('jane@example.com');
    expect((await asClient('GET', jane)).text).to.not.include('jane@example.org');
  });
});
