import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { Client } from 'pg';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../integration/adapters/stores/postgresql/scratch-schema.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { TcpProxy } from '../support/fault-proxy.ts';
import { readNames as dynamodbNames } from '../support/names/dynamodb.ts';
import { readNames as mongodbNames } from '../support/names/mongodb.ts';
import { postgresqlNames } from '../support/names/postgresql.ts';
import { sqliteNames } from '../support/names/sqlite.ts';
import type { StoredNames } from '../support/names/stored-names.ts';
import { Caller } from './caller.ts';

/** A database whose names can be read without the service. */
export interface ReadableDatabase extends Database {
  /** The folder of the installation has the file of an embedded database. */
  open(): Promise<Awaited<ReturnType<Database['open']>> & { readNames(folder: string): Promise<StoredNames> }>;
}

/** SQLite, in the folder of the installation. */
export const sqlite: ReadableDatabase = {
  name: 'SQLite',
  open: async () => ({
    yaml: { type: 'sqlite', path: 'users.db' },
    dispose: async () => {},
    readNames: async (folder) => sqliteNames(join(folder, 'users.db')),
  }),
};

/** Serves users in a new store of a database while `use` runs. */
export const withService = async <Result>(
  database: Database,
  use: (caller: Caller) => Promise<Result>,
  blocks: Readonly<Record<string, unknown>> = {},
  serve = (installation: Installation): Promise<Serving> => installation.serve(),
): Promise<Result> => {
  const installation = await Installation.create();
  const { yaml, dispose } = await database.open();
  try {
    await installation.configure({ database: yaml, ...blocks });
    const caller = new Caller((await serve(installation)).url);
    const result = await use(caller);
    caller.close();
    return result;
  } finally {
    await installation.dispose();
    await dispose();
  }
};

/** A database on the network, which a proxy can be put in front of. */
export interface RemoteDatabase extends ReadableDatabase {
  /** The host and port it listens on. */
  address(): { readonly host: string; readonly port: number };
  /** Opens an empty store that the service connects to through another address. */
  openAt(host: string, port: number): ReturnType<ReadableDatabase['open']>;
  /** Rejects while the server accepts no writes. */
  isWritable(): Promise<unknown>;
}

/** A folder to serve from, and a new store of a database on the network behind a proxy. */
export interface ProxiedInstallation {
  readonly installation: Installation;
  readonly proxy: TcpProxy;
  /** The block `database` of the configuration. */
  readonly yaml: unknown;
}

/** Puts a proxy in front of a database while `use` runs. */
export const withProxy = async <Result>(
  database: RemoteDatabase,
  use: (proxied: ProxiedInstallation) => Promise<Result>,
): Promise<Result> => {
  const installation = await Installation.create();
  const { host, port } = database.address();
  const proxy = await TcpProxy.to(host, port);
  const { yaml, dispose } = await database.openAt(proxy.host, proxy.port);
  try {
    return await use({ installation, proxy, yaml });
  } finally {
    await installation.dispose();
    await dispose();
    await proxy.close();
  }
};

const addressIn = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};

const withAddress = (url: string, host: string, port: number): string => {
  const { host: from } = new URL(url);
  return url.replace(from, `${host}:${port}`);
};

/** Rejects unless the MongoDB server is a primary. Uses a separate connection. */
const expectPrimary = async (uri: string): Promise<void> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    const { isWritablePrimary } = await client.db('admin').command({ hello: 1 });
    if (isWritablePrimary !== true) throw new Error('no primary is elected yet');
  } finally {
    await client.close();
  }
};

/** MongoDB at the connection string of an engine. */
export const mongodb = (uri: () => string): RemoteDatabase => {
  const openWith = async (connectionString: string) => {
    const database = new ScratchDatabase(uri());
    const yaml = { type: 'mongodb', ...database.block, connectionString };
    const { client, databaseName, collectionName } = database;
    const readNames = () => mongodbNames(client.db(databaseName), collectionName);
    return { yaml, dispose: () => database.dispose(), readNames };
  };
  return {
    name: 'MongoDB',
    open: () => openWith(uri()),
    address: () => addressIn(uri()),
    openAt: (host, port) => openWith(withAddress(uri(), host, port)),
    isWritable: () => expectPrimary(uri()),
  };
};

/** Rejects unless the PostgreSQL server takes writes. Uses a separate connection. */
const expectWritable = async (connectionString: string): Promise<void> => {
  const client = new Client({ connectionString, connectionTimeoutMillis: 1_000 });
  await client.connect();
  try {
    await client.query('CREATE TEMPORARY TABLE written ()');
  } finally {
    await client.end();
  }
};

/** PostgreSQL at the URL of a server. */
export const postgresql = (url: () => string): RemoteDatabase => {
  const openWith = async (connectionString: string) => {
    const scratch = await ScratchSchema.create(url());
    const readNames = () => postgresqlNames(url(), `${scratch.schema}.users`);
    return { yaml: { ...scratch.block, connectionString }, dispose: () => scratch.dispose(), readNames };
  };
  return {
    name: 'PostgreSQL',
    open: () => openWith(url()),
    address: () => addressIn(url()),
    openAt: (host, port) => openWith(withAddress(url(), host, port)),
    isWritable: () => expectWritable(url()),
  };
};

/** DynamoDB at the endpoint of an engine. */
export const dynamodb = (endpoint: () => string): RemoteDatabase => {
  const openWith = async (reachedAt: string) => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    await table.createForCounts();
    const yaml = { type: 'dynamodb', endpoint: reachedAt, region, tableName: table.name };
    const readNames = () => dynamodbNames(table.client, table.name);
    return { yaml, dispose: () => table.dispose(), readNames };
  };
  return {
    name: 'DynamoDB',
    open: () => openWith(endpoint()),
    address: () => addressIn(endpoint()),
    openAt: (host, port) => openWith(withAddress(endpoint(), host, port)),
    isWritable: () => fetch(endpoint()),
  };
};
