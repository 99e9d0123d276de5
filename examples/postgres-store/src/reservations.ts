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
import { bytesOf, columns, namesTable, placeholders } from './table.ts';
import type { Query } from './transactions.ts';

/** What the required fields of a row that only reserves its key contain. */
const blanks: Readonly<Record<UserField['kind'], unknown>> = {
  address: '',
  flag: false,
  id: '',
  text: '',
  time: 0,
  properties: '',
};

const blankValues = userFields.map(({ kind, presence }) => (presence === 'required' ? blanks[kind] : null));

/** Removes reservations that have ended. It skips those that another write has locked. */
const removalOfEnded = (table: string, column: string): string => `
  DELETE FROM ${table} WHERE ${column} IN (
    SELECT ${column} FROM ${table} WHERE reserved_until < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`;

/**
 * Reserves a key, or renews its reservation with a new version; false if a user has the key. A reservation is a row under
 * the very key that a user needs, so that of a reservation and a user who is written at the same time one waits.
 */
export const reserveKey = async (query: Query, table: string, { key, version }: Reservation): Promise<boolean> => {
  const names = namesTable(table);
  await query(`WITH ended AS (${removalOfEnded(table, 'key')}) ${removalOfEnded(names, 'name')}`);
  const end = `now() + interval '${reservationMs} milliseconds'`;
  const renewal = 'DO UPDATE SET version = excluded.version, reserved_until = excluded.reserved_until';
  const { rowCount } = isUserName(key)
    ? await query(
        `INSERT INTO ${names} (name, version, reserved_until) VALUES ($1, $2, ${end})
         ON CONFLICT (name) ${renewal} WHERE ${names}.key IS NULL`,
        [...bytesOf([key]), version],
      )
    : await query(
        `INSERT INTO ${table} (reserved_until, key, ${columns}) VALUES (${end}, $1, ${placeholders(2)})
         ON CONFLICT (key) ${renewal} WHERE ${table}.password = ''`,
        [key, version, [], ...blankValues],
      );
  return rowCount === 1;
};

/** The keys that a write adds, and the reservations that it may end. */
export interface AddedKeys {
  /** Undefined if the user keeps its address. */
  readonly address: EmailKey | undefined;
  readonly names: readonly UserName[];
  readonly reservations: readonly Reservation[];
}

const parametersOf = ({ address, names, reservations }: AddedKeys): readonly unknown[] => [
  address ?? null,
  bytesOf(names),
  reservations.map(({ version }) => version),
];

/** Removes the reservations of added keys that the write knows. */
export const endReservations = async (query: Query, table: string, added: AddedKeys): Promise<void> => {
  await query(
    `WITH address AS (DELETE FROM ${table} WHERE key = $1 AND password = '' AND version = ANY($3))
     DELETE FROM ${namesTable(table)} WHERE name = ANY($2) AND key IS NULL AND version = ANY($3)`,
    parametersOf(added),
  );
};

/** The first added key that is in use, after a write was refused; undefined if none is any more. */
export const takenKey = async (query: Query, table: string, added: AddedKeys): Promise<Taken | undefined> => {
  const { rows } = await query<{ key: Buffer; version: string; reserved: boolean }>(
    `SELECT convert_to(key, 'UTF8') AS key, version, password = '' AS reserved FROM ${table}
     WHERE key = $1 AND NOT (password = '' AND version = ANY($3))
     UNION ALL SELECT name, version, key IS NULL FROM ${namesTable(table)}
     WHERE name = ANY($2) AND NOT (key IS NULL AND version = ANY($3))`,
    parametersOf(added),
  );
  const keys = added.address === undefined ? added.names : [added.address, ...added.names];
  for (const taken of keys) {
    const row = rows.find(({ key }) => key.toString() === taken);
    if (row !== undefined)
      return row.reserved ? { taken, reservation: { key: taken, version: row.version } } : { taken };
  }
  return undefined;
};
