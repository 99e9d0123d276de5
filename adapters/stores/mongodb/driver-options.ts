import { type CollectionOptions, type DbOptions, type MongoClientOptions, ReadConcern } from 'mongodb';

/** The timeout of one call, which ends before the operation of the service that waits for it. */
export const callTimeoutMs = (operationTimeoutMs: number): number => Math.max(1, Math.floor(operationTimeoutMs * 0.9));

/** The timeouts of the driver. They override the connection string, which decides everything else. */
export const clientOptions = (timeoutMs: number): MongoClientOptions => ({
  serverSelectionTimeoutMS: Math.min(5_000, timeoutMs),
  connectTimeoutMS: Math.min(3_000, timeoutMs),
  socketTimeoutMS: Math.min(20_000, timeoutMs),
  waitQueueTimeoutMS: Math.min(2_000, timeoutMs),
  // The driver notices within this time and one connect that a server stopped to answer, or is back.
  heartbeatFrequencyMS: 2_000,
});

/**
 * The write concern of a durable write. The server stops waiting for a majority a little before the timeout, because its
 * error tells the reason.
 */
export const durableWrite = (timeoutMs: number) =>
  ({ w: 'majority', journal: true, wtimeoutMS: Math.ceil(timeoutMs * 0.8) }) as const;

/** Reads see every acknowledged write, except for some seconds around a failover. */
export const consistentReads: CollectionOptions = { readPreference: 'primary', readConcern: { level: 'majority' } };

/**
 * Consistent reads and durable writes. These are options of the collection, because the connection string overrides some
 * options of the client.
 */
export const collectionOptions = (timeoutMs: number): CollectionOptions => ({
  ...consistentReads,
  writeConcern: durableWrite(timeoutMs),
});

/** For counts of wrong passwords: they wait for the primary only, and a failover may lose the last ones. */
export const attemptCounterOptions: DbOptions = {
  readPreference: 'primary',
  readConcern: new ReadConcern('local'),
  writeConcern: { w: 1 },
};
