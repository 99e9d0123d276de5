import { randomUUID } from 'node:crypto';
import { type EmailKey, Fault, keyOf, type StoredUser, type User, UserStore, withTimeout } from 'latchkey/ports';
import type { Pool } from 'pg';
import { columns, creation, type Row, toStoredUser, valuesOf } from './table.ts';
import { faultOf, isDuplicate, isUncertain, isUndone } from './trouble.ts';

const patienceOfCheck = 2_500;

export interface Settings {
  /** The name of the table, as it stands in SQL. */
  readonly table: string;
  /** Whether a missing table is made. */
  readonly createTable: boolean;
  /** How long a call may take, in milliseconds. */
  readonly deadline: number;
}

/** Users in one table, one statement for each call: the database decides, and nothing is checked before. */
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

  insert(user: User): Promise<'inserted' | 'taken'> {
    const version = randomUUID();
    return this.call(async () => {
      try {
        const { rowCount } = await this.pool.query(
          `INSERT INTO ${this.settings.table} (key, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
           ON CONFLICT (key) DO NOTHING`,
          [keyOf(user.email.address), ...valuesOf(user, version)],
        );
        return rowCount === 1 ? 'inserted' : 'taken';
      } catch (error) {
        if (isUncertain(error) && (await this.holds(user, version))) return 'inserted';
        throw error;
      }
    });
  }

  replace(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    const version = randomUUID();
    return this.call(async () => {
      try {
        const { rowCount } = await this.pool.query(
          `UPDATE ${this.settings.table} SET (key, ${columns}) = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
           WHERE key = $1 AND version = $2`,
          [keyOf(previous.user.email.address), previous.version, keyOf(next.email.address), ...valuesOf(next, version)],
        );
        return rowCount === 1 ? 'replaced' : 'stale';
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        if (isUndone(error)) return 'stale';
        if (isUncertain(error) && (await this.holds(next, version))) return 'replaced';
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
        if (isUndone(error)) return 'stale';
        throw error;
      }
    });
  }

  /** One statement that needs what a write needs and changes nothing: no user has an empty key. */
  check(): Promise<string> {
    const { table, deadline } = this.settings;
    return this.call(
      async () => {
        await this.pool.query(`DELETE FROM ${table} WHERE key = ''`);
        return `table ${table} is read and written`;
      },
      Math.min(patienceOfCheck, deadline),
    );
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }

  /** Makes the table when it is missing and shall be made; asked for again until it succeeded. */
  prepare(): Promise<unknown> {
    const { table, createTable } = this.settings;
    this.prepared ??= createTable ? this.pool.query(creation(table)) : Promise.resolve();
    return this.prepared.catch((error) => {
      this.prepared = undefined;
      throw error;
    });
  }

  /**
   * Whether a write of this store, whose reply was lost, was applied. It is looked for and not repeated: by now somebody
   * else may have changed or removed what it wrote, and then nobody can tell, and the caller hears that it may be there.
   */
  private async holds({ email }: User, version: string): Promise<boolean> {
    const query = `SELECT 1 FROM ${this.settings.table} WHERE key = $1 AND version = $2`;
    const found = await this.pool.query(query, [keyOf(email.address), version]).catch(() => undefined);
    return found?.rowCount === 1;
  }

  /** Runs something at the database within a time in milliseconds; throws a Fault. */
  private async call<Outcome>(run: () => Promise<Outcome>, patience = this.settings.deadline): Promise<Outcome> {
    const late = () => new Fault('store_unavailable', `PostgreSQL: no answer within ${patience} ms`);
    try {
      return await withTimeout(patience, this.prepare().then(run), late);
    } catch (error) {
      throw faultOf(error);
    }
  }
}
