import type Database from 'better-sqlite3';
import { RateLimiterSQLite } from 'rate-limiter-flexible';
import { Fault } from '../../../application/fault.ts';
import type { AttemptLimits, FailedAttempts } from '../../../application/ports/failed-attempts.ts';
import { type CountingPlace, LimitedAttempts, type LimiterOptions } from '../../throttle/limited-attempts.ts';
import { openCounts, tableName } from './counts-file.ts';
import { faultOf, troubleOf } from './trouble.ts';

/** How often what expired is removed, in milliseconds, and how much of it at once: the event loop waits for it. */
const pauseBetweenRemovals = 30_000;
const largestRemoval = 5_000;

/** Counts in a file of their own, on the calling thread: a count takes less time than a message to another thread. */
class Counts implements CountingPlace {
  private database: Database.Database | undefined;
  private readonly removals: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly path: string) {
    this.removals = setInterval(() => this.removeExpired(), pauseBetweenRemovals).unref();
  }

  /** Opens the file before anybody waits for it. */
  prepare(): void {
    try {
      this.open();
    } catch (error) {
      // Whoever counts first is told.
      this.faultOf(error);
    }
  }

  limiter(options: LimiterOptions): RateLimiterSQLite {
    const storeType = 'better-sqlite3';
    // The limiter asks for its client with each call, and finds the one that is open then.
    const storeClient = {
      prepare: (sql: string) => this.open().prepare(sql),
      transaction: (work: () => unknown) => this.open().transaction(work),
    };
    return new RateLimiterSQLite({ ...options, storeClient, storeType, tableName, tableCreated: true });
  }

  async call<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.faultOf(error);
    }
  }

  async check(): Promise<string> {
    // Takes the lock of a write, and writes nothing.
    await this.call(async () => this.open().exec('BEGIN IMMEDIATE; COMMIT'));
    return `wrong passwords are counted in ${this.path}`;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.removals);
    this.forgetConnection();
  }

  private open(): Database.Database {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.database === undefined) {
      this.database = openCounts(this.path);
      this.removeExpired();
    }
    return this.database;
  }

  private removeExpired(): void {
    try {
      const some = `SELECT rowid FROM ${tableName} WHERE expire < ? LIMIT ${largestRemoval}`;
      this.database?.prepare(`DELETE FROM ${tableName} WHERE rowid IN (${some})`).run(Date.now());
    } catch (error) {
      // Whoever counts next is told.
      this.faultOf(error);
    }
  }

  private faultOf(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const trouble = troubleOf(error);
    // The next call finds the file damaged, and makes it anew.
    if (trouble.damaged) this.forgetConnection();
    return faultOf(this.path, trouble);
  }

  private forgetConnection(): void {
    this.database?.close();
    this.database = undefined;
  }
}

/** Failed attempts beside a database, in a file that has its name and a suffix. */
export const attemptsBeside = (path: string, limits: AttemptLimits): FailedAttempts => {
  const counts = new Counts(`${path}-throttle`);
  counts.prepare();
  return new LimitedAttempts(counts, limits);
};
