import { randomUUID } from 'node:crypto';
import { FreshTable, region } from '../adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../adapters/stores/mongodb/scratch-database.ts';
import type { Database } from '../http/harness.ts';

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
}

const addressIn = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};

const movedTo = (url: string, host: string, port: number): string => {
  const { host: from } = new URL(url);
  return url.replace(from, `${host}:${port}`);
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
  };
};

/** DynamoDB at the endpoint that an engine gives. */
export const dynamodb = (endpoint: () => string): RemoteDatabase => {
  const openWith = async (reached: string) => {
    const table = await FreshTable.create(endpoint());
    const yaml = { type: 'dynamodb', endpoint: reached, region, tableName: table.name };
    return { yaml, dispose: () => table.dispose() };
  };
  return {
    name: 'DynamoDB',
    open: () => openWith(endpoint()),
    address: () => addressIn(endpoint()),
    openAt: (host, port) => openWith(movedTo(endpoint(), host, port)),
  };
};

/** An address that no other test uses. */
export const freshAddress = (): string => `${randomUUID()}@example.com`;
