import { type Collection, MongoServerError } from 'mongodb';
import type { UserRecord } from './record.ts';

/** Unauthorized, IndexOptionsConflict and IndexKeySpecsConflict: the index may be there all the same. */
const inconclusive = new Set<unknown>([13, 85, 86]);

/**
 * How a command names the index. The server refuses a command that names an index which is not there, in the same step
 * in which it would run it: nothing is written to a collection that was dropped, or made by hand, without the index.
 */
export const indexHint = { hint: { email: 1 } } as const;

/** The unique index on `email`, without which the store could not decide who has an address. */
export class UniqueIndex {
  private made: Promise<void> | undefined;

  constructor(private readonly users: Collection<UserRecord>) {}

  /** Resolves when the index is there: makes it once, and tries again after a failure. */
  ready(): Promise<void> {
    if (this.made !== undefined) return this.made;
    const attempt = this.attempt();
    this.made = attempt;
    attempt.catch(() => {
      if (this.made === attempt) this.made = undefined;
    });
    return attempt;
  }

  /** Has the index looked for again: whoever drops the collection drops the index. */
  forget(): void {
    this.made = undefined;
  }

  private async attempt(): Promise<void> {
    try {
      await this.users.createIndex(indexHint.hint, { unique: true });
    } catch (error) {
      const mayBeThere = error instanceof MongoServerError && inconclusive.has(error.code);
      // The first refusal says more than one of the list of indexes.
      if (!mayBeThere || !(await this.isThere().catch(() => false))) throw error;
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
