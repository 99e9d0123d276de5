import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { FreshTable, region } from '../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../integration/adapters/stores/mongodb/scratch-database.ts';

/** The embedded store, in the folder of the installation. */
export const sqlite: Database = {
  name: 'SQLite',
  open: async () => ({ yaml: { type: 'sqlite', path: 'users.db' }, dispose: async () => {} }),
};

/** A database that is reached over the network, and so through a proxy too. */
export interface RemoteDatabase extends Database {
  /** Where it listens. */
  address(): { readonly host: string; readonly port: number };
  /** An empty store that the service reaches at another address. */
  openAt(host: string, port: number): ReturnType<Database['open']>;
  /** Rejects while the server itself takes no writes. */
  works(): Promise<unknown>;
}

const addressIn = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};

const movedTo = (url: string, host: string, port: number): string => {
  const { host: from } = new URL(url);
  return url.replace(from, `${host}:${port}`);
};

/** Whether a server of MongoDB takes writes, asked over a connection of its own. */
const isPrimary = async (uri: string): Promise<void> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    const { isWritablePrimary } = await client.db('admin').command({ hello: 1 });
    if (isWritablePrimary !== true) throw new Error('no primary was elected yet');
  } finally {
    await client.close();
  }
};

/** MongoDB at the connection string that an engine gives. */
export const mongodb = (uri: () => string): RemoteDatabase => {
  const openWith = async (connectionString: string) => {
    const database = new ScratchDatabase(uri());
    const yaml = { type: 'mongodb', ...database.block, connectionString };
    return { yaml, dispose: () => database.dispose() };
  };
  return {
    name: 'MongoDB',
    open: () => openWith(uri()),
    address: () => addressIn(uri()),
    openAt: (host, port) => openWith(movedTo(uri(), host, port)),
    works: () => isPrimary(uri()),
  };
};

/** DynamoDB at the endpoint that an engine gives. */
export const dynamodb = (endpoint: () => string): RemoteDatabase => {
  const openWith = async (reached: string) => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    const yaml = { type: 'dynamodb', endpoint: reached, region, tableName: table.name };
    return { yaml, dispose: () => table.dispose() };
  };
  return {
    name: 'DynamoDB',
    open: () => openWith(endpoint()),
    address: () => addressIn(endpoint()),
    openAt: (host, port) => openWith(movedTo(endpoint(), host, port)),
    works: () => fetch(endpoint()),
  };
};

/** An address that no other test uses. */
export const freshAddress = (): string => `${randomUUID()}@example.com`;
