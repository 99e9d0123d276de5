import {
  type EmailKey,
  isUserName,
  type Reservation,
  reservationMs,
  type Taken,
  type UserField,
  type UserName,
  userFields,
} from 'latchkey/ports';
import type { Query } from './database.ts';
import { columnOf, now, type Tables } from './tables.ts';

/** What the required fields of a row that only reserves its key contain. */
const blanks: Readonly<Record<UserField['kind'], unknown>> = {
  address: '',
  flag: false,
  id: '',
  text: '',
  time: 0,
  properties: '',
};

const requiredFields = userFields.filter(({ presence }) => presence === 'required');

/** A list for `IN (?)`, which may not be empty; no key or version is an empty text. */
const listOf = (texts: readonly string[]): readonly string[] => (texts.length > 0 ? texts : ['']);

/**
 * Reserves a key, or renews its reservation with a new version; false if a user has the key. A reservation is a row under
 * the very key that a user needs, so that of a reservation and a user who is written at the same time one waits.
 */
export const reserveKey = async (
  query: Query,
  { users, names }: Tables,
  { key, version }: Reservation,
): Promise<boolean> => {
  for (const table of [users, names])
    await query(`DELETE FROM ${table} WHERE reserved_until < ${now} ORDER BY reserved_until LIMIT 10`);
  const fields = isUserName(key) ? [] : requiredFields;
  const [table, column] = isUserName(key) ? [names, 'name'] : [users, 'address_key'];
  await query(
    `INSERT INTO ${table} (${[column, 'version', ...fields.map(columnOf), 'reserved_until'].join(', ')})
     VALUES (?, ${now} + ${reservationMs})
     ON DUPLICATE KEY UPDATE
       version = IF(reserved_until IS NULL, version, VALUES(version)),
       reserved_until = IF(reserved_until IS NULL, NULL, VALUES(reserved_until))`,
    [[key, version, ...fields.map(({ kind }) => blanks[kind])]],
  );
  return (await query(`SELECT 1 FROM ${table} WHERE ${column} = ? AND version = ?`, [key, version])).count === 1;
};

/** The keys that a write adds, and the reservations that it may end. */
export interface AddedKeys {
  /** Undefined if the user keeps its address. */
  readonly address: EmailKey | undefined;
  readonly names: readonly UserName[];
  readonly reservations: readonly Reservation[];
}

const isKnown = 'reserved_until IS NOT NULL AND version IN (?)';

/** For each table, its key and the keys to look for. */
const lookups = ({ users, names }: Tables, added: AddedKeys) => {
  const known = listOf(added.reservations.map(({ version }) => version));
  return [
    { table: users, column: 'address_key', values: [[added.address ?? ''], known] },
    { table: names, column: 'name', values: [listOf(added.names), known] },
  ] as const;
};

/** Removes the reservations of added keys that the write knows. */
export const endReservations = async (query: Query, tables: Tables, added: AddedKeys): Promise<void> => {
  for (const { table, column, values } of lookups(tables, added))
    await query(`DELETE FROM ${table} WHERE ${column} IN (?) AND ${isKnown}`, values);
};

/** The first added key that is in use, after a write was refused; undefined if none is any more. */
export const takenKey = async (query: Query, tables: Tables, added: AddedKeys): Promise<Taken | undefined> => {
  const selects = lookups(tables, added).map(
    ({ table, column }) =>
      `SELECT ${column} AS taken, version, reserved_until IS NOT NULL AS isReserved FROM ${table} WHERE ${column} IN (?) AND NOT (${isKnown})`,
  );
  const { rows } = await query(
    selects.join(' UNION ALL '),
    lookups(tables, added).flatMap(({ values }) => values),
  );
  const keys = added.address === undefined ? added.names : [added.address, ...added.names];
  for (const key of keys) {
    const row = rows.find(({ taken }) => String(taken) === key);
    if (row === undefined) continue;
    return row.isReserved === 1 ? { taken: key, reservation: { key, version: String(row.version) } } : { taken: key };
  }
  return undefined;
};
