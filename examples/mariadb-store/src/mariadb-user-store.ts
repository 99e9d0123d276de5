import { randomUUID } from 'node:crypto';
import {
  type EmailKey,
  keyOf,
  type Reservation,
  type StoredUser,
  type Taken,
  type User,
  type UserKey,
  type UserName,
  UserStore,
  type WriteOptions,
} from 'latchkey/ports';
import type { Database, Query, Session } from './database.ts';
import { isDuplicate, isRefusal } from './errors.ts';
import { addEvents } from './mariadb-event-outbox.ts';
import { type AddedKeys, endReservations, reserveKey, takenKey } from './reservations.ts';
import type { TablePreparation } from './table-preparation.ts';
import { assignments, isUser, storedUserIn, type Tables, valuesOf } from './tables.ts';

const checkTimeoutMs = 2_500;

const isVersion = 'address_key = ? AND version = ?';

/** Stores users in one table and their names in another. Each write is one transaction. */
export class MariadbUserStore extends UserStore {
  private readonly tables: Tables;

  constructor(
    private readonly database: Database,
    private readonly preparation: TablePreparation,
  ) {
    super();
    this.tables = preparation.tables;
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.findWhere('address_key = ?', key);
  }

  /** The user of a name, for the port UserNames. */
  findByName(name: UserName): Promise<StoredUser | undefined> {
    return this.findWhere(`address_key = (SELECT address_key FROM ${this.tables.names} WHERE name = ?)`, name);
  }

  insert(user: User, { names = [], events = [], reservations = [] }: WriteOptions = {}): Promise<StoredUser | Taken> {
    const stored = { user, version: randomUUID(), ...(names.length > 0 && { names }) };
    const address = keyOf(user.email.address);
    const added = { address, names, reservations };
    return this.write<StoredUser>(stored, added, async (query) => {
      if (reservations.length > 0) await endReservations(query, this.tables, added);
      await query(`INSERT INTO ${this.tables.users} SET ${assignments}`, valuesOf(address, stored));
      await this.addNames(query, address, names);
      await addEvents(query, this.tables, events);
      return stored;
    });
  }

  replace(
    { user, version, names: former = [] }: StoredUser,
    next: User,
    { names = [], events = [], reservations = [] }: WriteOptions = {},
  ): Promise<StoredUser | 'stale' | Taken> {
    const stored = { user: next, version: randomUUID(), ...(names.length > 0 && { names }) };
    const [from, to] = [keyOf(user.email.address), keyOf(next.email.address)];
    const address = to === from ? undefined : to;
    const added = { address, names: names.filter((name) => !former.includes(name)), reservations };
    const freed = former.filter((name) => !names.includes(name));
    const { users, names: namesTable } = this.tables;
    return this.write<StoredUser | 'stale'>(stored, added, async (query) => {
      if (reservations.length > 0) {
        const unchanged = `SELECT 1 FROM ${users} WHERE ${isVersion} FOR UPDATE`;
        if ((await query(unchanged, [from, version])).count === 0) return 'stale';
        await endReservations(query, this.tables, added);
      }
      const { count } = await query(`UPDATE ${users} SET ${assignments} WHERE ${isVersion}`, [
        ...valuesOf(to, stored),
        from,
        version,
      ]);
      if (count === 0) return 'stale';
      if (freed.length > 0) await query(`DELETE FROM ${namesTable} WHERE name IN (?)`, [freed]);
      await this.addNames(query, to, added.names);
      await addEvents(query, this.tables, events);
      return stored;
    });
  }

  remove(
    { user, version }: StoredUser,
    { events = [] }: Pick<WriteOptions, 'events'> = {},
  ): Promise<'removed' | 'stale'> {
    const removal = `DELETE FROM ${this.tables.users} WHERE ${isVersion}`;
    return this.database.call(({ transaction }) =>
      transaction(async (query) => {
        if ((await query(removal, [keyOf(user.email.address), version])).count === 0) return 'stale';
        await addEvents(query, this.tables, events);
        return 'removed';
      }),
    );
  }

  reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    return this.database.call(async ({ transaction }) =>
      (await transaction((query) => reserveKey(query, this.tables, reservation))) ? reservation : 'taken',
    );
  }

  /** Executes writes that change nothing, because no user has an empty key; if the store is read-only, a read. */
  check(): Promise<string> {
    const { users, names, events } = this.tables;
    const { readOnly, timeoutMs } = this.database;
    return this.database.call(
      async ({ query, transaction }) => {
        if (readOnly) await query(`SELECT ${this.preparation.selection} FROM ${users} LIMIT 1`);
        else
          await transaction(async (query) => {
            await query(`DELETE FROM ${names} WHERE name = ''`);
            await query(`DELETE FROM ${users} WHERE address_key = ''`);
            await query(`DELETE FROM ${events} WHERE destination = ''`);
          });
        return `table ${users} can be read${readOnly ? this.preparation.plan : ' and written'}`;
      },
      Math.min(checkTimeoutMs, timeoutMs),
    );
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async findWhere(condition: string, key: UserKey): Promise<StoredUser | undefined> {
    return this.database.call(async ({ query }) => {
      const text = `SELECT ${this.preparation.selection} FROM ${this.tables.users} WHERE ${condition} AND ${isUser}`;
      const { rows } = await query(text, [key]);
      return rows[0] && storedUserIn(rows[0]);
    });
  }

  private async addNames(query: Query, address: EmailKey, names: readonly UserName[]): Promise<void> {
    if (names.length === 0) return;
    const rows = names.map((name) => [name, address]);
    await query(`INSERT INTO ${this.tables.names} (name, address_key) VALUES ?`, [rows]);
  }

  /**
   * Runs the transaction of a write, which ends with an error if a key is in use. Repeats it if the key is free again by
   * then. If its reply is lost, it is not repeated: another client may have changed or removed the user since. Then the
   * stored version says whether it was applied; otherwise the caller gets `store_unavailable`.
   */
  private write<Outcome>(
    stored: StoredUser & Outcome,
    added: AddedKeys,
    statements: (query: Query) => Promise<Outcome>,
  ): Promise<Outcome | Taken> {
    return this.database.call(async (session) => {
      for (;;) {
        try {
          return await session.transaction(statements);
        } catch (error) {
          if (!isRefusal(error) && (await this.holds(session, stored))) return stored;
          if (!isDuplicate(error)) throw error;
        }
        const taken = await takenKey(session.query, this.tables, added);
        if (taken !== undefined) return taken;
      }
    });
  }

  /** Whether a write whose reply was lost was applied. */
  private async holds({ query }: Session, { user, version }: StoredUser): Promise<boolean> {
    const text = `SELECT 1 FROM ${this.tables.users} WHERE ${isVersion}`;
    return query(text, [keyOf(user.email.address), version]).then(
      ({ count }) => count === 1,
      () => false,
    );
  }
}
