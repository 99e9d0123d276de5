import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { positionAfter } from '../../../application/ports/user-listing.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import { listedUser, storedUser } from '../../kit/user-json/stored-user.ts';

/**
 * A row as an array: an object with named members would cost 1 to 2 µs more, which is about 2 % of a read. All positions
 * are derived from the lists of columns below, and no other file reads one.
 */
export type UserRow = (string | number | null)[];

/** `row` starts with the new version. `characters` is the length of the custom properties, by which the size of a group is limited. */
type WrittenUser = { readonly key: EmailKey; readonly row: UserRow; readonly characters: number };
/** The user that a change replaces or removes. */
type PreviousUser = { readonly previous: EmailKey; readonly version: string };

/** A change of a user. Its events are written together with it, or not at all. */
export type UserWrite = { readonly events?: readonly QueuedEvent[] | undefined } & (
  | ({ readonly kind: 'insert' } & WrittenUser)
  | ({ readonly kind: 'replace' } & WrittenUser & PreviousUser)
  | ({ readonly kind: 'remove' } & PreviousUser)
);

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
export const columnOf = ({ name }: Pick<UserField, 'name'>): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const columns = userFields.map(columnOf);
/** Every column of the table. */
export const userColumns = ['key', 'version', ...columns];
const placeholders = userColumns.map(() => '?').join(', ');

/** Takes the key, the new version and the row of a user. */
export const insertUserSql = `INSERT INTO users (${userColumns.join(', ')}) VALUES (${placeholders})`;
/** Takes the same, then the key and the version of the user that is replaced. */
export const updateUserSql = `UPDATE users SET (${userColumns.join(', ')}) = (${placeholders}) WHERE key = ? AND version = ?`;

/** The row of a user without its key and version. */
export const toRow = (user: User): UserRow =>
  userFields.map((field) => {
    const value = fieldOf(user, field);
    return typeof value === 'boolean' ? Number(value) : (value ?? null);
  });

const selected = [...columns, 'version'];
const listed = [...selected, 'key'];
const positionOfVersion = listed.indexOf('version');
const positionOfKey = listed.indexOf('key');

/** Selects what `toStoredUser` reads. */
export const selectUserSql = `SELECT ${selected.join(', ')} FROM users`;
/** Selects what `toListedUser` reads. */
export const selectListedSql = `SELECT ${listed.join(', ')} FROM users`;

/** The key of the row that `selectDecoySql` selects. */
export const decoyKey = 'an-address-of-the-usual-length@example.com';
const typicalText = `'${'-'.repeat(48)}'`;
const typicalValues: Readonly<Record<UserField['kind'], string>> = {
  address: `'${decoyKey}'`,
  flag: '0',
  text: typicalText,
  time: '1700000000000',
  properties: `'{"name":"A name of the usual length"}'`,
};
/** Selects a row of the usual size without a table. */
export const selectDecoySql = `SELECT ${userFields.map(({ kind }) => typicalValues[kind]).join(', ')}, ${typicalText}`;

const flagPositions = userFields.flatMap(({ kind }, position) => (kind === 'flag' ? [position] : []));

/** The user in a selected row of a key; throws the Fault `store_rejected` that names it if the row is damaged. */
export const toStoredUser = (row: UserRow, key: string): StoredUser => {
  const values: unknown[] = row;
  for (const position of flagPositions)
    if (row[position] === 0 || row[position] === 1) values[position] = row[position] === 1;
  return storedUser(key, row[positionOfVersion], values);
};

/** The user in a row of a listing, with its position. */
export const toListedUser = (row: UserRow) => {
  const key = String(row[positionOfKey]);
  return listedUser(positionAfter(key), () => toStoredUser(row, key));
};
