import { lstatSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { RateLimiterSQLite } from 'rate-limiter-flexible';
import { Fault } from '../../../application/fault.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../rate-limited-attempts.ts';
import { toFailure, toFault } from './errors.ts';
import { LimiterConnection } from './limiter-connection.ts';
import { createFile, switchToWal } from './sqlite-database.ts';

/** The table of RateLimiterSQLite, with an index that finds expired rows. */
const tableName = 'failed_attempts';

const schema = `
  CREATE TABLE IF NOT EXISTS ${tableName} (key TEXT PRIMARY KEY, points INTEGER NOT NULL DEFAULT 0, expire INTEGER);
  CREATE INDEX IF NOT EXISTS ${tableName}_by_expiry ON ${tableName} (expire);
`;

/** How long the event loop may wait for the write of another process. */
const busyTimeoutMs = 100;

/**
 * The number of pages of 4 KiB at which the write-ahead log starts again from its beginning. It stays far below the free
 * space of a ready service, so that failures that are counted late, after the disk was full, do not fill the disk again.
 */
const maxLogPages = 50;

/** The suffixes of the file itself and of those that SQLite adds. */
const fileSuffixes = ['', '-wal', '-shm', '-journal'];

const cleanupIntervalMs = 30_000;
/**
 * The event loop waits for each cleanup, which therefore removes a limited number of rows in a few milliseconds. While
 * more are left, the next one follows after a short delay: about 20,000 rows a second, more than wrong passwords can add.
 */
const rowsPerCleanup = 250;
const cleanupDelayMs = 10;

/**
 * Removes symbolic and hard links in place of the files: other users who may write to the folder could plant one, and SQLite
 * would create or change the file that it points to. Only counts are lost.
 */
const removeLinks = (path: string): void => {
  for (const suffix of fileSuffixes) {
    const found = lstatSync(`${path}${suffix}`, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() || (found?.isFile() && found.nlink > 1)) rmSync(`${path}${suffix}`);
  }
};

const openFile = (path: string): Database.Database => {
  removeLinks(path);
  createFile(path);
  const database = new Database(path, { timeout: busyTimeoutMs });
  try {
    // Without a wait for the disk: counts that a power failure damages start again at zero.
    database.pragma('synchronous = OFF');
    switchToWal(database, busyTimeoutMs);
    database.pragma(`wal_autocheckpoint = ${maxLogPages}`);
    database.exec(schema);
    if (database.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new Database.SqliteError('', 'SQLITE_CORRUPT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Creates a missing file, and replaces a damaged one. Throws the error of SQLite or of the file system. */
const openOrReplaceFile = (path: string): Database.Database => {
  try {
    return openFile(path);
  } catch (error) {
    if (!toFailure(error).isDamage) throw error;
    for (const suffix of fileSuffixes) rmSync(`${path}${suffix}`, { force: true });
    return openFile(path);
  }
};

/** Stores the counts in a separate file, on the calling thread: a count takes less time than a message to another thread. */
class SqliteLimiterStorage implements LimiterStorage {
  private connection: LimiterConnection | undefined;
  private nextCleanup: NodeJS.Timeout | undefined;
  private closed = false;

  /** `readOnly`: whether the file is only named, because opening it would create it. */
  constructor(
    private readonly path: string,
    private readonly readOnly: boolean,
  ) {}

  /** Opens the file before the first count, which reports a failure. */
  prepare(): void {
    if (this.readOnly) return;
    try {
      this.open();
    } catch (error) {
      this.toFault(error);
    }
  }

  limiter(options: LimiterOptions): RateLimiterSQLite {
    const storeType = 'better-sqlite3';
    // The limiter calls its client each time, and so gets the connection that is open at that moment.
    const storeClient = {
      prepare: (sql: string) => this.open().prepare(sql),
      transaction: (work: () => unknown) => this.open().database.transaction(work),
    };
    return new RateLimiterSQLite({ ...options, storeClient, storeType, tableName, tableCreated: true });
  }

  call<Result>(work: () => Promise<Result>): Promise<Result> {
    return work().catch((error: unknown) => {
      // A connection that was opened on a read-only disk stays so; the next call opens another one.
      if (toFailure(error).isReadOnly) this.disconnect();
      throw this.toFault(error);
    });
  }

  async check(): Promise<string> {
    // Takes the write lock, and writes nothing.
    if (!this.readOnly) await this.call(async () => this.open().database.exec('BEGIN IMMEDIATE; COMMIT'));
    return `wrong passwords are counted in ${this.path}`;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.disconnect();
  }

  private open(): LimiterConnection {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.connection === undefined) {
      this.connection = new LimiterConnection(openOrReplaceFile(this.path));
      this.removeExpired(this.connection);
    }
    return this.connection;
  }

  /** Removes expired rows now and after each interval, as long as the connection is open. */
  private removeExpired(connection: LimiterConnection): void {
    let delayMs = cleanupIntervalMs;
    try {
      const expired = `SELECT rowid FROM ${tableName} WHERE expire < ? LIMIT ${rowsPerCleanup}`;
      const removal = connection.database.prepare(`DELETE FROM ${tableName} WHERE rowid IN (${expired})`);
      const { changes } = removal.run(Date.now());
      if (changes === rowsPerCleanup) delayMs = cleanupDelayMs;
    } catch (error) {
      // The next count fails with the same error.
      this.toFault(error);
    }
    if (this.connection !== connection) return;
    this.nextCleanup = setTimeout(() => this.removeExpired(connection), delayMs).unref();
  }

  private toFault(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const failure = toFailure(error);
    // The next call finds the damaged file and replaces it.
    if (failure.isDamage) this.disconnect();
    return toFault(this.path, failure);
  }

  private disconnect(): void {
    clearTimeout(this.nextCleanup);
    const { connection } = this;
    this.connection = undefined;
    connection?.close();
  }
}

/** The counter of wrong passwords for a database, in a file with its name and a suffix. */
export const openAttemptCounter = (path: string, limits: AttemptLimits, readOnly = false): AttemptCounter => {
  const storage = new SqliteLimiterStorage(`${path}-throttle`, readOnly);
  storage.prepare();
  return new RateLimitedAttempts(storage, limits);
};
