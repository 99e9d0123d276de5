import { MongoClient } from 'mongodb';
import { type Codec, refine, text } from '../../kit/option-codecs.ts';

/** Whether the driver takes it. It doesn't connect: a host that is unknown today may be there tomorrow. */
const isConnectionString = (value: string): boolean => {
  try {
    new MongoClient(value);
    return true;
  } catch {
    return false;
  }
};

/** A connection string with options that the driver knows. */
export const connectionString: Codec<string> = refine(
  text,
  isConnectionString,
  'expected a MongoDB connection string such as mongodb://user:password@host:27017/?replicaSet=rs0, with the special characters of user and password percent-encoded',
);

// https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions, the stricter rules of Windows included.
const databases = /^[^/\\. "$*<>:|?\0]+$/;
const longestDatabaseName = 63;
/** The server keeps these for itself: `local` takes no write that has to reach a majority. */
const databasesOfTheServer = new Set(['admin', 'config', 'local']);
const collections = /^[^$\0.]+(?:\.[^$\0.]+)*$/;

/** The name of a database as MongoDB takes it. */
export const databaseName: Codec<string> = refine(
  text,
  (name) => databases.test(name) && Buffer.byteLength(name) <= longestDatabaseName && !databasesOfTheServer.has(name),
  'expected a name of at most 63 bytes, none of the server\'s own admin, config and local, without spaces and any of /\\."$*<>:|?',
);

/** The name of a collection as MongoDB takes it, its namespace of at most 255 bytes included. */
export const collectionName: Codec<string> = refine(
  text,
  (name) => collections.test(name) && !name.startsWith('system.') && Buffer.byteLength(name) <= 191,
  'expected a name of at most 191 bytes without $, that does not start with system.',
);
