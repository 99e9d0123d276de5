import { randomUUID } from 'node:crypto';
import {
  type EmailKey,
  Fault,
  keyOf,
  type Log,
  MissingDatabase,
  type StoredUser,
  type User,
  UserStore,
  withTimeout,
} from 'latchkey/ports';
import { isConflict, isDuplicate, isLocked, isUncertain, toFault } from './errors.ts';
import {
  collation,
  columns,
  columnsWithout,
  creation,
  type FoundColumn,
  inspection,
  missingColumns,
  placeholders,
  type Row,
  toStoredUser,
  valuesOf,
} from './table.ts';
import type { Query, Transactions } from './transactions.ts';

const checkTimeoutMs = 2_500;
const changeIntervalMs = 1_000;

export interface Settings {
  /** The quoted name of the table. */
  readonly table: string;
  /** Whether to create a missing table, and missing columns. */
  readonly createTable: boolean;
  /** Whether to change nothing, and read a table of a former version as it is. */
  readonly readOnly: boolean;
  /** Timeout of a call. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Stores users in one table, with one conditional statement for each call. */
export class PostgresUserStore extends UserStore {
  private prepared: Promise<void> | undefined;
  /** The columns that a read selects. */
  private selection = columns;
  /** What a service would do with a table that this store only reads. */
  private plan = '';

  constructor(
    private readonly transactions: Transactions,
    private readonly settings: Settings,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.call(async (query) => {
      const text = `SELECT ${this.selection} FROM ${this.settings.table} WHERE key = $1`;
      const { rows } = await query<Row>(text, [key]);
      return rows[0] && toStoredUser(rows[0]);
    });
  }

  insert(user: User): Promise<StoredUser | 'taken'> {
    const stored = { user, version: randomUUID() };
    return this.call(async (query) => {
      try {
        const { rowCount } = await query(
          `INSERT INTO ${this.settings.table} (key, ${columns}) VALUES ($1, ${placeholders(2)})
           ON CONFLICT (key) DO NOTHING`,
          [keyOf(user.email.address), ...valuesOf(stored)],
        );
        return rowCount === 1 ? stored : 'taken';
      } catch (error) {
        if (isUncertain(error) && (await this.holds(query, stored))) return stored;
        throw error;
      }
    });
  }

  replace(previous: StoredUser, next: User): Promise<StoredUser | 'stale' | 'taken'> {
    const stored = { user: next, version: randomUUID() };
    return this.call(async (query) => {
      try {
        const { rowCount } = await query(
          `UPDATE ${this.settings.table} SET (key, ${columns}) = ($3, ${placeholders(4)})
           WHERE key = $1 AND version = $2`,
          [keyOf(previous.user.email.address), previous.version, keyOf(next.email.address), ...valuesOf(stored)],
        );
        return rowCount === 1 ? stored : 'stale';
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        if (isConflict(error)) return 'stale';
        if (isUncertain(error) && (await this.holds(query, stored))) return stored;
        throw error;
      }
    });
  }

  remove({ user, version }: StoredUser): Promise<'removed' | 'stale'> {
    return this.call(async (query) => {
      try {
        const { rowCount } = await query(`DELETE FROM ${this.settings.table} WHERE key = $1 AND version = $2`, [
          keyOf(user.email.address),
          version,
        ]);
        return rowCount === 1 ? 'removed' : 'stale';
      } catch (error) {
        if (isConflict(error)) return 'stale';
        throw error;
      }
    });
  }

  /** Executes a write that changes nothing, because no user has an empty key; if the store is read-only, a read. */
  check(): Promise<string> {
    const { table, createTable, readOnly, timeoutMs } = this.settings;
    const read = () => `SELECT ${createTable ? this.selection : columns} FROM ${table} LIMIT 1`;
    return this.call(
      async (query) => {
        await query(readOnly ? read() : `DELETE FROM ${table} WHERE key = ''`);
        return `table ${table} can be read${readOnly ? this.plan : ' and written'}`;
      },
      Math.min(checkTimeoutMs, timeoutMs),
    );
  }

  close(): Promise<void> {
    return this.transactions.close();
  }

  /** Prepares the table once; tries again after a failure. */
  prepare(): Promise<void> {
    this.prepared ??= this.prepareTable().catch((error: unknown) => {
      const retry = () => {
        this.prepared = undefined;
      };
      // Each attempt delays the reads of other clients, so calls do not repeat it at once.
      if (isLocked(error)) setTimeout(retry, changeIntervalMs).unref();
      else retry();
      throw error;
    });
    return this.prepared;
  }

  /** Creates what is missing, if `createTable` is set. It changes nothing otherwise, because changes lock the table. */
  private async prepareTable(): Promise<void> {
    const { table, createTable, readOnly, timeoutMs, log } = this.settings;
    if (!createTable && !readOnly) return;
    const deadline = performance.now() + timeoutMs;
    const { rows } = await this.transactions.run<FoundColumn>(deadline, inspection, [table]);
    const missing = missingColumns(rows);
    if (readOnly) {
      if (rows.length === 0 && createTable) throw new MissingDatabase(`table ${table}`, true);
      this.selection = columnsWithout(missing);
      if (missing.length > 0) this.plan = `; the service adds ${missing.join(', ')}`;
      return;
    }
    if (missing.length > 0) await this.transactions.run(deadline, creation(table));
    if (!rows.some(({ name, collation }) => name === 'key' && collation !== 'C')) return;
    const advice = `the key of ${table} has the collation of the operating system; ALTER it to COLLATE "C"`;
    await this.transactions
      .run(deadline, collation(table))
      .catch((error: unknown) => log.warn({ reason: toFault(error).message }, advice));
  }

  /**
   * Whether a write whose reply was lost was applied. It is not repeated: another client may have changed or removed
   * the user since. Then the result is unknown, and the caller gets `store_unavailable`.
   */
  private async holds(query: Query, { user, version }: StoredUser): Promise<boolean> {
    const text = `SELECT 1 FROM ${this.settings.table} WHERE key = $1 AND version = $2`;
    const found = await query(text, [keyOf(user.email.address), version]).catch(() => undefined);
    return found?.rowCount === 1;
  }

  /** Runs a database operation with a timeout; throws a Fault. */
  private async call<Outcome>(
    run: (query: Query) => Promise<Outcome>,
    timeoutMs = this.settings.timeoutMs,
  ): Promise<Outcome> {
    const deadline = performance.now() + timeoutMs;
    const query: Query = (text, values) => this.transactions.run(deadline, text, values);
    const onTimeout = () => new Fault('store_unavailable', `PostgreSQL: no response within ${timeoutMs} ms`);
    try {
      return await withTimeout(
        timeoutMs,
        this.prepare().then(() => run(query)),
        onTimeout,
      );
    } catch (error) {
      throw toFault(error);
    }
  }
}
