import { spawnSync } from 'node:child_process';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { createUser, eachWithInstallation, Installation, readUser, type Serving } from './installation.ts';

describe('latchkey serve with the default configuration', () => {
  let installation: Installation;
  let serving: Serving;
  before(async () => {
    installation = await Installation.create();
    await installation.configure();
    serving = await installation.serve();
  });
  after(() => installation.dispose());

  it('prints the addresses of the service, its documentation and its health, and where mails go', async () => {
    const { run, url, adminUrl } = serving;
    expect(run.stderr).to.match(new RegExp(`Service: +${url}\n`));
    expect(run.stderr).to.match(new RegExp(`Documentation: +${url}/swagger\n`));
    expect(run.stderr).to.match(/Mails: +mails are written to files in outbox\n/);
    expect(run.stderr).to.match(new RegExp(`Health: +${adminUrl}/healthcheck\n`));
    expect((await fetch(`${url}/swagger`)).status).to.equal(200);
    expect((await fetch(`${adminUrl}/healthcheck`)).status).to.equal(200);
  });

  it('prints a curl command that creates a user', async function () {
    if (spawnSync('curl', ['--version']).error !== undefined) {
      console.warn('curl is not installed: the printed curl command was NOT tested');
      this.skip();
    }
    const { run, url } = serving;
    const line = run.stderr.split('\n').find((text) => text.trim().startsWith('curl'));
    const pasted = spawnSync('sh', ['-c', `${line} --silent --write-out ' %{http_code}'`], { encoding: 'utf8' });
    expect(pasted.stdout).to.match(/^\{"email":\{"address":"jane@example.com".* 201$/);
    expect(await readUser(url, 'jane@example.com')).to.equal(200);
  });
});

describe('latchkey serve', () => {
  const installation = eachWithInstallation();

  it('quotes the curl command for the shell', async () => {
    await installation().configure({ auth: { keys: [{ application: "o'hara $(exit)", secret: 'development-only' }] } });
    const { run } = await installation().serve();
    const line = run.stderr.split('\n').find((text) => text.trim().startsWith('curl')) ?? '';
    const words = spawnSync('sh', ['-c', `printf '%s\n' ${line}`], { encoding: 'utf8' }).stdout.split('\n');
    expect(words).to.include("o'hara $(exit):development-only");
  });

  it('prints that mails or the documentation are switched off', async () => {
    await installation().configure({ email: { type: 'none' }, openApi: { enabled: false } });
    const { run } = await installation().serve();
    expect(run.stderr).to.match(/Documentation: +switched off\n/);
    expect(run.stderr).to.match(/Mails: +switched off\n/);
  });

  it('says that it is not ready while the database cannot be used, and when it is', async () => {
    const path = join(installation().folder, 'users.db');
    await mkdir(path);
    const { run, adminUrl, url } = await installation().serve();
    expect(run.stderr).to.match(/Latchkey is listening, but not ready: database \S*users\.db: /);
    expect(run.stderr).to.not.include('Latchkey is ready');
    const logged = () => run.log.map(({ msg }) => msg);
    expect(logged().slice(-2)).to.deep.equal([
      'listening',
      'listening, but not ready: requests fail until the database can be used',
    ]);
    expect((await fetch(`${adminUrl}/readyz`)).status).to.equal(503);
    expect(await createUser(url, 'jane@example.com')).to.equal(503);
    await rmdir(path);
    await eventually(async () => expect(logged()).to.include('ready: the database answers'), 10_000);
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
  });

  it('logs each request with its time, and loses none that it logged just before its stop', async () => {
    await installation().configure({ logging: { requests: 'all' } });
    const { url, run, stop } = await installation().serve();
    const sentMs: number[] = [];
    for (let request = 0; request < 50; request++) {
      sentMs.push(Date.now());
      await readUser(url, 'jane@example.com');
    }
    await stop();
    const times = run.log.filter(({ msg }) => msg === 'request').map(({ time }) => Date.parse(String(time)));
    expect(times).to.have.length(sentMs.length);
    for (const [request, earliest] of sentMs.entries()) expect(times[request]).to.be.within(earliest, Date.now());
  });

  it('writes only JSON lines to standard output', async () => {
    await installation().configure({ logging: { requests: 'all' } });
    const { run, url, stop } = await installation().serve();
    await createUser(url, 'jane@example.com');
    expect(await stop()).to.equal(0);
    expect(run.log.map(({ msg }) => msg)).to.include.members([
      'listening',
      'ready: the database answers',
      'request',
      'stopping',
      'stopped',
    ]);
    for (const entry of run.log) expect(entry).to.include.keys('level', 'time', 'msg');
  });

  it('never prints a secret or the content of a request', async () => {
    const secret = 'canary-of-a-real-key';
    await installation().configure({
      logging: { level: 'trace', requests: 'all' },
      auth: { keys: [{ application: 'shop', secret: '${SHOP_SECRET}' }] },
    });
    const { run, url, stop } = await installation().serve({ SHOP_SECRET: secret });
    const Authorization = `Basic ${Buffer.from(`shop:${secret}`).toString('base64')}`;
    const headers = { Authorization, 'Content-Type': 'application/json', password: 'canary-password' };
    const body = '{"email":{"address":"canary@example.com"},"password":"canary-password"}';
    expect((await fetch(`${url}/users`, { method: 'POST', headers, body })).status).to.equal(201);
    expect((await fetch(`${url}/users?email=canary@example.com`, { headers })).status).to.equal(200);
    await stop();
    expect(run.stderr).to.match(/curl -u 'shop' /);
    expect(run.stdout + run.stderr).not.to.include('canary');
    expect(run.stdout + run.stderr).not.to.include(Authorization);
  });

  it('keeps users across a restart', async () => {
    const first = await installation().serve();
    expect(await createUser(first.url, 'jane@example.com')).to.equal(201);
    expect(await first.stop()).to.equal(0);
    const second = await installation().serve();
    expect(await readUser(second.url, 'jane@example.com')).to.equal(200);
  });

  it('shares a database file with a second service', async () => {
    const services = await Promise.all([installation().serve(), installation().serve()]);
    const addresses = Array.from({ length: 20 }, (_, n) => `user-${n}@example.com`);
    for (const address of addresses) {
      const statuses = await Promise.all(services.map(({ url }) => createUser(url, address)));
      expect(statuses.sort()).to.deep.equal([201, 409]);
      expect(await Promise.all(services.map(({ url }) => readUser(url, address)))).to.deep.equal([200, 200]);
    }
  });
});
