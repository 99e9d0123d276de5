import type Database from 'better-sqlite3';

interface PendingRead<Query, Result> {
  readonly query: Query;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Lets reads that are requested together share a transaction, because the locks of a transaction take twice as long as an
 * indexed lookup. It starts after all of them were requested, so that each sees every write that was acknowledged before.
 */
export class GroupedReads<Query, Result> {
  private readonly begin: Database.Statement<[]>;
  private readonly rollback: Database.Statement<[]>;
  private pending: PendingRead<Query, Result>[] = [];

  /** `schedule` calls `answer` later on this thread; what is requested until then shares a transaction. */
  constructor(
    private readonly database: Database.Database,
    private readonly read: (query: Query) => Result,
    private readonly schedule: (answer: () => void) => void,
  ) {
    this.begin = database.prepare('BEGIN');
    this.rollback = database.prepare('ROLLBACK');
  }

  /** Rejects with the error of SQLite. */
  request(query: Query): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.pending.push({ query, resolve, reject }) === 1) this.schedule(this.answer);
    });
  }

  /** Runs the pending reads now. */
  readonly answer = (): void => {
    const { pending } = this;
    this.pending = [];
    // If this fails, each read runs in a transaction of its own.
    if (pending.length > 1) this.attempt(this.begin);
    for (const { query, resolve, reject } of pending) {
      try {
        resolve(this.read(query));
      } catch (error) {
        reject(error);
      }
    }
    // Some errors end the transaction, and a commit fails after the others.
    if (this.database.inTransaction) this.attempt(this.rollback);
  };

  /** Runs a statement and ignores its error, which no caller waits for. */
  private attempt(statement: Database.Statement<[]>): void {
    try {
      statement.run();
    } catch {
      // The next read fails with the error of the database.
    }
  }
}
