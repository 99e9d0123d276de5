import { type CollectionOptions, type DbOptions, type MongoClientOptions, ReadConcern } from 'mongodb';

/** How long a call of the store may take, in milliseconds: less than the operation of the service that waits for it. */
export const deadlineOf = (operationTimeout: number): number => Math.max(1, Math.floor(operationTimeout * 0.9));

/** What the driver waits for, in milliseconds. It wins over the connection string, which decides everything else. */
export const clientOptions = (deadline: number): MongoClientOptions => ({
  serverSelectionTimeoutMS: Math.min(5_000, deadline),
  connectTimeoutMS: Math.min(3_000, deadline),
  socketTimeoutMS: Math.min(20_000, deadline),
  waitQueueTimeoutMS: Math.min(2_000, deadline),
  // A server that went silent is noticed, and one that came back is found, within this time and one connect.
  heartbeatFrequencyMS: 2_000,
});

/**
 * What makes a write durable that may take so many milliseconds. The server gives up waiting for a majority a little
 * earlier, because it says that this is why.
 */
export const durably = (patience: number) =>
  ({ w: 'majority', journal: true, wtimeoutMS: Math.ceil(patience * 0.8) }) as const;

/** What shows a read every acknowledged write, as long as the primary stays the same: not for some seconds around a failover. */
export const currentReads: CollectionOptions = { readPreference: 'primary', readConcern: { level: 'majority' } };

/**
 * What makes an acknowledged write durable, and visible to later reads as far as `currentReads` goes. It belongs to the collection, because the
 * client takes some of it from the connection string in spite of its own options.
 */
export const guarantees = (deadline: number): CollectionOptions => ({
  ...currentReads,
  writeConcern: durably(deadline),
});

/** For counts of wrong passwords: what the primary knows. They wait for no other server, and a failover may lose the last ones. */
export const guaranteesOfCounts: DbOptions = {
  readPreference: 'primary',
  readConcern: new ReadConcern('local'),
  writeConcern: { w: 1 },
};
