import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import type { FailureCount } from '../../concurrency/failure-counts.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { systemClock } from '../../kit/system-clock.ts';
import { type CountStorage, StoredAttempts, type StoredCount } from '../stored-attempts.ts';
import { Lookups } from './batches.ts';
import { plainName } from './catalogue.ts';
import type { Database } from './postgresql-database.ts';
import { removalOfEnded, textLiteral } from './sql.ts';

/** How long ago the counts that a new one removes have ended: the clocks of instances may differ. */
const removalDelayMs = 60 * 60_000;

/** Stores the counts in a table of their own. */
class PostgresqlCounts implements CountStorage {
  private readonly counts: Lookups;

  constructor(private readonly database: Database) {
    this.counts = new Lookups(
      database,
      (keys) => `SELECT key, points, expire FROM ${this.table} WHERE key IN (${keys.map(textLiteral).join(', ')})`,
    );
  }

  async get(key: string): Promise<StoredCount | undefined> {
    const row = await this.counts.find(key);
    return row && { failures: Number(row[1]), end: row[2] && Number(row[2]) };
  }

  async add(key: string, now: number, end: number): Promise<unknown> {
    const isOver = `counted.expire <= ${now}`;
    const written = `INSERT INTO ${this.table} AS counted (key, points, expire) VALUES (${textLiteral(key)}, 1, ${end})
      ON CONFLICT (key) DO UPDATE SET points = CASE WHEN ${isOver} THEN 1 ELSE counted.points + 1 END,
        expire = CASE WHEN ${isOver} THEN excluded.expire ELSE counted.expire END RETURNING points`;
    const ended = removalOfEnded(this.table, 'key', 'expire', `expire < ${now - removalDelayMs}`);
    const [row] = await this.execute(`WITH written AS (${written}), ended AS (${ended}) SELECT points FROM written`);
    return Number(row?.[0]);
  }

  set(key: string, { failures, end }: FailureCount): Promise<unknown> {
    return this.execute(`INSERT INTO ${this.table} (key, points, expire) VALUES (${textLiteral(key)}, ${failures}, ${end})
      ON CONFLICT (key) DO UPDATE SET points = excluded.points, expire = excluded.expire`);
  }

  delete(key: string): Promise<unknown> {
    return this.execute(`DELETE FROM ${this.table} WHERE key = ${textLiteral(key)}`);
  }

  call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.database.call(work);
  }

  async check(): Promise<string> {
    const { database } = this;
    // The check of the users finds out whether all tables can be written.
    await database.call((run) => run(`SELECT FROM ${database.readable.attempts} a LIMIT 0`), checkTimeoutMs);
    return `wrong passwords are counted in ${plainName(this.table)}`;
  }

  /** The store of the users closes the connections. */
  async close(): Promise<void> {}

  private get table(): string {
    return this.database.tables.attempts;
  }

  private execute(statement: string) {
    return this.database.call((run) => run(statement));
  }
}

/** The counter of wrong passwords for a table of users, in a table with its name and a suffix. */
export const openAttemptCounter = (database: Database, limits: AttemptLimits, clock = systemClock): AttemptCounter =>
  new StoredAttempts(new PostgresqlCounts(database), limits, clock);
