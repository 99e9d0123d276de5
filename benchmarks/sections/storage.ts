import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import Database from 'better-sqlite3';
import { MongoClient } from 'mongodb';
import type { Bench, Section } from '../bench.ts';
import { outputOf } from '../child.ts';
import { credentials, credentialsEnvironment, openEngine, region } from '../engine.ts';
import { latchkey } from '../latchkey.ts';
import { root } from '../machine.ts';
import type { Figure } from '../results.ts';
import { Server } from '../server.ts';
import { createUsers, multiplyInMongodb, seededDatabase } from '../users.ts';

const passwordHash = { algorithm: 'argon2', serverSideHash: true };
const commandTimeoutMs = 3_600_000;

const main = join(root, 'dist', 'latchkey.cjs');

/** Runs a command of the service, and resolves with its duration in seconds. */
const timed = async (folder: string, ...args: readonly string[]): Promise<number> => {
  const started = performance.now();
  await outputOf([process.execPath, [main, ...args]], { folder, timeoutMs: commandTimeoutMs });
  return (performance.now() - started) / 1_000;
};

const figure = (name: string, unit: Figure['unit'], value: number): Figure => ({ name, unit, values: [value] });

const sqlite = async (bench: Bench, users: number): Promise<readonly Figure[]> => {
  const file = await seededDatabase(bench, users, { passwordHash });
  const copy = join(bench.folder('backup'), 'copy.db');
  const seconds = await timed(bench.folder('run'), 'backup', file, copy);
  const bytes = statSync(copy).size;
  const database = new Database(copy, { readonly: true });
  const sizes = database
    .prepare<[], { name: string; bytes: number }>('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name')
    .all();
  database.close();
  for (const path of [file, copy]) rmSync(path);
  const index = sizes.filter(({ name }) => name.includes('autoindex')).reduce((sum, each) => sum + each.bytes, 0);
  const of = `SQLite, ${users.toLocaleString('en-US')} users`;
  return [
    figure(`${of}: file, per user`, 'B', bytes / users),
    figure(`${of}: of which the index`, 'B', index / users),
    figure(`${of}: backup`, 's', seconds),
  ];
};

const base64 = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll('=', '');

/** A hash of the same form. Equal ones would compress better than real ones. */
const otherHash = (hash: string): string => hash.replace(/\$[^$]+\$[^$]+$/, () => `$${base64(16)}$${base64(32)}`);

const mongodb = async (bench: Bench, users: number): Promise<readonly Figure[]> => {
  const engine = await openEngine('mongodb', bench.machine);
  const client = new MongoClient(engine.endpoint);
  try {
    const databaseName = `storage-${process.pid}-${users}`;
    const database = { type: 'mongodb', connectionString: engine.endpoint, databaseName, collectionName: 'users' };
    const folder = bench.folder('mongodb');
    const server = await Server.start(bench.machine, latchkey(folder, { database, passwordHash }));
    await createUsers(server.url, 1).finally(() => server.stop());
    await multiplyInMongodb(client.db(databaseName), users, otherHash);
    await client.db('admin').command({ fsync: 1 });
    const [statistics] = await client
      .db(databaseName)
      .collection('users')
      .aggregate([{ $collStats: { storageStats: {} } }])
      .toArray();
    const { size, storageSize, totalIndexSize } = statistics?.storageStats ?? {};
    const seconds = await timed(folder, 'export', '--output', 'users.jsonl', 'latchkey.yaml');
    const exported = statSync(join(folder, 'users.jsonl')).size;
    rmSync(join(folder, 'users.jsonl'));
    await client.db(databaseName).dropDatabase();
    const of = `MongoDB, ${users.toLocaleString('en-US')} users`;
    return [
      figure(`${of}: documents, per user`, 'B', size / users),
      figure(`${of}: the same on the disk, compressed`, 'B', storageSize / users),
      figure(`${of}: indexes, per user`, 'B', totalIndexSize / users),
      figure(`${of}: export`, 's', seconds),
      figure(`${of}: export, per user`, 'B', exported / users),
    ];
  } finally {
    await client.close();
    await engine.close();
  }
};

/**
 * The size of an item, as
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html defines it: UTF-8
 * names and values; numbers about a byte for two digits and one more; true, false and null one byte.
 */
const itemBytes = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((sum, [name, { S, N }]) => {
    const value = S !== undefined ? Buffer.byteLength(S) : N !== undefined ? Math.ceil(N.length / 2) + 1 : 1;
    return sum + Buffer.byteLength(name) + value;
  }, 0);

const dynamodb = async (bench: Bench): Promise<readonly Figure[]> => {
  const engine = await openEngine('dynamodb', bench.machine);
  const TableName = `storage-${process.pid}`;
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region, credentials });
  try {
    const database = { type: 'dynamodb', endpoint: engine.endpoint, region, tableName: TableName, createTable: true };
    const program = latchkey(
      bench.folder('dynamodb'),
      { database, passwordHash },
      { environment: credentialsEnvironment },
    );
    const server = await Server.start(bench.machine, program);
    await createUsers(server.url, 1).finally(() => server.stop());
    const { Items: [item = {}] = [] } = await client.send(new ScanCommand({ TableName }));
    return [figure('DynamoDB: item, of which 100 B are its index', 'B', itemBytes(item) + 100)];
  } finally {
    client.destroy();
    await engine.close();
  }
};

/** The space that users take, for capacity planning. */
export const storage: Section = {
  name: 'storage',
  title: 'Space',
  explanation:
    'The space that users take in each database, with an address of 22 characters, an argon2 hash and three small custom properties.',
  isLong: true,
  run: async (bench) => {
    const figures: Figure[] = [];
    for (const users of bench.extent.quick ? [10_000] : [1_000_000, 10_000_000]) {
      for (const measure of [sqlite, mongodb]) {
        bench.log(`  ${measure.name}, ${users} users`);
        figures.push(...(await measure(bench, users)));
      }
    }
    figures.push(...(await dynamodb(bench)));
    return { contenders: [], figures, rows: [], notes: [] };
  },
};
