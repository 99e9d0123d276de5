import { randomUUID } from 'node:crypto';
import {
  type EmailKey,
  Fault,
  keyOf,
  type Reservation,
  type StoredUser,
  type Taken,
  type User,
  type UserKey,
  type UserName,
  UserStore,
  type WriteOptions,
  withTimeout,
} from 'latchkey/ports';
import { isConflict, isDuplicate, isUncertain, toFault } from './errors.ts';
import { type AddedKeys, endReservations, reserveKey, takenKey } from './reservations.ts';
import { bytesOf, columns, namesTable, placeholders, type Row, toStoredUser, valuesOf } from './table.ts';
import { type Settings, TablePreparation } from './table-preparation.ts';
import type { Query, Transactions } from './transactions.ts';

const checkTimeoutMs = 2_500;

/** Runs the statements of `work` in a transaction. */
type Transaction = <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>;

/** Stores users in one table and their names in another, with one transaction for each call. */
export class PostgresUserStore extends UserStore {
  private readonly table: string;
  private readonly names: string;
  private readonly preparation: TablePreparation;

  constructor(
    private readonly transactions: Transactions,
    private readonly settings: Settings,
  ) {
    super();
    this.table = settings.table;
    this.names = namesTable(settings.table);
    this.preparation = new TablePreparation(transactions, settings);
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.findWhere('key = $1', key);
  }

  /** The user of a name, for the port UserNames. */
  findByName(name: UserName): Promise<StoredUser | undefined> {
    return this.findWhere(`key = (SELECT key FROM ${this.names} WHERE name = $1)`, Buffer.from(name));
  }

  insert(user: User, { names = [], reservations = [] }: WriteOptions = {}): Promise<StoredUser | Taken> {
    const stored = { user, version: randomUUID(), ...(names.length > 0 && { names }) };
    const address = keyOf(user.email.address);
    const added = { address, names, reservations };
    return this.write<StoredUser>(stored, added, async (query) => {
      if (reservations.length > 0) await endReservations(query, this.table, added);
      const text = `INSERT INTO ${this.table} (key, ${columns}) VALUES ($1, ${placeholders(2)})`;
      await query(text, [address, ...valuesOf(stored)]);
      await this.addNames(query, address, names);
      return stored;
    });
  }

  replace(
    { user, version, names: former = [] }: StoredUser,
    next: User,
    { names = [], reservations = [] }: WriteOptions = {},
  ): Promise<StoredUser | 'stale' | Taken> {
    const stored = { user: next, version: randomUUID(), ...(names.length > 0 && { names }) };
    const [from, to] = [keyOf(user.email.address), keyOf(next.email.address)];
    const address = to === from ? undefined : to;
    const added = { address, names: names.filter((name) => !former.includes(name)), reservations };
    const freed = former.filter((name) => !names.includes(name));
    return this.write<StoredUser | 'stale'>(stored, added, async (query) => {
      if (reservations.length > 0) {
        const unchanged = `SELECT FROM ${this.table} WHERE key = $1 AND version = $2 FOR UPDATE`;
        if ((await query(unchanged, [from, version])).rowCount === 0) return 'stale';
        await endReservations(query, this.table, added);
      }
      const { rowCount } = await query(
        `UPDATE ${this.table} SET (key, ${columns}) = ($3, ${placeholders(4)}) WHERE key = $1 AND version = $2`,
        [from, version, to, ...valuesOf(stored)],
      );
      if (rowCount === 0) return 'stale';
      if (freed.length > 0) await query(`DELETE FROM ${this.names} WHERE name = ANY($1)`, [bytesOf(freed)]);
      await this.addNames(query, to, added.names);
      return stored;
    });
  }

  remove({ user, version }: StoredUser): Promise<'removed' | 'stale'> {
    return this.call(async (transaction) => {
      const text = `DELETE FROM ${this.table} WHERE key = $1 AND version = $2`;
      try {
        const { rowCount } = await transaction((query) => query(text, [keyOf(user.email.address), version]));
        return rowCount === 1 ? 'removed' : 'stale';
      } catch (error) {
        if (isConflict(error)) return 'stale';
        throw error;
      }
    });
  }

  reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    return this.call(async (transaction) =>
      (await transaction((query) => reserveKey(query, this.table, reservation))) ? reservation : 'taken',
    );
  }

  /** Executes a write that changes nothing, because no user has an empty key; if the store is read-only, a read. */
  check(): Promise<string> {
    const { createTable, readOnly, timeoutMs } = this.settings;
    const read = () => `SELECT ${createTable ? this.preparation.selection : columns} FROM ${this.table} LIMIT 1`;
    const write = `WITH names AS (DELETE FROM ${this.names} WHERE name = '') DELETE FROM ${this.table} WHERE key = ''`;
    return this.call(
      async (transaction) => {
        await transaction((query) => query(readOnly ? read() : write));
        return `table ${this.table} can be read${readOnly ? this.preparation.plan : ' and written'}`;
      },
      Math.min(checkTimeoutMs, timeoutMs),
    );
  }

  close(): Promise<void> {
    return this.transactions.close();
  }

  /** Prepares the tables before the first call. */
  prepare(): Promise<void> {
    return this.preparation.done();
  }

  private findWhere(condition: string, key: EmailKey | Buffer): Promise<StoredUser | undefined> {
    return this.call(async (transaction) => {
      const text = `SELECT ${this.preparation.selection} FROM ${this.table} WHERE ${condition}`;
      const { rows } = await transaction((query) => query<Row>(text, [key]));
      return rows[0] && toStoredUser(rows[0]);
    });
  }

  private async addNames(query: Query, address: EmailKey, names: readonly UserName[]): Promise<void> {
    if (names.length === 0) return;
    await query(`INSERT INTO ${this.names} (name, key) SELECT unnest($1::bytea[]), $2`, [bytesOf(names), address]);
  }

  /**
   * Runs the statements of a write in one transaction, which ends with an error if a key is in use. Repeats it if the key
   * is free again by then, or if it met another transaction. If its reply is lost, it is not repeated: another client may
   * have changed or removed the user since. Then the result is unknown, and the caller gets `store_unavailable`.
   */
  private write<Outcome>(
    stored: StoredUser & Outcome,
    added: AddedKeys,
    statements: (query: Query) => Promise<Outcome>,
  ): Promise<Outcome | Taken> {
    return this.call(async (transaction) => {
      for (;;) {
        try {
          return await transaction(statements);
        } catch (error) {
          if (isUncertain(error) && (await this.holds(transaction, stored))) return stored;
          if (!isDuplicate(error) && !isConflict(error)) throw error;
        }
        const taken = await transaction((query) => takenKey(query, this.table, added));
        if (taken !== undefined) return taken;
      }
    });
  }

  /** Whether a write whose reply was lost was applied. */
  private async holds(transaction: Transaction, { user, version }: StoredUser): Promise<boolean> {
    const text = `SELECT 1 FROM ${this.table} WHERE key = $1 AND version = $2`;
    const values = [keyOf(user.email.address), version];
    return transaction(async (query) => (await query(text, values)).rowCount === 1).catch(() => false);
  }

  /** Runs a database operation with a timeout; throws a Fault. */
  private async call<Outcome>(
    run: (transaction: Transaction) => Promise<Outcome>,
    timeoutMs = this.settings.timeoutMs,
  ): Promise<Outcome> {
    const deadline = performance.now() + timeoutMs;
    const onTimeout = () => new Fault('store_unavailable', `PostgreSQL: no response within ${timeoutMs} ms`);
    try {
      return await withTimeout(
        timeoutMs,
        this.prepare().then(() => run((work) => this.transactions.run(deadline, work))),
        onTimeout,
      );
    } catch (error) {
      throw toFault(error);
    }
  }
}
