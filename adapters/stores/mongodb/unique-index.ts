import { type Collection, MongoServerError } from 'mongodb';
import type { UserRecord } from './record.ts';

/** Unauthorized, IndexOptionsConflict and IndexKeySpecsConflict: the index may be there all the same. */
const inconclusive = new Set<unknown>([13, 85, 86]);

/** The unique index on `email`, without which the store could not decide who has an address. */
export class UniqueIndex {
  private made: Promise<void> | undefined;

  constructor(private readonly users: Collection<UserRecord>) {}

  /** Resolves when the index is there: makes it once, and tries again after a failure. */
  ready(): Promise<void> {
    return this.made ?? this.make();
  }

  /** Makes the index unless it is there, also when it was there before: whoever drops the collection drops the index. */
  make(): Promise<void> {
    const attempt = this.attempt();
    this.made = attempt;
    attempt.catch(() => {
      if (this.made === attempt) this.made = undefined;
    });
    return attempt;
  }

  private async attempt(): Promise<void> {
    try {
      await this.users.createIndex({ email: 1 }, { unique: true });
    } catch (error) {
      if (!(error instanceof MongoServerError && inconclusive.has(error.code)) || !(await this.isThere())) throw error;
    }
  }

  /** Whether an administrator made it, under whatever name. */
  private async isThere(): Promise<boolean> {
    const indexes = await this.users.indexes();
    return indexes.some(
      ({ key, unique, sparse, partialFilterExpression }) =>
        JSON.stringify(key) === '{"email":1}' && unique === true && !sparse && partialFilterExpression === undefined,
    );
  }
}
