import { randomUUID } from 'node:crypto';
import { Fault } from '../../../application/fault.ts';
import {
  asStored,
  type Reservation,
  type StoredUser,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { unreadableUser } from '../../kit/user-json/stored-user.ts';
import { systemClock } from '../../system-clock.ts';
import { reservationExpiryMs } from '../stored-format.ts';
import { Lookups, Writes } from './batches.ts';
import { isDamage, isDuplicate, isRefusal } from './errors.ts';
import type { Database } from './postgresql-database.ts';
import {
  type AddedKeys,
  beforeAdding,
  isReservedAddress,
  reserveStatement,
  takenKey,
} from './postgresql-reservations.ts';
import {
  isSuspect,
  misreadKeys,
  selectedColumns,
  toStoredUser,
  userColumns,
  valuesOf,
  withUser,
} from './postgresql-user-table.ts';
import { bytesLiteral, type Row, type Run, required, textLiteral, textOfBytes } from './sql.ts';

/** Attempts of a write whose keys other writers take and free. */
const maxAttempts = 6;

const columns = userColumns.join(', ');

/** The condition that a user is stored in a version. */
const isVersion = ({ user, version }: StoredUser): string =>
  `key = ${textLiteral(keyOf(user.email.address))} AND version = ${textLiteral(version)}`;

/** The end of a statement that writes a user. If a trigger stores another row instead, the transaction is rolled back. */
const returningKey = ({ version }: StoredUser): string =>
  `RETURNING key, ${required(`version IS NOT DISTINCT FROM ${textLiteral(version)}`)}`;

/**
 * Users in one table and their names in another. Each write is one statement: it changes the user if its version is still
 * the stored one, and only then its names and events. Unique keys refuse what is taken.
 */
export class PostgresqlUserStore extends UserStore {
  private readonly byAddress: Lookups;
  private readonly byName: Lookups;
  private readonly writes: Writes;

  constructor(
    private readonly database: Database,
    private readonly clock = systemClock,
  ) {
    super();
    this.byAddress = new Lookups(
      database,
      (keys) => `SELECT ${selectedColumns} FROM ${database.readable.users} u
        WHERE key IN (${keys.map(textLiteral).join(', ')}) AND NOT ${isReservedAddress('u')}`,
    );
    this.byName = new Lookups(
      database,
      (found) => `SELECT n.name, ${selectedColumns}
        FROM ${database.readable.names} n JOIN ${database.readable.users} u ON u.key = n.key
        WHERE n.name IN (${found.map(bytesLiteral).join(', ')})`,
      textOfBytes,
    );
    this.writes = new Writes(database);
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const row = await this.byAddress.find(key);
    if (row !== undefined && isSuspect(row)) await this.requireUtf8(row);
    return row && toStoredUser(row);
  }

  /** The user of a name, for the port UserNames. */
  async findByName(name: UserName): Promise<StoredUser | undefined> {
    const [, ...row] = (await this.byName.find(name)) ?? [];
    if (isSuspect(row)) await this.requireUtf8(row);
    const stored = row.length > 0 ? toStoredUser(row) : undefined;
    // Where another program has changed the tables, the key of a name may be that of another user.
    return stored?.names?.includes(name) === true ? stored : undefined;
  }

  async insert(
    user: User,
    { names = [], events = [], reservations = [] }: WriteOptions = {},
  ): Promise<StoredUser | Taken> {
    const next = asStored(user, randomUUID(), names);
    const { tables } = this.database;
    const added = { address: keyOf(user.email.address), names, reservations };
    const insertion = `INSERT INTO ${tables.users} (${columns}) VALUES (${valuesOf(next)}) ${returningKey(next)}`;
    const statements = [...beforeAdding(tables, added), withUser(tables, insertion, { added: names, events })];
    const outcome = await this.write(added.address, next, added, statements);
    if (outcome !== 'stale') return outcome;
    throw new Fault('store_rejected', 'PostgreSQL: a trigger or a rule of the table kept a user from being stored');
  }

  replace(
    previous: StoredUser,
    user: User,
    { names = [], events = [], reservations = [] }: WriteOptions = {},
  ): Promise<StoredUser | 'stale' | Taken> {
    const next = asStored(user, randomUUID(), names);
    const { tables } = this.database;
    const held = previous.names ?? [];
    const [from, to] = [keyOf(previous.user.email.address), keyOf(user.email.address)];
    const address = to === from ? undefined : to;
    const added = { address, names: names.filter((name) => !held.includes(name)), reservations, own: from };
    const freed = held.filter((name) => !names.includes(name));
    const moved = address === undefined ? [] : held.filter((name) => names.includes(name));
    const update = `UPDATE ${tables.users} SET (${columns}) = ROW(${valuesOf(next)}) WHERE ${isVersion(previous)}
      ${returningKey(next)}`;
    const statements = [
      ...beforeAdding(tables, added, isVersion(previous)),
      withUser(tables, update, { freed, moved, former: from, added: added.names, events }),
    ];
    return this.write(from, next, added, statements);
  }

  remove(previous: StoredUser, { events = [] }: Pick<WriteOptions, 'events'> = {}): Promise<'removed' | 'stale'> {
    const { tables } = this.database;
    const removal = `DELETE FROM ${tables.users} WHERE ${isVersion(previous)} RETURNING key`;
    const parts = { freed: previous.names ?? [], former: keyOf(previous.user.email.address), events };
    return this.database.call(async (run) =>
      (await run(withUser(tables, removal, parts))).length === 1 ? 'removed' : 'stale',
    );
  }

  reserve(key: UserKey): Promise<Reservation | 'taken'> {
    const reservation = { key, version: randomUUID() };
    const statement = reserveStatement(this.database.tables, reservation, reservationExpiryMs, this.clock.now());
    return this.database.call(async (run) => ((await run(statement)).length === 1 ? reservation : 'taken'));
  }

  check(): Promise<string> {
    return this.database.call((run) => this.database.preparation.check(run), checkTimeoutMs);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /**
   * Makes a write of the user at a key, which ends with an error if a key is in use. Repeats it if the key is free again by
   * then. If its reply is lost, it is not repeated: another client may have changed or removed the user since. Then the stored
   * version says whether it was applied, unless the deadline ends first.
   */
  private write(
    key: EmailKey,
    next: StoredUser,
    added: AddedKeys,
    statements: readonly string[],
  ): Promise<StoredUser | 'stale' | Taken> {
    const deadlineMs = performance.now() + this.database.timeoutMs;
    return this.database.call(async (run) => {
      for (let attempt = 1; ; attempt++)
        try {
          const shared = attempt === 1 ? await this.writes.make({ key, statements }, deadlineMs) : undefined;
          const rows = shared ?? (await run(...statements));
          return rows.length === 0 ? 'stale' : next;
        } catch (error) {
          if (!isRefusal(error) && (await this.holds(run, next, error))) return next;
          // What the server cannot read from its disk may concern another write of the transaction.
          if (attempt === 1 && isDamage(error)) continue;
          if (!isDuplicate(error)) throw error;
          const taken = await takenKey(run, this.database.tables, added);
          if (taken !== undefined) return taken;
          if (attempt === maxAttempts) throw error;
        }
    });
  }

  /** Throws the Fault of a damaged user unless the bytes of its custom properties are UTF-8. */
  private async requireUtf8(row: Row): Promise<void> {
    const misread = await this.database.call((run) => misreadKeys(run, this.database.readable.users, [row]));
    if (misread.size > 0) throw unreadableUser(['properties'], String(row[0]));
  }

  /** Whether a failed write was applied; throws its error if unknown. Writes, so that a synchronous standby has both. */
  private async holds(run: Run, next: StoredUser, error: unknown): Promise<boolean> {
    const text = `UPDATE ${this.database.tables.users} SET version = version WHERE ${isVersion(next)} RETURNING 1`;
    const rows = await run(text).catch(() => Promise.reject(error));
    return rows.length === 1;
  }
}
