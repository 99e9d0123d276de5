import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigurationError } from '../../../../bootstrap/configuration/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { type LatchkeyConfiguration, startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';
import { Environment } from '../../../support/environment.ts';

const jane = { email: 'jane@example.com', password: 'correct horse' };
const newJane = { email: { address: jane.email }, password: jane.password };

describe('startLatchkey', () => {
  const environment = new Environment();
  const running: TestLatchkey[] = [];
  const started = async (options?: LatchkeyConfiguration): Promise<TestLatchkey> => {
    const latchkey = await startLatchkey(options);
    running.push(latchkey);
    return latchkey;
  };
  afterEach(async () => {
    environment.restore();
    await Promise.all(running.splice(0).map((latchkey) => latchkey.stop()));
  });

  it('starts a healthy service on free ports, without users', async () => {
    const [one, other] = await Promise.all([started(), started()]);
    expect(new Set([one.url, one.adminUrl, other.url, other.adminUrl]).size).to.equal(4);
    const health = await fetch(`${one.adminUrl}/healthcheck`);
    expect(await health.text())
      .to.include('users are kept in memory')
      .and.include('mails are kept in memory');
    expect(await one.client.createUser(newJane)).to.have.property('ok', true);
    expect(await one.client.getUser(jane)).to.have.property('ok', true);
    expect(await other.client.getUser(jane)).to.have.nested.property('problem.code', 'user_not_found');
  });

  it('returns the key of callers', async () => {
    const { url, credentials } = await started();
    const headers = {
      Authorization: `Basic ${btoa(`${credentials?.application}:${credentials?.secret}`)}`,
      'Content-Type': 'application/json',
    };
    const response = await fetch(`${url}/users`, { method: 'POST', headers, body: JSON.stringify(newJane) });
    expect(response.status).to.equal(201);
  });

  it('keeps mails with their verification links', async () => {
    const { client, mails, url } = await started();
    await client.createUser(newJane);
    expect(mails).to.deep.equal([]);
    await client.sendVerification(jane);
    const [mail] = mails;
    expect(mail).to.include({ to: jane.email, subject: 'Account Verification' });
    expect(mail?.link).to.match(new RegExp(`^${url}/verify\\?email=jane%40example.com&token=`));
    const page = await fetch(String(mail?.link));
    expect(page.url).to.equal(`${url}/verify/success`);
    expect(await client.getUser(jane)).to.have.nested.property('user.email.verified', true);
  });

  it('waits for the mail of a recovery, and returns its link and each mail once', async () => {
    const { client, nextMail } = await started({
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: { pageUrl: 'https://app.example.com/new-password' },
    });
    await client.createUser(newJane);
    await client.sendVerification(jane);
    await client.requestRecovery({ email: jane.email });
    expect(await nextMail(jane.email)).to.have.property('subject', 'Account Verification');
    const { link } = await nextMail(jane.email);
    expect(link).to.match(/^https:\/\/app\.example\.com\/new-password\?/);
    const token = new URL(String(link)).searchParams.get('token') ?? '';
    const password = 'a better horse';
    expect(await client.confirmRecovery({ email: jane.email, token, password })).to.deep.equal({ ok: true });
    const error = await rejection(nextMail(jane.email, 50));
    expect(error).to.have.property('message', `no mail to ${jane.email} within 50 ms; recorded so far: 2`);
  });

  it('waits for no mail after the stop, but returns those that arrived', async () => {
    for (const options of [{}, { email: { type: 'none' } }]) {
      const { nextMail, client, stop } = await started(options);
      await client.createUser(newJane);
      const isRecorded = (await client.sendVerification(jane)).ok;
      const waiting = rejection(nextMail('john@example.com', 60_000));
      await stop();
      const message = (to: string): string =>
        `no mail to ${to} before the service was stopped; recorded so far: ${isRecorded ? 1 : 0}`;
      expect(await waiting).to.have.property('message', message('john@example.com'));
      if (isRecorded) expect(await nextMail(jane.email)).to.have.property('to', jane.email);
      expect(await rejection(nextMail(jane.email, 60_000))).to.have.property('message', message(jane.email));
    }
  });

  it('has pages and links at its own address, unless publicUrl names another one', async () => {
    const options = {
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: {},
      email: { confirmChange: true },
    };
    const [one, other] = await Promise.all([started(options), started(options)]);
    for (const { url, client, nextMail } of [one, other]) {
      await client.createUser(newJane);
      await client.requestRecovery({ email: jane.email });
      const { link } = await nextMail(jane.email);
      expect(link).to.match(new RegExp(`^${url}/recovery\\?`));
      expect((await fetch(String(link))).status).to.equal(200);
    }
  });

  it('has an administrator, with the first key of a configuration', async () => {
    const { client, admin } = await started();
    await client.createUser(newJane);
    expect(await admin.listUsers()).to.have.nested.property('users[0].email.address', jane.email);
    expect(await admin.disableUser({ email: jane.email }, { reason: 'a test' })).to.have.property('ok', true);
    expect(await client.checkPassword(jane)).to.have.nested.property('problem.code', 'user_disabled');
    const configured = await started({ admin: { keys: [{ application: 'support', secret: 'a secret of support' }] } });
    expect(await configured.admin.getUser(jane.email)).to.have.nested.property('problem.code', 'user_not_found');
    const off = await started({ admin: null });
    expect((await fetch(`${off.adminUrl}/admin/users`)).status).to.equal(404);
  });

  it('returns the links about a new address', async () => {
    const { client, nextMail } = await started({
      server: { publicUrl: 'https://accounts.example.com' },
      email: { confirmChange: true },
    });
    await client.createUser(newJane);
    await client.updateUser(jane, { email: { address: 'jane.doe@example.com' } });
    const [confirm, cancel] = await Promise.all([nextMail('jane.doe@example.com'), nextMail(jane.email)]);
    expect(confirm.link).to.match(/^https:\/\/accounts\.example\.com\/change\?/);
    expect(cancel.link).to.match(/^https:\/\/accounts\.example\.com\/change\/cancel\?/);
  });

  it('accepts every block of the configuration file', async () => {
    const { client, mails, url, credentials } = await started({
      server: { publicUrl: 'https://accounts.example.com' },
      passwordHash: { algorithm: 'sha256', serverSideHash: true, allowCommonMistakes: true },
      properties: { allowSuperset: false, allowed: [{ name: 'plan', type: 'string' }] },
      email: { messageOptions: { subject: 'Welcome' } },
      auth: { keys: [{ application: 'shop', secret: 'a secret of the shop' }] },
      openApi: { title: 'Accounts' },
      operationTimeout: '5s',
    });
    expect(credentials).to.deep.equal({ application: 'shop', secret: 'a secret of the shop' });
    const refused = await client.createUser({ ...newJane, shoe: 43 });
    expect(refused).to.have.nested.property('problem.code', 'invalid_properties');
    const created = await client.createUser({ ...newJane, plan: 'free' });
    expect(created)
      .to.have.nested.property('user.password')
      .that.matches(/^.{16}[\da-f]{64}$/);
    const mistyped = { ...jane, password: 'Correct horse' };
    expect(await client.sendVerification(mistyped)).to.have.property('ok', true);
    expect(mails[0]).to.have.property('subject', 'Welcome');
    expect(mails[0]?.link).to.match(/^https:\/\/accounts\.example\.com\/verify/);
    expect(await (await fetch(`${url}/openapi.json`)).text()).to.include('"title": "Accounts"');
  });

  it('replaces placeholders, and denies every request when auth is null', async () => {
    environment.set('LATCHKEY_TEST_SECRET', 'of the environment');
    const auth = { keys: [{ application: 'shop', secret: '${LATCHKEY_TEST_SECRET}' }] };
    const { credentials } = await started({ auth });
    expect(credentials).to.deep.equal({ application: 'shop', secret: 'of the environment' });
    const { client } = await started({ auth: null });
    expect(await client.createUser(newJane)).to.have.nested.property('problem.code', 'client_unauthorized');
  });

  it('uses the database and the mailer that a configuration names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-testing-'));
    try {
      const { client, mails, stop } = await startLatchkey({
        database: { type: 'sqlite', path: join(folder, 'users.db') },
        email: { type: 'outbox', directory: join(folder, 'outbox') },
      });
      await client.createUser(newJane);
      await client.sendVerification(jane);
      expect(await readdir(join(folder, 'outbox'))).to.have.length(1);
      expect(mails).to.deep.equal([]);
      await stop();
      expect(await readdir(folder)).to.include('users.db');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('reports every problem of a configuration', async () => {
    const wrong = { passwordHash: { algorithm: 'md5' }, properties: { allowed: [{ name: 'email', type: 'string' }] } };
    const error = await rejection(startLatchkey(wrong));
    expect(error).to.be.instanceOf(ConfigurationError);
    expect(error).to.have.property('problems').with.length(2);
  });

  it('refuses the path of a file, which a program without types may pass', async () => {
    const error: unknown = await Reflect.apply(startLatchkey, undefined, ['latchkey.yaml']).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property('message', 'the configuration is an object here, and not the path of a file');
  });

  it('frees the ports when it stops', async () => {
    const first = await startLatchkey();
    await first.client.createUser(newJane);
    await first.stop();
    const port = Number(new URL(first.url).port);
    const again = await started({ server: { port } });
    expect(await again.client.getUser(jane)).to.have.nested.property('problem.code', 'user_not_found');
  });
});
