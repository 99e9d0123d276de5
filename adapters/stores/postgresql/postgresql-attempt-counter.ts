import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { type LimiterOptions, type LimiterStorage, RateLimitedAttempts } from '../rate-limited-attempts.ts';
import { Lookups } from './batches.ts';
import { plainName } from './catalogue.ts';
import type { Database } from './postgresql-database.ts';
import { type Row, removalOfEnded, textLiteral } from './sql.ts';

/** A statement of the limiter, with parameters such as `$1`. It also has a name, which would keep it in the session. */
interface Query {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

const literalOf = (value: string | number | null | undefined): string =>
  typeof value === 'string' ? textLiteral(value) : String(value ?? 'NULL');

/** How long ago the counts that a new one removes have ended: the clocks of instances may differ. */
const removalDelayMs = 60 * 60_000;

/** Stores the counts in a table of their own. */
class PostgresqlLimiterStorage implements LimiterStorage {
  private readonly counts: Lookups;

  constructor(private readonly database: Database) {
    this.counts = new Lookups(
      database,
      (keys) => `SELECT key, points, expire FROM ${database.tables.attempts}
        WHERE key IN (${keys.map(textLiteral).join(', ')}) AND (expire > ${Date.now()} OR expire IS NULL)`,
    );
  }

  limiter(options: LimiterOptions): RateLimiterPostgres {
    return new RateLimiterPostgres({
      ...options,
      storeClient: { query: (query: Query) => this.query(query) },
      storeType: 'client',
      // The limiter adds the first and the last quote of the qualified name.
      tableName: this.database.tables.attempts.slice(1, -1),
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.database.call(work);
  }

  async check(): Promise<string> {
    const { database } = this;
    // The check of the users finds out whether all tables can be written.
    await database.call((run) => run(`SELECT FROM ${database.readable.attempts} a LIMIT 0`), checkTimeoutMs);
    return `wrong passwords are counted in ${plainName(database.tables.attempts)}`;
  }

  /** The store of the users closes the connections. */
  async close(): Promise<void> {}

  private async query(query: Query) {
    const found = query.text.trimStart().startsWith('SELECT') ? await this.countOf(query) : await this.execute(query);
    const rows = found.map(([points, expire]) => ({ points: Number(points), expire: expire && Number(expire) }));
    return { rows, rowCount: rows.length };
  }

  /** The count of the only key that the limiter reads, in a statement for those of all callers. */
  private async countOf({ values: [key] }: Query): Promise<readonly Row[]> {
    const row = await this.counts.find(String(key));
    return row === undefined ? [] : [row.slice(1)];
  }

  private execute({ text, values }: Query): Promise<readonly Row[]> {
    const statement = text
      .trim()
      .replace(/;$/, '')
      .replace(/\$(\d)/g, (_, position: string) => literalOf(values[Number(position) - 1]));
    const { attempts } = this.database.tables;
    const removal = removalOfEnded(attempts, 'key', 'expire', `expire < ${Date.now() - removalDelayMs}`);
    const complete = statement.startsWith('INSERT')
      ? `WITH written AS (${statement}), ended AS (${removal}) SELECT points, expire FROM written`
      : statement;
    return this.database.call((run) => run(complete));
  }
}

/** The counter of wrong passwords for a table of users, in a table with its name and a suffix. */
export const openAttemptCounter = (database: Database, limits: AttemptLimits): AttemptCounter =>
  new RateLimitedAttempts(new PostgresqlLimiterStorage(database), limits);
