import type { Collection, Db, Document, Filter, FindOneAndUpdateOptions, UpdateFilter } from 'mongodb';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../rate-limited-attempts.ts';
import { readSafeIndexes } from './collection-options.ts';
import { isDuplicateKey } from './errors.ts';
import { attemptCounterOptions } from './mongodb-connection.ts';
import type { UserCollection } from './user-collection.ts';

const byKey = { key: 1 } as const;

const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime());

/**
 * The collection that a limiter expects. Its filters by time match no damaged `expire`: a read would find no count, and a
 * write would be refused by the unique index and repeated without end.
 */
const countsIn = (counts: Collection) => {
  const find = async ({ key }: Filter<Document>): Promise<Document | null> => {
    const found = await counts.findOne({ key });
    if (found !== null && !isDate(found.expire)) throw new TypeError('a count has no time at which it ends');
    return found;
  };
  return {
    findOne: async (filter: Filter<Document>): Promise<Document | null> => {
      const found = await find(filter);
      return found !== null && found.expire > new Date() ? found : null;
    },
    findOneAndUpdate: async (
      filter: Filter<Document>,
      update: UpdateFilter<Document>,
      options: FindOneAndUpdateOptions,
    ) => {
      try {
        return await counts.findOneAndUpdate(filter, update, options);
      } catch (error) {
        if (isDuplicateKey(error)) await find(filter);
        throw error;
      }
    },
    deleteOne: (filter: Filter<Document>) => counts.deleteOne(filter),
  };
};

/** Stores the counts in a separate collection. Its indexes, which the first use creates, make keys unique and let them expire. */
class MongodbLimiterStorage implements LimiterStorage {
  private readonly database: Db;
  private readonly collectionName: string;
  private readonly indexes = new Once(() => this.createIndexes());

  constructor(private readonly users: UserCollection) {
    this.database = users.connection.database(users.databaseName, attemptCounterOptions);
    this.collectionName = `${users.documents.collectionName}_throttle`;
  }

  limiter(options: LimiterOptions): RateLimiterMongo {
    const { database, collectionName: tableName } = this;
    const storeClient = { collection: (name: string) => countsIn(database.collection(name)) };
    // The limiter would create the indexes now, and report a failure on standard error.
    return new RateLimiterMongo({ ...options, storeClient, tableName, disableIndexesCreation: true });
  }

  call<Result>(work: () => Promise<Result>, timeoutMs?: number): Promise<Result> {
    return this.users.call(async () => {
      if (!this.users.readOnly) await this.indexes.get();
      return work();
    }, timeoutMs);
  }

  async check(): Promise<string> {
    const counts = this.database.collection(this.collectionName);
    const probe = async (): Promise<void> => {
      await readSafeIndexes(counts, [byKey]);
      await counts.deleteOne({ key: '' });
    };
    await this.call(probe, Math.min(checkTimeoutMs, this.users.timeoutMs));
    const sharding = await this.users.describeSharding(this.collectionName, 'key');
    return `wrong passwords are counted in ${this.collectionName}${sharding === undefined ? '' : `; ${sharding}`}`;
  }

  /** The store of the users closes the connection. */
  async close(): Promise<void> {}

  private async createIndexes(): Promise<void> {
    const counts = this.database.collection(this.collectionName);
    await readSafeIndexes(counts, [byKey]);
    await counts.createIndex(byKey, { unique: true });
    await counts.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
  }
}

/** The counter of wrong passwords for a collection of users, in a collection with its name and a suffix. */
export const openAttemptCounter = (users: UserCollection, limits: AttemptLimits): AttemptCounter =>
  new RateLimitedAttempts(new MongodbLimiterStorage(users), limits);
