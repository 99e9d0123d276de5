import type { Collection } from 'mongodb';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import type { FailureCount } from '../../concurrency/failure-counts.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { type CountStorage, StoredAttempts, type StoredCount } from '../stored-attempts.ts';
import { isDuplicateKey } from './errors.ts';
import { attemptCounterOptions } from './mongodb-connection.ts';
import type { UserCollection } from './user-collection.ts';

interface CountRecord {
  readonly key: string;
  readonly points: unknown;
  readonly expire: unknown;
}

/** The update that adds a failure. A damaged end stays: the count does not start again. */
const addition = (now: Date, end: Date) => {
  const isOver = { $and: [{ $eq: [{ $type: '$expire' }, 'date'] }, { $lte: ['$expire', now] }] };
  const starts = { $or: [{ $eq: [{ $type: '$expire' }, 'missing'] }, isOver] };
  const values = {
    points: { $cond: [starts, 1, { $add: ['$points', 1] }] },
    expire: { $cond: [starts, end, '$expire'] },
  };
  return [{ $set: values }];
};

/** Stores the counts in a separate collection. Its indexes, which the first use creates, make keys unique and let them expire. */
class MongodbCounts implements CountStorage {
  private readonly counts: Collection<CountRecord>;
  private readonly indexes = new Once(() => this.createIndexes());

  constructor(private readonly users: UserCollection) {
    const database = users.connection.database(users.databaseName, attemptCounterOptions);
    this.counts = database.collection<CountRecord>(`${users.documents.collectionName}_throttle`);
  }

  async get(key: string): Promise<StoredCount | undefined> {
    const found = await this.counts.findOne({ key });
    return found === null
      ? undefined
      : { failures: found.points, end: found.expire instanceof Date && found.expire.getTime() };
  }

  async add(key: string, now: number, end: number): Promise<unknown> {
    const update = addition(new Date(now), new Date(end));
    const add = () => this.counts.findOneAndUpdate({ key }, update, { upsert: true, returnDocument: 'after' });
    const added = await add().catch((error: unknown) => {
      // The first failures of a key at the same time.
      if (isDuplicateKey(error)) return add();
      throw error;
    });
    if (!(added?.expire instanceof Date)) throw new TypeError('a count has no time at which it ends');
    return added.points;
  }

  set(key: string, { failures, end }: FailureCount): Promise<unknown> {
    return this.counts.updateOne({ key }, { $set: { points: failures, expire: new Date(end) } }, { upsert: true });
  }

  delete(key: string): Promise<unknown> {
    return this.counts.deleteOne({ key });
  }

  call<Result>(work: () => Promise<Result>, timeoutMs?: number): Promise<Result> {
    return this.users.call(async () => {
      if (!this.users.readOnly) await this.indexes.get();
      return work();
    }, timeoutMs);
  }

  async check(): Promise<string> {
    const { collectionName } = this.counts;
    await this.call(() => this.delete(''), Math.min(checkTimeoutMs, this.users.timeoutMs));
    const sharding = await this.users.describeSharding(collectionName, 'key');
    return `wrong passwords are counted in ${collectionName}${sharding === undefined ? '' : `; ${sharding}`}`;
  }

  /** The store of the users closes the connection. */
  async close(): Promise<void> {}

  private async createIndexes(): Promise<void> {
    await this.counts.createIndex({ key: 1 }, { unique: true });
    await this.counts.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
  }
}

/** The counter of wrong passwords for a collection of users, in a collection with its name and a suffix. */
export const openAttemptCounter = (users: UserCollection, limits: AttemptLimits): AttemptCounter =>
  new StoredAttempts(new MongodbCounts(users), limits, users.clock);
