import type { Db } from 'mongodb';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../../kit/rate-limited-attempts.ts';

/** How the database of the users is called. */
interface Calling {
  /** Runs something within a time in milliseconds, that of every operation if none is given; throws a Fault. */
  call<Result>(work: () => Promise<Result>, patience?: number): Promise<Result>;
  readonly patienceOfCheck: number;
}

/** Counts in a collection of their own. Its indexes, which are made with the first use, keep a key unique and let it expire. */
class Counts implements LimiterStorage {
  private indexed: Promise<void> | undefined;

  constructor(
    private readonly database: Db,
    private readonly collectionName: string,
    private readonly calling: Calling,
  ) {}

  limiter(options: LimiterOptions): RateLimiterMongo {
    const { database: storeClient, collectionName: tableName } = this;
    // The limiter itself would make the indexes now, and write about a failure on the standard error.
    return new RateLimiterMongo({ ...options, storeClient, tableName, disableIndexesCreation: true });
  }

  call<Result>(work: () => Promise<Result>, patience?: number): Promise<Result> {
    return this.calling.call(async () => {
      await this.ready();
      return work();
    }, patience);
  }

  async check(): Promise<string> {
    const counts = this.database.collection(this.collectionName);
    await this.call(() => counts.deleteOne({ key: '' }), this.calling.patienceOfCheck);
    return `wrong passwords are counted in ${this.collectionName}`;
  }

  /** The connection is that of the users. */
  async close(): Promise<void> {}

  /** Made once, and tried again after a failure. */
  private ready(): Promise<void> {
    this.indexed ??= this.makeIndexes().catch((error) => {
      this.indexed = undefined;
      throw error;
    });
    return this.indexed;
  }

  private async makeIndexes(): Promise<void> {
    const counts = this.database.collection(this.collectionName);
    await counts.createIndex({ key: 1 }, { unique: true });
    await counts.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
  }
}

/** Failed attempts beside the users of a collection, in one that has its name and a suffix. */
export const attemptsBeside = (
  collectionName: string,
  database: Db,
  calling: Calling,
  limits: AttemptLimits,
): AttemptCounter => new RateLimitedAttempts(new Counts(database, `${collectionName}_throttle`, calling), limits);
