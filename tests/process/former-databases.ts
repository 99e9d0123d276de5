import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttributeValue, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { applicationId } from '../../adapters/stores/sqlite/sqlite-database.ts';
import { schemaVersion, steps } from '../../adapters/stores/sqlite/sqlite-schema.ts';
import { currentFormat } from '../../adapters/stores/stored-format.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { engine } from '../support/engines/index.ts';
import type { Installation } from './installation.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A user as 0.1.0 stored it. */
export const user = {
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

/** How 0.1.0 stores that it has changed the user. */
const changed = { ...user, version: 'v2', lastUpdateTime: 3 };

/** An event as 0.1.0 stored it. It kept events until they were delivered. */
export const eventFor = (url: string) => ({
  id: 'evt-1',
  destination: createHash('sha256').update(url).digest('hex').slice(0, 16),
  time: Date.now() - 30 * dayMs,
  body: '{"type":"user.created","data":{"email":"ada@example.com"}}',
  due: Date.now() - 30 * dayMs,
  attempts: 0,
});
type FormerEvent = ReturnType<typeof eventFor>;

/** The wrong passwords of the user that 0.1.0 has counted. */
export const countedFailures = 2;
const counter = {
  key: `user:${createHash('sha256').update(user.email).digest('base64url')}`,
  points: countedFailures,
};
const countEndMs = (): number => Date.now() + 10 * 60 * 1000;

/** A database that 0.1.0 has written. */
export interface FormerDatabase {
  readonly block: Readonly<Record<string, unknown>>;
  /** Everything in it, to see whether it was changed. */
  content(): Promise<unknown>;
  /** Changes the database like a version that does not exist yet. */
  usedByNewer(): Promise<void>;
  /**
   * Goes back to 0.1.0 as the documents say, while the service is stopped, and lets it change the user. Resolves with
   * what the next upgrade finds: whether a user who was disabled meanwhile still is, and whether wrong passwords still
   * count.
   */
  usedByFormer(): Promise<{ readonly isDisabled: boolean; readonly isCounted: boolean }>;
  dispose(): Promise<void>;
}

/** Resolves when the database has the user, the event and the count. */
type CreateFormer = (installation: Installation, event: FormerEvent) => Promise<FormerDatabase>;

const insertInto = (file: Database.Database, table: string, row: Readonly<Record<string, unknown>>): void => {
  const names = Object.keys(row);
  const places = names.map(() => '?').join(', ');
  file.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(Object.values(row));
};

const formerSchema = 3;

const createSqlite: CreateFormer = async ({ folder }, event) => {
  const path = join(folder, 'users.db');
  const backup = join(folder, 'backup.db');
  const file = new Database(path);
  file.pragma('journal_mode = WAL');
  for (const { sql } of steps.slice(0, formerSchema)) file.exec(sql);
  file.pragma(`application_id = ${applicationId}`);
  file.pragma(`user_version = ${formerSchema}`);
  insertInto(file, 'users', {
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
  insertInto(file, 'events', event);
  file.close();
  await copyFile(path, backup);
  const counts = new Database(`${path}-throttle`);
  counts.exec(`
    CREATE TABLE failed_attempts (key TEXT PRIMARY KEY, points INTEGER NOT NULL DEFAULT 0, expire INTEGER);
    CREATE INDEX failed_attempts_by_expiry ON failed_attempts (expire);
  `);
  insertInto(counts, 'failed_attempts', { ...counter, expire: countEndMs() });
  counts.close();
  return {
    block: { type: 'sqlite', path: 'users.db' },
    content: async () => {
      const names = (await readdir(folder)).filter((name) => name.startsWith('users.db'));
      return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')]));
    },
    usedByNewer: async () => {
      const newer = new Database(path);
      newer.pragma(`user_version = ${schemaVersion + 1}`);
      newer.close();
    },
    usedByFormer: async () => {
      const upgraded = new Database(path);
      const version = upgraded.pragma('user_version', { simple: true });
      upgraded.close();
      expect(version, 'the schema, of which 0.1.0 refuses a higher one than its own').to.be.above(formerSchema);
      for (const suffix of ['', '-wal', '-shm', '-throttle']) await rm(`${path}${suffix}`, { force: true });
      await copyFile(backup, path);
      const former = new Database(path);
      former.prepare('UPDATE users SET version = ?, last_update_time = ?').run(changed.version, changed.lastUpdateTime);
      former.close();
      return { isDisabled: false, isCounted: false };
    },
    dispose: async () => {},
  };
};

const createMongodb = async (database: ScratchDatabase, event: FormerEvent): Promise<FormerDatabase> => {
  const db = database.client.db(database.databaseName);
  const counts = db.collection(`${database.collectionName}_throttle`);
  await database.users.createIndex({ email: 1 }, { unique: true });
  await database.users.insertOne({ ...user, events: [event] });
  await counts.createIndex({ key: 1 }, { unique: true });
  await counts.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
  await counts.insertOne({ ...counter, expire: new Date(countEndMs()) });
  return {
    block: { type: 'mongodb', ...database.block },
    content: async () => [
      (await db.listCollections().toArray()).map(({ name }) => name).sort(),
      await database.users.find().toArray(),
      await database.users.indexes(),
      await counts.find().toArray(),
    ],
    usedByNewer: () => database.mark(currentFormat + 1),
    usedByFormer: async () => {
      // With webhooks. Without them it replaces the document, and the state is lost.
      await database.users.updateOne({ email: user.email }, { $set: changed });
      return { isDisabled: true, isCounted: true };
    },
    dispose: () => database.dispose(),
  };
};

const toItem = (values: Readonly<Record<string, string | number | boolean>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? { S: value } : typeof value === 'boolean' ? { BOOL: value } : { N: String(value) },
    ]),
  );

const createDynamodb = async (
  endpoint: string,
  { due, attempts, time, ...event }: FormerEvent,
): Promise<FormerDatabase> => {
  const table = await (await FreshTable.create(endpoint)).createForEvents();
  await table.createForCounts();
  const events = `${table.name}-events`;
  const put = async (TableName: string, values: Parameters<typeof toItem>[0]): Promise<void> => {
    await table.client.send(new PutItemCommand({ TableName, Item: toItem(values) }));
  };
  await put(table.name, user);
  const place = `${String(time).padStart(15, '0')} ${event.id}`;
  await put(events, { ...event, place, time, due, attempts });
  await put(table.countsTableName, { ...counter, expire: countEndMs() / 1000 });
  return {
    block: { type: 'dynamodb', endpoint, region, tableName: table.name },
    content: () =>
      Promise.all(
        [table.name, events, table.countsTableName].map(
          async (TableName) => (await table.client.send(new ScanCommand({ TableName }))).Items,
        ),
      ),
    usedByNewer: () => table.mark(currentFormat + 1),
    usedByFormer: async () => {
      await put(table.name, changed);
      return { isDisabled: false, isCounted: true };
    },
    dispose: () => table.dispose(),
  };
};

/** For each store a function that needs its engine before the tests, and whose result creates the database of one test. */
export const formerDatabases: Readonly<Record<string, () => CreateFormer>> = {
  sqlite: () => createSqlite,
  mongodb: () => {
    const uri = engine('mongodb');
    return (_, event) => createMongodb(new ScratchDatabase(uri()), event);
  },
  dynamodb: () => {
    const endpoint = engine('dynamodb');
    return (_, event) => createDynamodb(endpoint(), event);
  },
};
