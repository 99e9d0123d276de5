import { randomUUID } from 'node:crypto';
import { type EmailKey, Fault, keyOf, type StoredUser, type User, UserStore, withTimeout } from 'latchkey/ports';
import type { Pool } from 'pg';
import { isConflict, isDuplicate, isUncertain, toFault } from './errors.ts';
import { columns, creation, placeholders, type Row, toStoredUser, valuesOf } from './table.ts';

const checkTimeoutMs = 2_500;

export interface Settings {
  /** The quoted name of the table. */
  readonly table: string;
  /** Whether to create a missing table. */
  readonly createTable: boolean;
  /** Timeout of a call. */
  readonly timeoutMs: number;
}

/** Stores users in one table, with one conditional statement for each call. */
export class PostgresUserStore extends UserStore {
  private prepared: Promise<unknown> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly settings: Settings,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.call(async () => {
      const { rows } = await this.pool.query<Row>(`SELECT ${columns} FROM ${this.settings.table} WHERE key = $1`, [
        key,
      ]);
      return rows[0] && toStoredUser(rows[0]);
    });
  }

  insert(user: User): Promise<StoredUser | 'taken'> {
    const stored = { user, version: randomUUID() };
    return this.call(async () => {
      try {
        const { rowCount } = await this.pool.query(
          `INSERT INTO ${this.settings.table} (key, ${columns}) VALUES ($1, ${placeholders(2)})
           ON CONFLICT (key) DO NOTHING`,
          [keyOf(user.email.address), ...valuesOf(stored)],
        );
        return rowCount === 1 ? stored : 'taken';
      } catch (error) {
        if (isUncertain(error) && (await this.holds(stored))) return stored;
        throw error;
      }
    });
  }

  replace(previous: StoredUser, next: User): Promise<StoredUser | 'stale' | 'taken'> {
    const stored = { user: next, version: randomUUID() };
    return this.call(async () => {
      try {
        const { rowCount } = await this.pool.query(
          `UPDATE ${this.settings.table} SET (key, ${columns}) = ($3, ${placeholders(4)})
           WHERE key = $1 AND version = $2`,
          [keyOf(previous.user.email.address), previous.version, keyOf(next.email.address), ...valuesOf(stored)],
        );
        return rowCount === 1 ? stored : 'stale';
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        if (isConflict(error)) return 'stale';
        if (isUncertain(error) && (await this.holds(stored))) return stored;
        throw error;
      }
    });
  }

  remove({ user, version }: StoredUser): Promise<'removed' | 'stale'> {
    return this.call(async () => {
      try {
        const { rowCount } = await this.pool.query(
          `DELETE FROM ${this.settings.table} WHERE key = $1 AND version = $2`,
          [keyOf(user.email.address), version],
        );
        return rowCount === 1 ? 'removed' : 'stale';
      } catch (error) {
        if (isConflict(error)) return 'stale';
        throw error;
      }
    });
  }

  /** Executes a write that changes nothing, because no user has an empty key. */
  check(): Promise<string> {
    const { table, timeoutMs } = this.settings;
    return this.call(
      async () => {
        await this.pool.query(`DELETE FROM ${table} WHERE key = ''`);
        return `table ${table} can be read and written`;
      },
      Math.min(checkTimeoutMs, timeoutMs),
    );
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }

  /** Creates the table if it is missing and `createTable` is set; retries at the next call after a failure. */
  prepare(): Promise<unknown> {
    const { table, createTable } = this.settings;
    this.prepared ??= createTable ? this.pool.query(creation(table)) : Promise.resolve();
    return this.prepared.catch((error) => {
      this.prepared = undefined;
      throw error;
    });
  }

  /**
   * Whether a write whose reply was lost was applied. It is not repeated: another client may have changed or removed
   * the user since. Then the result is unknown, and the caller gets `store_unavailable`.
   */
  private async holds({ user, version }: StoredUser): Promise<boolean> {
    const query = `SELECT 1 FROM ${this.settings.table} WHERE key = $1 AND version = $2`;
    const found = await this.pool.query(query, [keyOf(user.email.address), version]).catch(() => undefined);
    return found?.rowCount === 1;
  }

  /** Runs a database operation with a timeout; throws a Fault. */
  private async call<Outcome>(run: () => Promise<Outcome>, timeoutMs = this.settings.timeoutMs): Promise<Outcome> {
    const onTimeout = () => new Fault('store_unavailable', `PostgreSQL: no response within ${timeoutMs} ms`);
    try {
      return await withTimeout(timeoutMs, this.prepare().then(run), onTimeout);
    } catch (error) {
      throw toFault(error);
    }
  }
}
