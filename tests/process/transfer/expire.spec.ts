import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { UserStore } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { WebhookReceiver } from '../../../sdk/contract/http/webhook-receiver.ts';
import { TemporaryDatabase } from '../../integration/adapters/stores/sqlite/temporary-database.ts';
import { eventually } from '../../support/eventually.ts';
import { eachWithInstallation, readUser } from '../installation.ts';

const password = 'correct horse';
const year = 365.25 * 24 * 3_600_000;
const old = Date.now() - 3 * year;

describe('latchkey expire', function () {
  this.timeout(120_000);
  const installation = eachWithInstallation();
  let database: TemporaryDatabase;
  let store: UserStore;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
    store = await database.open();
  });
  afterEach(() => database.dispose());

  const configure = (activity: object | undefined, blocks: object = {}) =>
    installation().configure({
      database: { type: 'sqlite', path: database.path },
      ...(activity && { activity }),
      ...blocks,
    });
  const insert = async (name: string, changes: Partial<User>): Promise<void> => {
    await store.insert({ ...userOf(`${name}@example.com`, { password }), ...changes });
  };
  const isStored = async (name: string): Promise<boolean> =>
    (await store.find(keyOf(addressOf(`${name}@example.com`)))) !== undefined;
  const run = (...args: readonly string[]) => installation().command(['expire', ...args, 'latchkey.yaml']);

  it('deletes those whose password was not right for so long, and reports each with the reason', async () => {
    const receiver = await WebhookReceiver.open();
    try {
      const webhooks = [{ url: `${receiver.url}/deleted`, secret: receiver.secret, types: ['user.deleted'] }];
      await configure({ since: '2020-01-01' }, { events: { webhooks } });
      await insert('gone', { creationTime: 1, lastCheckTime: old });
      await insert('never', { creationTime: old });
      await insert('imported', { creationTime: old, importTime: Date.now() });
      await insert('invited', { creationTime: old, invitation: { time: Date.now() } });
      await insert('active', { creationTime: old, lastCheckTime: Date.now() - year });
      const dry = await run('--inactive', '2y', '--dry-run');
      expect([dry.status, dry.stdout, dry.stderr]).to.deep.equal([0, 'ok    would be deleted: 2\n', '']);
      const service = await installation().serve();
      const real = await run('--inactive', '2y');
      expect([real.status, real.stdout, real.stderr]).to.deep.equal([0, 'ok    deleted: 2\n', '']);
      const events = (await receiver.until('/deleted', 2)).map((event) => receiver.verified(event));
      expect(await service.stop()).to.equal(0);
      const data = events.map((event) => Object(event).data);
      expect(data.map(({ email, reason }) => `${email.address} ${reason}`).sort()).to.deep.equal([
        'gone@example.com inactive',
        'never@example.com inactive',
      ]);
      for (const name of ['gone', 'never']) expect(await isStored(name), name).to.equal(false);
      for (const name of ['imported', 'invited', 'active']) expect(await isStored(name), name).to.equal(true);
      const again = await run('--inactive', '2y');
      expect([again.status, again.stdout, again.stderr]).to.deep.equal([0, 'ok    deleted: 0\n', '']);
    } finally {
      await receiver.close();
    }
  });

  it('tells those who are deleted, if users are told of that', async () => {
    const email = { type: 'outbox', directory: 'mails', fromAddress: 'Shop <no-reply@example.com>' };
    await configure({ since: '2020-01-01' }, { email, notices: ['state'] });
    await insert('gone', { creationTime: 1, lastCheckTime: old });
    const { status, stderr } = await run('--inactive', '2y');
    expect([status, stderr]).to.deep.equal([0, '']);
    const service = await installation().serve();
    const folder = join(installation().folder, 'mails');
    await eventually(async () => {
      const [mail = ''] = await readdir(folder);
      const text = await readFile(join(folder, mail), 'utf8');
      expect(text).to.include('To: gone@example.com').and.include('Subject: Your account was deleted');
    }, 20_000);
    expect(await readdir(folder)).to.have.length(1);
    expect(await service.stop()).to.equal(0);
  });

  it('deletes no user who may have signed in before that was recorded, whatever an import or an earlier record says', async () => {
    await insert('imported', { creationTime: 1, lastCheckTime: old });
    await insert('never', { creationTime: old });
    await configure({});
    const unknown = await run('--inactive', '2y');
    expect([unknown.status, unknown.stdout, unknown.stderr.replace(/line \d+: /, '')]).to.deep.equal([
      2,
      '',
      "latchkey.yaml can't be used: one problem\n  activity.since: is required: the date from which it is recorded when passwords were right, such as 2026-12-01\n",
    ]);
    await configure({ since: new Date(Date.now() - year).toISOString().slice(0, 10) });
    for (const args of [['--dry-run'], []]) {
      const { status, stdout } = await run('--inactive', '2y', ...args);
      expect([status, stdout]).to.deep.equal([0, `ok    ${args.length > 0 ? 'would be deleted' : 'deleted'}: 0\n`]);
    }
    for (const name of ['imported', 'never']) expect(await isStored(name), name).to.equal(true);
  });

  it('leaves those who have set a password since, and those whose stored time is from before their creation', async () => {
    await configure({ since: '2020-01-01' });
    await insert('recovered', { creationTime: 1, lastCheckTime: old, passwordTime: Date.now() - year });
    await insert('clock', { creationTime: Date.now() - year, lastCheckTime: old });
    await insert('gone', { creationTime: 1, lastCheckTime: old, passwordTime: old });
    for (const args of [['--dry-run'], []]) {
      const { status, stdout } = await run('--inactive', '2y', ...args);
      expect([status, stdout]).to.deep.equal([0, `ok    ${args.length > 0 ? 'would be deleted' : 'deleted'}: 1\n`]);
    }
    for (const name of ['recovered', 'clock']) expect(await isStored(name), name).to.equal(true);
  });

  it('leaves those whose password may have been right later than their stored time says', async () => {
    await configure({ precision: '730d', since: '2020-01-01' });
    await insert('unsure', { creationTime: 1, lastCheckTime: old });
    const { status, stdout } = await run('--inactive', '2y');
    expect([status, stdout]).to.deep.equal([0, 'ok    deleted: 0\n']);
  });

  it('goes on after an interruption; who signs in meanwhile stays', async () => {
    await configure({ since: '2020-01-01' });
    const count = 10_000;
    const names = Array.from({ length: count }, (_, n) => `user-${String(n).padStart(4, '0')}`);
    await Promise.all(names.map((name) => insert(name, { creationTime: old })));
    const service = await installation().serve();
    const last = `user-${count - 1}`;
    const { child, ended } = installation().start(['expire', '--inactive', '2y', 'latchkey.yaml']);
    await eventually(async () => expect(await isStored('user-0016')).to.equal(false), 10_000);
    expect(await readUser(service.url, `${last}@example.com`)).to.equal(200);
    child.kill('SIGINT');
    expect(await ended).to.equal(1);
    expect(await isStored('user-9990')).to.equal(true);
    const finished = await run('--inactive', '2y');
    expect(finished.status, finished.stderr).to.equal(0);
    expect(finished.stdout).to.match(/^ok {4}deleted: \d+\n$/);
    expect(await readUser(service.url, 'user-9990@example.com')).to.equal(404);
    expect(await readUser(service.url, `${last}@example.com`)).to.equal(200);
    expect(await service.stop()).to.equal(0);
  });

  it('names damaged records, and deletes the others', async () => {
    await configure({ since: '2020-01-01' });
    for (const name of ['a', 'b', 'c']) await insert(name, { creationTime: old });
    const file = new Database(database.path);
    file.exec("UPDATE users SET properties = 'not JSON' WHERE key = 'b@example.com'");
    file.close();
    const { status, stdout, stderr } = await run('--inactive', '2y');
    expect([status, stdout, stderr]).to.deep.equal([
      1,
      'FAIL  b@example.com: a stored user has no readable properties\nok    deleted: 2\n',
      'latchkey: damaged records were left out: 1; restore or delete them\n',
    ]);
  });

  it('ends with 2 without the block activity, and with a wrong option', async () => {
    await configure(undefined);
    const without = await run('--inactive', '2y');
    expect([without.status, without.stderr]).to.deep.equal([
      2,
      "latchkey.yaml can't be used: one problem\n  activity.since: is required: the date from which it is recorded when passwords were right, such as 2026-12-01\n",
    ]);
    await configure({});
    for (const wrong of [
      [],
      ['--inactive', '2 weeks'],
      ['--inactive', '2y', '--rate', '50'],
      ['--inactive', '2y', 'b.yaml'],
    ]) {
      const { status, stderr } = await run(...wrong);
      expect([status, stderr.split('\n')[1]], wrong.join(' ')).to.deep.equal([2, 'See: latchkey help expire']);
    }
  });
});
