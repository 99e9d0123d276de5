import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { WebhookReceiver } from '../../sdk/contract/http/webhook-receiver.ts';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { at, Caller, type HttpResponse } from './caller.ts';
import { canary, type Damage, damages, described } from './damage/damages.ts';
import { dynamodbRecords } from './damage/dynamodb-records.ts';
import { mongodbRecords } from './damage/mongodb-records.ts';
import { postgresqlRecords } from './damage/postgresql-records.ts';
import type { RawEvent, RawRecords } from './damage/raw-records.ts';
import { sqliteRecords } from './damage/sqlite-records.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

const password = 'a password of a damaged user';
const admin = { application: 'root', secret: 'of the administrator of the damaged users' };
const asAdmin = {
  Authorization: `Basic ${Buffer.from(`${admin.application}:${admin.secret}`).toString('base64')}`,
};

/** How many users, events and counters one round damages. */
const perRound = { users: 24, events: 16, counters: 4 };
/** A recovery is answered after up to 2 s, and a claim is repeated every 5 s. */
const deliveryTimeoutMs = 20_000;

const recordsOf = async (yaml: object, folder: string): Promise<RawRecords> => {
  const block: Readonly<Record<string, unknown>> = { ...yaml };
  const text = (name: string): string => String(block[name]);
  if (block.type === 'mongodb')
    return mongodbRecords(text('connectionString'), text('databaseName'), text('collectionName'));
  if (block.type === 'postgresql') return postgresqlRecords(text('connectionString'), text('schema'), text('table'));
  if (block.type === 'dynamodb') return dynamodbRecords(text('endpoint'), text('region'), text('tableName'));
  return sqliteRecords(join(folder, text('path')));
};

/** A log line that names a record, or says what went wrong. */
type Line = Readonly<Record<string, unknown>>;

/** The service, its callers, and what it has sent. */
class Subject {
  readonly caller: Caller;
  readonly admin: Caller;
  private readonly lines: Line[] = [];
  private end: number | NodeJS.Signals | null | undefined;

  constructor(
    private readonly serving: Serving,
    private readonly outbox: string,
    private readonly receiver: WebhookReceiver,
  ) {
    this.caller = new Caller(serving.url, 15_000);
    this.admin = new Caller(serving.adminUrl, 15_000);
    void serving.run.ended.then((end) => {
      this.end = end;
    });
  }

  /** The response to a request, which has to come while the process lives, and not as an outage or a bug. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<HttpResponse> {
    const caller = path.startsWith('/admin') || path === '/readyz' ? this.admin : this.caller;
    const given = caller === this.admin ? { ...headers, ...asAdmin } : headers;
    const response = await caller.attempt(method, path, body, given);
    if (typeof response === 'string') throw new Error(`${method} ${path}: no response (${response}); ${this.fate}`);
    const what = `${method} ${path}: ${response.status} ${response.body.slice(0, 300)}`;
    expect(response.status, what).to.not.be.oneOf([503, 429]);
    if (response.status === 500) {
      expect(response.body, what).to.not.include('internal_error');
      expect(response.body, what).to.not.include(canary);
    }
    return response;
  }

  /** The same, with a status and JSON. */
  async json(method: string, path: string, status: number, body?: unknown, headers = {}): Promise<Line> {
    const response = await this.ask(method, path, body, headers);
    expect(response.status, `${method} ${path}: ${response.body.slice(0, 300)}`).to.equal(status);
    return Object(JSON.parse(response.body));
  }

  /** Reads new log lines. None may be about a bug, or repeat a damaged value. */
  readLog(): readonly Line[] {
    const { run } = this.serving;
    const complete = run.stdout.lastIndexOf('\n') + 1;
    for (const text of run.stdout.slice(0, complete).split('\n').slice(0, -1)) {
      const line: Line = JSON.parse(text);
      expect(line.msg, text.slice(0, 1_000)).to.not.match(/unexpected|unhandled/);
      expect(
        JSON.stringify({ ...line, record: '', event: '' }).includes(canary),
        `a damaged value in the log: ${text}`,
      ).to.equal(false);
      this.lines.push(line);
    }
    run.stdout = run.stdout.slice(complete);
    expect(this.end, `the process ended: ${run.stderr.slice(-2_000)}`).to.equal(undefined);
    return this.lines;
  }

  /** Whether the log names a record. */
  names(record: string): boolean {
    return this.readLog().some((line) => line.record === record);
  }

  /** Whether the event of a type about an address was received. */
  received(type: string, address: string): boolean {
    return this.receiver.received.some(({ body }) => body.includes(`"${type}"`) && body.includes(`"${address}"`));
  }

  /** The subjects of the mails to an address. */
  async mailsTo(address: string): Promise<number> {
    let count = 0;
    for (const name of (await readdir(this.outbox)).filter((file) => file.endsWith('.eml')))
      if ((await readMail(await readFile(join(this.outbox, name)))).to === address) count++;
    return count;
  }

  async forget(): Promise<void> {
    this.lines.length = 0;
    this.receiver.received.length = 0;
    // The service may be writing another mail.
    for (const name of (await readdir(this.outbox)).filter((file) => file.endsWith('.eml')))
      await rm(join(this.outbox, name), { force: true });
  }

  close(): void {
    this.caller.close();
    this.admin.close();
  }

  private get fate(): string {
    return this.end === undefined ? 'the process lives' : `the process ended with ${this.end}`;
  }
}

const stateFields = /^(disabled|change)/i;

/** Whether a status may be the consequence of a damaged field, if reading the user does not fail. */
const isPlausible = (status: number, field: string): boolean => {
  if (status === 200 || status === 500) return true;
  // A record under another key.
  if (status === 404) return ['key', 'email', 'address'].includes(field);
  if (status === 401) return field === 'password';
  return status === 403 && stateFields.test(field);
};

const expectUser = (body: string, key: string): void => {
  const user = JSON.parse(body);
  expect(user.email.address.toLowerCase()).to.equal(key);
  expect(typeof user.email.verified).to.equal('boolean');
  if (user.email.verificationToken !== undefined && user.email.verificationToken !== null)
    expect(user.email.verificationToken).to.be.a('string');
  for (const time of [user.creationTime, user.lastUpdateTime]) expect(Number.isSafeInteger(time)).to.equal(true);
};

/** Uses a damaged user in every way. Resolves with whether it can be read. */
const probe = async (subject: Subject, key: string, field: string): Promise<boolean> => {
  const encoded = encodeURIComponent(key);
  const query = `?email=${encoded}`;
  const calls: readonly (readonly [string, string, unknown?, Record<string, string>?])[] = [
    ['GET', at(key), undefined, { password }],
    ['POST', '/users/check', { email: { address: key }, password }],
    ['GET', at(key), undefined, { password, Prefer: 'settled' }],
    ['GET', `/admin/users/${encoded}`],
    ['GET', `/admin/user?address=${encoded}`],
    ['POST', `/verify${query}`, undefined, { password }],
    ['PATCH', at(key), { plan: 'free' }, { password, 'Content-Type': 'application/merge-patch+json' }],
    ['POST', `/verify/reset${query}`, undefined, { password }],
    ['POST', `/admin/users/${encoded}/disable`, { reason: 'a test' }],
    ['POST', `/admin/users/${encoded}/enable`],
    ['PATCH', `/admin/users/${encoded}`, { plan: 'paid' }],
    ['PUT', at(key), { email: { address: key }, plan: 'none' }, { password }],
    ['GET', at(key), undefined, { password }],
  ];
  let failed = false;
  let status = 0;
  for (const [method, path, body, headers] of calls) {
    const response = await subject.ask(method, path, body, headers);
    const what = `${method} ${path}: ${response.status} ${response.body.slice(0, 300)}`;
    if (response.status === 204) continue;
    expect(isPlausible(response.status, field), what).to.equal(true);
    status = response.status;
    if (status === 500) failed = true;
    if (response.status === 200 && !path.startsWith('/admin/user?') && !path.startsWith('/users/check'))
      expectUser(response.body, key);
  }
  expect((await subject.ask('POST', `/recovery${query}`)).status).to.equal(202);
  const { status: created } = await subject.ask('POST', '/users', { email: { address: key }, password });
  const isElsewhere = field === 'key' || field === 'email';
  expect(created, 'another user with the address').to.be.oneOf([409, 500, ...(isElsewhere ? [201] : [])]);
  if (failed) await eventually(async () => expect(subject.names(key), `the log names ${key}`).to.equal(true), 2_000);
  return status !== 500;
};

/** Every user of a listing. */
const listed = async (subject: Subject, filter: string): Promise<readonly Line[]> => {
  const users: Line[] = [];
  let after = '';
  for (let pages = 0; pages < 200; pages++) {
    const page = await subject.json('GET', `/admin/users?limit=7${filter}${after}`, 200);
    users.push(...Object.values(Object(page.users)).map((user) => Object(user)));
    if (page.next === null) return users;
    after = `&after=${encodeURIComponent(String(page.next))}`;
  }
  throw new Error('the listing does not end');
};

/** Users whom no damage concerns are served in every way while damaged records exist. */
const expectOthersServed = async (
  subject: Subject,
  installation: Installation,
  bystanders: readonly string[],
  unreadable: readonly string[],
  round: number,
): Promise<void> => {
  const fresh = `served-${round}@example.com`;
  const query = `?email=${encodeURIComponent(fresh)}`;
  await subject.json('POST', '/users', 201, { email: { address: fresh }, password });
  await subject.json('POST', `/verify${query}`, 200, undefined, { password });
  expect((await subject.ask('POST', `/recovery${query}`)).status).to.equal(202);
  expect((await subject.ask('GET', at(fresh), undefined, { password: 'wrong' })).status).to.equal(401);
  for (const address of [...bystanders, fresh]) {
    const user = await subject.json('GET', at(address), 200, undefined, { password });
    expect(user).to.deep.include(address === fresh ? {} : { bystander: address });
  }
  for (const filter of ['', '&verified=false', '&address=bystander', '&state=disabled', '&state=blocked']) {
    const users = await listed(subject, filter);
    if (filter.startsWith('&state')) continue;
    const addresses = users.map(({ email }) => Object(email).address);
    for (const address of bystanders)
      expect(
        addresses.filter((found) => found === address),
        `${address} in the list ${filter}`,
      ).to.have.length(1);
  }
  for (const page of ['/admin', '/admin/waiting-mails', `/admin/user?address=${encodeURIComponent(fresh)}`])
    expect((await subject.ask('GET', page)).status, page).to.equal(200);
  await subject.json('GET', '/admin/mails', 200);
  expect((await subject.ask('GET', '/readyz')).status).to.equal(200);
  const { stdout, stderr, status } = await installation.command(['export', 'latchkey.yaml']);
  const lines = stdout.split('\n').slice(0, -1);
  const exported = lines.map((line) => JSON.parse(line).email.address);
  expect(exported, `the export: ${status} ${stderr}`).to.include.members([...bystanders]);
  expect(status, stderr).to.equal(stderr.includes('is left out') ? 1 : 0);
  for (const key of unreadable) expect(stderr, `the export names ${key}`).to.include(`${key}: is left out`);
  expect(stderr.replaceAll(/^warn .*: is left out/gm, '')).to.not.include(canary);
  await eventually(async () => {
    expect(subject.received('user.created', fresh), 'the webhook of a new user').to.equal(true);
    expect(await subject.mailsTo(fresh), 'mails that verify and recover').to.equal(2);
  }, deliveryTimeoutMs);
  subject.readLog();
};

/** Values of the members of queued mails and stored requests. */
const bodies = (destination: string): fc.Arbitrary<string> => {
  const mail = { kind: 'verification', to: 'queued@example.com', locale: 'en', secret: canary, expires: null };
  const request = { key: 'queued@example.com', languages: [], requestedTime: 1 };
  const body: Line = destination === 'recovery' ? request : mail;
  return fc
    .tuple(fc.constantFrom(...Object.keys(body)), fc.oneof(fc.jsonValue(), fc.constantFrom(-1, 1e300, 'a', '', null)))
    .map(([name, value]) => JSON.stringify({ ...body, [name]: value }));
};

const eventsOf = (destinations: readonly string[], round: number): fc.Arbitrary<RawEvent> =>
  fc.constantFrom(...destinations).chain((destination) =>
    fc.tuple(bodies(destination), fc.integer({ min: 0, max: 60_000 }), fc.uuid()).map(([body, ageMs, id]) => {
      const time = Date.now() - ageMs;
      return { id: `${time}-${round}-${id}`, destination, time, body };
    }),
  );

/** Damages records and uses them. Resolves with their number, and the keys of users that cannot be read. */
const damageOnce = async (
  subject: Subject,
  records: RawRecords,
  receiver: WebhookReceiver,
  round: number,
  random: RandomStream,
): Promise<{ readonly count: number; readonly unreadable: readonly string[] }> => {
  const sample = <Value>(values: fc.Arbitrary<Value>, numRuns: number) =>
    fc.sample(values, { seed: random.below(2 ** 31), numRuns });
  let count = 0;
  const unreadable: string[] = [];
  const attempt = async (what: string, damage: Damage, run: () => Promise<unknown>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      await new Promise((resolve) => setTimeout(resolve, 200));
      const last = JSON.stringify(subject.readLog().slice(-3));
      throw new Error(`${what}, ${described(damage)}: ${message}; the log ends with ${last}`);
    }
  };
  const ofUsers = sample(fc.tuple(fc.constantFrom(...records.userFields), damages), perRound.users);
  for (const [index, [field, damage]] of ofUsers.entries()) {
    const key = `damaged-${round}-${index}@example.com`;
    await subject.json('POST', '/users', 201, { email: { address: key }, password, plan: 'paid' });
    await attempt(`the field ${field} of a user`, damage, async () => {
      if (!(await records.damageUser(key, field, damage))) return;
      count++;
      if (!(await probe(subject, key, field))) unreadable.push(key);
    });
  }
  const webhook = createHash('sha256').update(receiver.url).digest('hex').slice(0, 16);
  const events = eventsOf(['mail', 'recovery', webhook, 'another'], round);
  for (const [event, field, damage] of sample(
    fc.tuple(events, fc.constantFrom(...records.eventFields), damages),
    perRound.events,
  ))
    await attempt(`the field ${field} of an event`, damage, async () => {
      if (await records.addEvent(event, field, damage)) count++;
    });
  for (const [index, [field, damage]] of sample(
    fc.tuple(fc.constantFrom(...records.counterFields), damages),
    perRound.counters,
  ).entries()) {
    const address = `counted-${round}-${index}@example.com`;
    await attempt(`the field ${field} of a counter`, damage, async () => {
      await subject.json('POST', '/users', 201, { email: { address }, password });
      await subject.ask('GET', at(address), undefined, { password: 'wrong' });
      if (!(await records.damageCounter(createHash('sha256').update(address).digest('base64url'), field, damage)))
        return;
      count++;
      // A wrong password first, because a right one removes the counter.
      for (const tried of ['wrong', password]) {
        const response = await subject.caller.attempt('GET', at(address), undefined, { password: tried });
        if (typeof response === 'string') throw new Error(`a damaged counter: no response (${response})`);
        expect(response.status, response.body).to.be.oneOf([tried === password ? 200 : 401, 429, 500]);
      }
      // A number may be a valid count, which blocks the address of all calls. The next ones tell whether another is removed.
      if (mayBeNumber(damage)) return;
      await records.damageCounter(createHash('sha256').update('127.0.0.1').digest('base64url'), field, damage);
    });
  }
  return { count, unreadable };
};

/** Whether a database may store a damage as a number; PostgreSQL reads texts as numbers, too, and bytes of their length. */
const mayBeNumber = (damage: Damage): boolean => {
  if (damage.kind !== 'value') return damage.kind === 'bytes';
  const { value } = damage;
  return value !== null && (typeof value !== 'string' || Number.isFinite(Number(value)));
};

/** A round damages about thirty records in random fields, past the service, and uses all of them and everybody else. */
export const damagedRecords = (database: Database, rounds: Guarantee['rounds']): Guarantee => ({
  name: `a damaged record on ${database.name} concerns its user or event only: 500 for that user, named in the log, while everybody else is served, listed, exported and mailed`,
  rounds,
  timeoutMs: 120_000,
  run: async (count, random) => {
    const { yaml, dispose } = await database.open();
    const installation = await Installation.create();
    const outbox = join(installation.folder, 'outbox');
    await mkdir(outbox);
    const receiver = await WebhookReceiver.open();
    let records: RawRecords | undefined;
    let subject: Subject | undefined;
    let damaged = 0;
    try {
      await installation.configure({
        database: yaml,
        email: { type: 'outbox', directory: 'outbox', queue: true },
        passwordHash: { algorithm: 'sha256', serverSideHash: true },
        recovery: { pageUrl: 'https://app.example.com/new-password' },
        throttle: { failures: 100, clientFailures: 1_000_000 },
        events: { webhooks: [{ url: receiver.url, secret: receiver.secret }] },
        admin: { keys: [admin] },
      });
      const serving = await installation.serve();
      subject = new Subject(serving, outbox, receiver);
      const bystanders = ['bystander-0@example.com', 'bystander-1@example.com', 'bystander-2@example.com'];
      for (const address of bystanders)
        await subject.json('POST', '/users', 201, { email: { address }, password, bystander: address });
      records = await recordsOf(Object(yaml), installation.folder);
      for (let round = 0; round < count; round++) {
        const done = await damageOnce(subject, records, receiver, round, random.stream('round', round));
        damaged += done.count;
        await expectOthersServed(subject, installation, bystanders, done.unreadable, round);
        await records.clear(bystanders);
        await subject.forget();
      }
      subject.close();
      expect(await serving.stop()).to.equal(0);
      return `${damaged} damaged records, everybody else served, no exit`;
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      throw new Error(`after ${damaged} records: ${message}`, { cause: error });
    } finally {
      subject?.close();
      await records?.close();
      await installation.dispose();
      await receiver.close();
      await dispose();
    }
  },
});
