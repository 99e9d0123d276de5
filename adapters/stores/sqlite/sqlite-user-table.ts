import { isUtf8 } from 'node:buffer';
import type Database from 'better-sqlite3';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { positionAfter } from '../../../application/ports/user-listing.ts';
import type { Reservation, StoredUser, Taken } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { formerLists, reservedValues } from '../../kit/user-json/reserved-record.ts';
import { listedUser, mayBeMisread, namesIn, storedUser, unreadableUser } from '../../kit/user-json/stored-user.ts';

/**
 * A row as an array: an object with named members would cost 1 to 2 µs more, which is about 2 % of a read. All positions
 * are derived from the lists of columns below, and no other file reads one.
 */
export type UserRow = (string | number | null)[];

/** `row` starts with the new version. `characters` is the length of the custom properties, by which the size of a group is limited. */
export type WrittenUser = { readonly key: EmailKey; readonly row: UserRow; readonly characters: number };
/** The user that a change replaces or removes. */
export type PreviousUser = { readonly previous: EmailKey; readonly version: string };

/** What changes in the entries together with a user. */
export interface EntryChanges {
  /** The names that are new, and after a change of the address all of them. */
  readonly held?: readonly UserName[];
  readonly freed?: readonly UserName[];
  /** Reservations that the change ends if it needs their keys. */
  readonly reservations?: readonly Reservation[];
}

/** A change of a user. Its events and entries are written together with it, or not at all. */
export type UserWrite = {
  readonly events?: readonly QueuedEvent[] | undefined;
  /** Undefined if its names stay as they are. */
  readonly entries?: EntryChanges | undefined;
} & (
  | ({ readonly kind: 'insert' } & WrittenUser)
  | ({ readonly kind: 'replace' } & WrittenUser & PreviousUser)
  | ({ readonly kind: 'remove' } & PreviousUser)
);

export type UserOutcome = 'done' | 'stale' | Taken;

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
export const columnOf = ({ name }: Pick<UserField, 'name'>): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const columns = userFields.map(columnOf);
/** Every column of the table. */
export const userColumns = ['key', 'version', ...columns, 'names'];
const placeholders = userColumns.map(() => '?').join(', ');

/** Takes the key, the new version and the row of a user. */
export const insertUserSql = `INSERT INTO users (${userColumns.join(', ')}) VALUES (${placeholders})`;
/** Takes the same, then the key and the version of the user that is replaced. */
export const moveUserSql = `UPDATE users SET (${userColumns.join(', ')}) = (${placeholders}) WHERE key = ? AND version = ?`;
const [, ...updated] = userColumns;
/**
 * Takes the same without the new key, for a user who keeps its address: SQLite writes the index of a column that is set,
 * even to its value, which would be a second page for each update.
 */
export const updateUserSql = `UPDATE users SET (${updated.join(', ')}) = (${updated.map(() => '?').join(', ')}) WHERE key = ? AND version = ?`;

/** The row of a user without its key and version. */
export const toRow = (user: User, names: readonly UserName[] = []): UserRow => {
  const row: UserRow = userFields.map((field) => {
    const value = fieldOf(user, field);
    return typeof value === 'boolean' ? Number(value) : (value ?? null);
  });
  row.push(names.length === 0 ? null : JSON.stringify(names));
  return row;
};

const selected = [...columns, 'names', 'version'];
const positionOfNames = selected.indexOf('names');
const listed = [...selected, 'key'];
const positionOfVersion = listed.indexOf('version');
const positionOfKey = listed.indexOf('key');

const positionOfProperties = selected.indexOf('properties');

/** Selects what `toStoredUser` reads. */
export const selectUserSql = `SELECT ${selected.join(', ')} FROM users`;
/** Selects what `toListedUser` reads. */
export const selectListedSql = `SELECT ${listed.join(', ')} FROM users`;
/** Whether the names of a row include the parameter; NULL if the names are damaged or absent. */
export const hasNameSql =
  'CASE WHEN json_valid(names) THEN EXISTS (SELECT 1 FROM json_each(names) WHERE value = ?) END';
/** Selects the row of the user who holds a name, for `toNamedUser`. As a join it would take five times as long. */
export const selectNamedSql = `${selectListedSql} WHERE key = (SELECT holder FROM entries WHERE name = ?)`;
const inFormerLists = `key IN (${formerLists.map((key) => `'${key}'`).join(', ')})`;
/** The condition for the rows of users, including damaged ones. Excludes the rows in which former versions reserved addresses. */
export const isUserSql = `(password <> ''
  OR (verification_token IS NOT NULL OR properties <> '${reservedValues.properties}') AND NOT ${inFormerLists})`;
/** The condition for the rows in which former versions listed reserved addresses. */
export const isListSql = `password = '' AND ${inFormerLists}`;

/** The key of the row that `decoySql` selects. */
export const decoyKey = 'an-address-of-the-usual-length@example.com';
const decoyId = '01890a5d-ac96-774b-bcce-b302099a8057';
const typicalText = `'${'-'.repeat(48)}'`;
const typicalValues: Readonly<Record<UserField['kind'], string>> = {
  address: `'${decoyKey}'`,
  flag: '0',
  text: typicalText,
  id: `'${decoyId}'`,
  time: '1700000000000',
  properties: `'{"name":"A name of the usual length"}'`,
};
/** Selects a row of the usual size without a table. */
export const decoySql = (hasNames: boolean): string => {
  const values = userFields.map(({ kind }) => (kind === 'id' && !hasNames ? 'NULL' : typicalValues[kind]));
  const names = hasNames ? `'["id ${decoyId}"]'` : 'NULL';
  return `SELECT ${[...values, names, typicalText].join(', ')}`;
};

/** Throws the Fault of a damaged user if the bytes of its custom properties, which `row` has as text, are not UTF-8. */
export const requireUtf8 = (database: Database.Database, row: UserRow, key: string): void => {
  if (!mayBeMisread(row[positionOfProperties])) return;
  const bytes = database.prepare<[string], unknown>('SELECT CAST(properties AS BLOB) FROM users WHERE key = ?');
  const stored = bytes.pluck().get(key);
  if (Buffer.isBuffer(stored) && !isUtf8(stored)) throw unreadableUser(['properties'], key);
};

/** The key in a row that `selectNamedSql` selected. */
export const keyInNamed = (row: UserRow): string => String(row[positionOfKey]);

const flagPositions = userFields.flatMap(({ kind }, position) => (kind === 'flag' ? [position] : []));

/**
 * The user in a selected row of a key; undefined if it only reserves the address. Throws the Fault `store_rejected` that
 * names the key if the row is damaged.
 */
export const toStoredUser = (row: UserRow, key: string): StoredUser | undefined => {
  const values: unknown[] = row;
  for (const position of flagPositions)
    if (row[position] === 0 || row[position] === 1) values[position] = row[position] === 1;
  return storedUser(key, row[positionOfVersion], values, namesIn(row[positionOfNames]));
};

/**
 * The user in a row that `selectNamedSql` selected by a name; undefined if it has others, because a former version that had
 * the file open has moved or removed the user of the entry.
 */
export const toNamedUser = (row: UserRow, name: UserName): StoredUser | undefined => {
  const stored = toStoredUser(row, keyInNamed(row));
  return stored?.names?.includes(name) ? stored : undefined;
};

/** The user in a row of a listing, with its position. */
export const toListedUser = (database: Database.Database, row: UserRow) => {
  const key = String(row[positionOfKey]);
  return listedUser(positionAfter(key), () => {
    requireUtf8(database, row, key);
    return toStoredUser(row, key);
  });
};
