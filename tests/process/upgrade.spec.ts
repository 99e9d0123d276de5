import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { applicationId } from '../../adapters/stores/sqlite/database.ts';
import { schemaVersion, steps } from '../../adapters/stores/sqlite/schema.ts';
import { currentFormat } from '../../adapters/stores/stored-format.ts';
import { WebhookReceiver } from '../../sdk/contract/http/webhook-receiver.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { engine } from '../support/engines/index.ts';
import { withAwsCredentials } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { createUser, eachWithInstallation, type Installation, readUser } from './installation.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A user and an event as the first release stored them. It kept events until they were delivered. */
const user = {
  email: 'ada@example.com',
  address: 'Ada@example.com',
  version: 'v1',
  verified: false,
  verificationToken: 'a-token-that-was-mailed',
  tokenTime: 1,
  mailTime: 1,
  password: 'correct horse',
  creationTime: 1,
  lastUpdateTime: 2,
  properties: '{"plan":"paid"}',
};
const eventOf = (url: string) => ({
  id: 'evt-1',
  destination: createHash('sha256').update(url).digest('hex').slice(0, 16),
  time: Date.now() - 30 * dayMs,
  body: '{"type":"user.created","data":{"email":"ada@example.com"}}',
  due: Date.now() - 30 * dayMs,
  attempts: 0,
});
type Event = ReturnType<typeof eventOf>;

/** A database that the first release has written. */
interface FormerDatabase {
  readonly block: Readonly<Record<string, unknown>>;
  /** Everything in it, to see whether it was changed. */
  content(): Promise<unknown>;
  /** Changes the database like a version that does not exist yet. */
  usedByNewer(): Promise<void>;
  dispose(): Promise<void>;
}

type CreateFormer = (installation: Installation, event: Event) => Promise<FormerDatabase>;

const sqlite =
  (): CreateFormer =>
  async ({ folder }, event) => {
    const open = () => new Database(join(folder, 'users.db'));
    const file = open();
    file.pragma('journal_mode = WAL');
    const taken = 3;
    for (const { sql } of steps.slice(0, taken)) file.exec(sql);
    file.pragma(`application_id = ${applicationId}`);
    file.pragma(`user_version = ${taken}`);
    const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
      file
        .prepare(
          `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
            .map(() => '?')
            .join(', ')})`,
        )
        .run(Object.values(row));
    insert('users', {
      key: user.email,
      version: user.version,
      address: user.address,
      verified: 0,
      verification_token: user.verificationToken,
      token_time: user.tokenTime,
      mail_time: user.mailTime,
      password: user.password,
      creation_time: user.creationTime,
      last_update_time: user.lastUpdateTime,
      properties: user.properties,
    });
    insert('events', event);
    file.close();
    return {
      block: { type: 'sqlite', path: 'users.db' },
      content: async () => {
        const names = (await readdir(folder)).filter((name) => name.startsWith('users.db'));
        return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')]));
      },
      usedByNewer: async () => {
        const newer = open();
        newer.pragma(`user_version = ${schemaVersion + 1}`);
        newer.close();
      },
      dispose: async () => {},
    };
  };

const mongodb = (): CreateFormer => {
  const uri = engine('mongodb');
  return (_, event) => createMongodb(new ScratchDatabase(uri()), event);
};

const createMongodb = async (database: ScratchDatabase, event: Event): Promise<FormerDatabase> => {
  await database.users.createIndex({ email: 1 }, { unique: true });
  await database.users.insertOne({ ...user, events: [event] });
  const db = database.client.db(database.databaseName);
  return {
    block: { type: 'mongodb', ...database.block },
    content: async () => [
      (await db.listCollections().toArray()).map(({ name }) => name),
      await database.users.find().toArray(),
      await database.users.indexes(),
    ],
    usedByNewer: () => database.mark(currentFormat + 1),
    dispose: () => database.dispose(),
  };
};

const dynamodb = (): CreateFormer => {
  const endpoint = engine('dynamodb');
  return (_, event) => createDynamodb(endpoint(), event);
};

const createDynamodb = async (endpoint: string, { due, attempts, time, ...event }: Event): Promise<FormerDatabase> => {
  const table = await (await FreshTable.create(endpoint)).createForEvents();
  const toItem = (values: Readonly<Record<string, string | number | boolean>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' ? { S: value } : typeof value === 'boolean' ? { BOOL: value } : { N: String(value) },
      ]),
    );
  const place = `${String(time).padStart(15, '0')} ${event.id}`;
  const events = `${table.name}-events`;
  await table.client.send(new PutItemCommand({ TableName: table.name, Item: toItem(user) }));
  await table.client.send(
    new PutItemCommand({ TableName: events, Item: toItem({ ...event, place, time, due, attempts }) }),
  );
  return {
    block: { type: 'dynamodb', endpoint, region, tableName: table.name },
    content: () =>
      Promise.all(
        [table.name, events].map(async (TableName) => (await table.client.send(new ScanCommand({ TableName }))).Items),
      ),
    usedByNewer: () => table.mark(currentFormat + 1),
    dispose: () => table.dispose(),
  };
};

const databases = { sqlite, mongodb, dynamodb };

for (const [name, prepare] of Object.entries(databases))
  describe(`a database of the first release: ${name}`, function () {
    this.timeout(60_000);
    withAwsCredentials();
    const create = prepare();
    const installation = eachWithInstallation();
    let former: FormerDatabase;
    let receiver: WebhookReceiver;
    beforeEach(async () => {
      receiver = await WebhookReceiver.open();
      former = await create(installation(), eventOf(receiver.url));
      await installation().configure({
        database: former.block,
        passwordHash: { algorithm: 'simple' },
        events: { webhooks: [{ url: receiver.url, secret: receiver.secret, types: ['user.created'] }] },
      });
    });
    afterEach(async () => {
      await receiver.close();
      await former.dispose();
    });

    it('is not changed by check, export and a dry run of an import', async () => {
      const before = await former.content();
      const checked = await installation().command(['check', 'latchkey.yaml']);
      expect(checked.stdout).to.match(
        name === 'sqlite'
          ? /the service upgrades its schema from 3 to \d+/
          : /the service marks it with the format \d+/,
      );
      expect(checked.stdout).to.include('the age of events that wait counts from then').and.include('1 waiting');
      const exported = await installation().command(['export', '--output', 'users.jsonl', 'latchkey.yaml']);
      expect(exported.stderr).to.equal('ok    users.jsonl: users: 1\n');
      const dry = await installation().command(['import', '--dry-run', 'users.jsonl', 'latchkey.yaml']);
      expect(dry.stdout).to.include('user_exists: 1');
      expect([checked.status, exported.status, dry.status]).to.deep.equal([0, 0, 0]);
      expect(await former.content()).to.deep.equal(before);
    });

    it('is served: its users sign in, its links verify, and its events are delivered however old they are', async () => {
      // Refuses the first attempt, so that events which are too old would be deleted before the second one.
      let refusals = 1;
      receiver.behaviour = (_, response) => void response.writeHead(refusals-- > 0 ? 503 : 204).end();
      const { url, stop } = await installation().serve();
      expect(await readUser(url, user.email, user.password)).to.equal(200);
      expect(await createUser(url, 'grace@example.com')).to.equal(201);
      const link = new URL('/verify', url);
      link.search = String(new URLSearchParams({ email: user.email, token: user.verificationToken }));
      const authorization = `Basic ${Buffer.from('dev:development-only').toString('base64')}`;
      expect((await fetch(link, { headers: { authorization } })).status).to.equal(200);
      await eventually(async () => {
        expect(receiver.received.filter(({ headers }) => headers['webhook-id'] === 'evt-1')).to.have.lengthOf(2);
      }, 40_000);
      expect(await stop()).to.equal(0);
    });

    it('is refused by a version that is older than its last one', async () => {
      await former.usedByNewer();
      const checked = await installation().command(['check', 'latchkey.yaml']);
      expect([checked.status, checked.stdout]).to.satisfy(
        ([status, text]: [number, string]) => status === 1 && text.includes('written by a newer version of Latchkey'),
      );
      const exported = await installation().command(['export', 'latchkey.yaml']);
      expect([exported.status, exported.stdout]).to.deep.equal([1, '']);
      expect(exported.stderr).to.include('written by a newer version of Latchkey');
      if (name === 'sqlite') return;
      const { url, stop } = await installation().serve();
      expect(await readUser(url, user.email, user.password)).to.equal(500);
      expect(await stop()).to.equal(0);
    });
  });
