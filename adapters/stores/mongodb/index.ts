import { MongoClient } from 'mongodb';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type AdapterContext, callTimeoutMs, defineAdapter } from '../../kit/definition.ts';
import { block, required, type Values } from '../../kit/option-block.ts';
import { type Codec, refine, text } from '../../kit/option-codecs.ts';
import { openAttemptCounter } from './mongodb-attempt-counter.ts';
import { collectionOptions, driverOptions, idleOptions, MongoConnection } from './mongodb-connection.ts';
import './driver-guard.ts';
import { MongodbEventOutbox } from './mongodb-event-outbox.ts';
import { MongodbUserListing } from './mongodb-user-listing.ts';
import { MongodbUserSearch } from './mongodb-user-search.ts';
import { MongodbUserStore } from './mongodb-user-store.ts';
import { PrimaryConfirmation } from './primary-confirmation.ts';
import { UserCollection } from './user-collection.ts';
import type { UserRecord } from './user-record.ts';

/** Whether the driver accepts it. It does not connect: an unknown host may exist later. */
const isConnectionString = (value: string): boolean => {
  try {
    new MongoClient(value);
    return true;
  } catch {
    return false;
  }
};

const connectionString: Codec<string> = refine(
  text,
  isConnectionString,
  'expected a MongoDB connection string such as mongodb://user:password@host:27017/?replicaSet=rs0, with the special characters of user and password percent-encoded',
);

// https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions, including the stricter rules of Windows.
const databaseNames = /^[^/\\. "$*<>:|?\0]+$/;
const maxDatabaseNameBytes = 63;
/** The server's own databases: `local`, for one, takes no write that has to reach a majority. */
const systemDatabases = new Set(['admin', 'config', 'local']);
const collectionNames = /^[^$\0.]+(?:\.[^$\0.]+)*$/;
/** A namespace has at most 255 bytes; this leaves room for the name of the database. */
const maxCollectionNameBytes = 191;

const databaseName: Codec<string> = refine(
  text,
  (name) => databaseNames.test(name) && Buffer.byteLength(name) <= maxDatabaseNameBytes && !systemDatabases.has(name),
  'expected a name of at most 63 bytes, none of the server\'s own admin, config and local, without spaces and any of /\\."$*<>:|?',
);

const collectionName: Codec<string> = refine(
  text,
  (name) =>
    collectionNames.test(name) && !name.startsWith('system.') && Buffer.byteLength(name) <= maxCollectionNameBytes,
  'expected a name of at most 191 bytes without $, that does not start with system.',
);

const configuration = block({
  connectionString: required(connectionString, 'The connection string.'),
  databaseName: required(databaseName, 'The name of the database.'),
  collectionName: required(collectionName, 'The name of the collection.'),
});

const open = async (
  { connectionString, databaseName, collectionName }: Values<typeof configuration.options>,
  context: AdapterContext,
): Promise<StorePorts> => {
  const { log, operationTimeoutMs, readOnly, hideUnknownUsers } = context;
  const timeoutMs = callTimeoutMs(operationTimeoutMs);
  const options = { ...driverOptions(timeoutMs), ...idleOptions(connectionString) };
  const client = new MongoClient(connectionString, options);
  const documents = client.db(databaseName).collection<UserRecord>(collectionName, collectionOptions(timeoutMs));
  const primary = new PrimaryConfirmation(client, documents, timeoutMs);
  const connection = new MongoConnection(client, log);
  const users = new UserCollection(connection, documents, primary, timeoutMs, context);
  // In the background: the service also starts while its database is down, and every write creates a missing index.
  const store = new MongodbUserStore(users, hideUnknownUsers);
  if (!readOnly) store.prepare().catch(({ message }: Error) => log.warn({}, message));
  return {
    users: store,
    names: { find: (name) => store.findByName(name) },
    listing: new MongodbUserListing(users),
    search: new MongodbUserSearch(users),
    events: new MongodbEventOutbox(users, log),
    attempts: async (limits) => openAttemptCounter(users, limits),
  };
};

/**
 * A MongoDB collection, for a service on several machines: in a replica set, or on a single server, where a write whose
 * reply was lost is not repeated.
 */
export const mongodb = defineAdapter({ type: 'mongodb', configuration, open });
