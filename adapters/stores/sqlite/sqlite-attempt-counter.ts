import type Database from 'better-sqlite3';
import { RateLimiterSQLite } from 'rate-limiter-flexible';
import { Fault } from '../../../application/fault.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { type CountingPlace, LimitedAttempts, type LimiterOptions } from '../../kit/limited-attempts.ts';
import { openCounts, tableName } from './counts-file.ts';
import { faultOf, troubleOf } from './errors.ts';

/** How often expired rows are removed, in milliseconds. */
const removalIntervalMs = 30_000;
/**
 * The event loop waits for each removal, so it takes a bounded number of rows (a few milliseconds). While more are left the
 * next one follows after a short pause: some 20,000 rows a second, which is more than wrong passwords can add.
 */
const rowsPerRemoval = 250;
const pauseBetweenRemovalsMs = 10;

/** Counts in a file of their own, on the calling thread: a count takes less time than a message to another thread. */
class Counts implements CountingPlace {
  private database: Database.Database | undefined;
  private nextRemoval: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly path: string) {}

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
    this.forgetConnection();
  }

  private open(): Database.Database {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.database === undefined) {
      this.database = openCounts(this.path);
      this.removeExpired(this.database);
    }
    return this.database;
  }

  /** Removes expired rows until none are left, and again after the interval, as long as the file is open. */
  private removeExpired(database: Database.Database): void {
    let pause = removalIntervalMs;
    try {
      const some = `SELECT rowid FROM ${tableName} WHERE expire < ? LIMIT ${rowsPerRemoval}`;
      const { changes } = database.prepare(`DELETE FROM ${tableName} WHERE rowid IN (${some})`).run(Date.now());
      if (changes === rowsPerRemoval) pause = pauseBetweenRemovalsMs;
    } catch (error) {
      // Whoever counts next is told.
      this.faultOf(error);
    }
    if (this.database === database) this.nextRemoval = setTimeout(() => this.removeExpired(database), pause).unref();
  }

  private faultOf(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const trouble = troubleOf(error);
    // The next call finds the file damaged, and makes it anew.
    if (trouble.damaged) this.forgetConnection();
    return faultOf(this.path, trouble);
  }

  private forgetConnection(): void {
    clearTimeout(this.nextRemoval);
    this.database?.close();
    this.database = undefined;
  }
}

/** Failed attempts beside a database, in a file that has its name and a suffix. */
export const attemptsBeside = (path: string, limits: AttemptLimits): AttemptCounter => {
  const counts = new Counts(`${path}-throttle`);
  counts.prepare();
  return new LimitedAttempts(counts, limits);
};
