import type Database from 'better-sqlite3';
import type { Reservation, Taken } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import { isUserName, type UserKey, type UserName } from '../../../domain/user-name.ts';
import {
  hasNameSql,
  isListSql,
  isUserSql,
  type PreviousUser,
  type UserOutcome,
  type UserWrite,
  type WrittenUser,
} from './sqlite-user-table.ts';

/** Reserves a key with a new version. */
export interface Reserve {
  readonly kind: 'reserve';
  readonly key: UserKey;
  readonly version: string;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/** How long a key stays reserved: `reservationMs`, and more in case that the clock is set. */
const expiryMs = 60 * 60_000;
/** How many expired reservations a new one removes. */
const removedAtOnce = 10;

/**
 * Former versions recorded the addresses that they reserved, each with a row of its own, in rows with these keys. A row
 * has the time of its last change, so that the addresses in an old one were reserved long ago.
 */
const oldPage = `SELECT key, properties FROM users WHERE ${isListSql}
  AND creation_time < ? - ${expiryMs} ORDER BY key LIMIT 1`;

/**
 * The names of users, each with the key of its user, and the reserved keys. A change of a user is checked before it is
 * written, so that a refused one has not changed the user and needs no savepoint, which would cost more than the check.
 */
export class EntryTable {
  private readonly entry: Database.Statement<[UserKey], { holder: string | null; reservation: string }>;
  private readonly isHeld: Database.Statement<[string, UserName]>;
  private readonly adopt: Database.Statement<[UserName, UserName]>;
  private readonly row: Database.Statement<[UserKey], { version: string; creationTime: number; isUser: number }>;
  private readonly hold: Database.Statement<[UserName, EmailKey]>;
  private readonly free: Database.Statement<[UserName, EmailKey]>;
  private readonly renew: Database.Statement<[UserKey, string, number]>;
  private readonly remove: Database.Statement<[UserKey]>;
  private readonly removeRow: Database.Statement<[UserKey]>;
  private readonly removeOld: readonly Database.Statement<[number]>[];

  constructor(database: Database.Database) {
    this.entry = database.prepare('SELECT holder, reservation FROM entries WHERE name = ?');
    this.isHeld = database.prepare(`SELECT 1 FROM users WHERE key = ? AND ifnull(${hasNameSql}, names IS NOT NULL)`);
    this.adopt = database.prepare(
      `UPDATE entries SET holder = (SELECT key FROM users WHERE ${hasNameSql}) WHERE name = ?`,
    );
    this.row = database.prepare(
      `SELECT version, creation_time AS creationTime, ${isUserSql} AS isUser FROM users WHERE key = ?`,
    );
    this.hold = database.prepare(
      `INSERT INTO entries (name, holder) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, reservation = NULL, expiry = NULL`,
    );
    this.free = database.prepare('DELETE FROM entries WHERE name = ? AND holder = ?');
    this.renew = database.prepare(
      `INSERT INTO entries (name, reservation, expiry) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET reservation = excluded.reservation, expiry = excluded.expiry
       WHERE holder IS NULL`,
    );
    this.remove = database.prepare('DELETE FROM entries WHERE name = ? AND holder IS NULL');
    this.removeRow = database.prepare(`DELETE FROM users WHERE key = ? AND NOT ${isUserSql}`);
    this.removeOld = [
      `DELETE FROM entries WHERE name IN (SELECT name FROM entries WHERE expiry < ? LIMIT ${removedAtOnce})`,
      `DELETE FROM users WHERE NOT ${isUserSql} AND key IN (
         SELECT recorded.key FROM (${oldPage}) AS page, json_each(iif(json_valid(properties), properties, '{}')) AS recorded)`,
      `DELETE FROM users WHERE key = (SELECT key FROM (${oldPage}))`,
    ].map((sql) => database.prepare(sql));
  }

  /** Why a user cannot be written under its key and with its names: the address comes first. Undefined if it can. */
  refusalOf({ key, entries }: WrittenUser & UserWrite, previous?: PreviousUser): 'stale' | Taken | undefined {
    const { held = [], reservations } = entries ?? {};
    const formerKey = previous?.previous;
    const needsAddress = key !== formerKey;
    for (const needed of needsAddress ? [key, ...held] : held) {
      const taken = this.takenEntry(needed, reservations, formerKey);
      if (taken === undefined) continue;
      if (formerKey !== undefined && this.row.get(formerKey)?.version !== previous?.version) return 'stale';
      // An address in use comes before names, and that of a user is in no entry.
      const takenAddress = needsAddress ? this.takenAddress(key) : undefined;
      return takenAddress ?? taken;
    }
    return undefined;
  }

  /**
   * Whether a row has the key of an address; undefined if none has it. The row of an address that a former version reserved
   * becomes an entry, which reserves it too.
   */
  takenAddress(key: UserKey): Taken | undefined {
    const row = this.row.get(key);
    if (row === undefined) return undefined;
    if (row.isUser === 1) return { taken: key };
    this.renew.run(key, row.version, row.creationTime + expiryMs);
    this.removeRow.run(key);
    return { taken: key, reservation: { key, version: row.version } };
  }

  /** Changes the entries with a user that was written. */
  apply(write: UserWrite): void {
    const { held = [], freed = [], reservations = [] } = write.entries ?? {};
    if ('previous' in write) for (const name of freed) this.free.run(name, write.previous);
    if (!('key' in write)) return;
    for (const name of held) this.hold.run(name, write.key);
    for (const { key } of reservations) if (key === write.key) this.remove.run(key);
  }

  reserve({ key, version, now }: Reserve): UserOutcome {
    for (const statement of this.removeOld) statement.run(now);
    const taken = this.takenAddress(key);
    if (taken !== undefined && taken.reservation === undefined) return taken;
    this.entryOf(key);
    return this.renew.run(key, version, now + expiryMs).changes === 0 ? { taken: key } : 'done';
  }

  /**
   * The entry of a key. A former version that had the file open may have moved or removed the user of a name: the entry then
   * follows the user or, which reads all users, ends.
   */
  private entryOf(key: UserKey) {
    const entry = this.entry.get(key);
    const holder = entry?.holder ?? undefined;
    if (holder === undefined || !isUserName(key) || this.isHeld.get(holder, key) !== undefined) return entry;
    this.adopt.run(key, key);
    this.remove.run(key);
    return this.entry.get(key);
  }

  /** Whether an entry has a key: a name of a user other than `own`, or a reservation that the write does not know. */
  private takenEntry(key: UserKey, reservations: readonly Reservation[] = [], own?: EmailKey): Taken | undefined {
    const entry = this.entryOf(key);
    if (entry === undefined || (own !== undefined && entry.holder === own)) return undefined;
    if (entry.holder !== null) return { taken: key };
    const { reservation: version } = entry;
    if (reservations.some((known) => known.key === key && known.version === version)) return undefined;
    return { taken: key, reservation: { key, version } };
  }
}
