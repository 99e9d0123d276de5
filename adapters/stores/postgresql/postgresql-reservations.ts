import type { Reservation, Taken } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import { userFields } from '../../../domain/user-fields.ts';
import { isUserName, type UserName } from '../../../domain/user-name.ts';
import { namesIn } from '../../kit/user-json/stored-user.ts';
import { reservedFields } from '../stored-format.ts';
import { columnOf, type Tables } from './postgresql-schema.ts';
import { literalOf, nameArray } from './postgresql-user-table.ts';
import { arrayOf, bytesLiteral, type Run, removalOfEnded, textLiteral, textOfBytes } from './sql.ts';

// A reserved address is a row of the users, and a reserved name one of the names, so that their unique keys keep it free.

/** Conditions on rows that are reservations. An end that another program has given to a user, or to a name of one, is ignored. */
export const isReservedAddress = (users: string): string =>
  `(${users}.reserved_until IS NOT NULL AND ${users}.password IS NOT DISTINCT FROM '')`;
const isReservedName = (names: string): string => `${names}.key IS NULL`;

/** A statement that reserves a key, or renews its reservation. It returns no row if a user has the key. */
export const reserveStatement = (
  { users, names }: Tables,
  { key, version }: Reservation,
  durationMs: number,
  now: number,
): string => {
  const end = `now() + interval '${durationMs} milliseconds'`;
  const renewal = 'DO UPDATE SET version = excluded.version, reserved_until = excluded.reserved_until';
  const reserved: Readonly<Record<string, unknown>> = isUserName(key) ? {} : reservedFields(key, now);
  const columns = userFields.map(columnOf).join(', ');
  const values = userFields.map(({ name, kind }) => literalOf(reserved[name], kind)).join(', ');
  const insertion = isUserName(key)
    ? `INSERT INTO ${names} (name, version, reserved_until) VALUES (${bytesLiteral(key)}, ${textLiteral(version)}, ${end})
       ON CONFLICT (name) ${renewal} WHERE ${isReservedName(names)} RETURNING 1`
    : `INSERT INTO ${users} (key, version, reserved_until, ${columns})
       VALUES (${textLiteral(key)}, ${textLiteral(version)}, ${end}, ${values})
       ON CONFLICT (key) ${renewal} WHERE ${isReservedAddress(users)} RETURNING 1`;
  const removal = (table: string, column: string, isReserved: string): string =>
    removalOfEnded(table, column, 'reserved_until', `reserved_until < now() AND ${isReserved}`);
  return `WITH written AS (${insertion}), ended_addresses AS (${removal(users, 'key', isReservedAddress(users))}),
     ended_names AS (${removal(names, 'name', isReservedName(names))}) SELECT FROM written`;
};

/** The keys that a write adds, and the reservations that it may end. */
export interface AddedKeys {
  /** Undefined if the user keeps its address. */
  readonly address: EmailKey | undefined;
  readonly names: readonly UserName[];
  readonly reservations: readonly Reservation[];
  /** The former key of the address; undefined for a new user. */
  readonly own?: EmailKey;
}

/** Literals for the conditions on added keys; no row has an empty key. */
const literalsOf = ({ address, names, reservations }: AddedKeys) => ({
  key: textLiteral(address ?? ''),
  names: nameArray(names),
  known: arrayOf(
    'text',
    reservations.map(({ version }) => textLiteral(version)),
  ),
});

/**
 * Statements before a write that adds keys. The first changes nothing, and the server refuses it unless both tables have
 * their primary keys, which a table that is restored while the service runs gets last. The other one removes the
 * reservations of added keys which the write knows, if a user is stored in the version that it replaces.
 */
export const beforeAdding = ({ users, names }: Tables, added: AddedKeys, isPrevious?: string): readonly string[] => {
  if (added.address === undefined && added.names.length === 0) return [];
  const requireKeys = `SELECT u.version, n.version FROM ${users} u, ${names} n WHERE false GROUP BY u.key, n.name`;
  if (added.reservations.length === 0) return [requireKeys];
  const literals = literalsOf(added);
  // Locks the user: the write that follows finds it unchanged.
  const previous = isPrevious === undefined ? 'SELECT' : `SELECT FROM ${users} WHERE ${isPrevious} FOR UPDATE`;
  return [
    requireKeys,
    `WITH previous AS (${previous}), address AS (
       DELETE FROM ${users} WHERE key = ${literals.key} AND ${isReservedAddress(users)} AND version = ANY(${literals.known})
         AND EXISTS (SELECT FROM previous))
     DELETE FROM ${names} WHERE name = ANY(${literals.names}) AND ${isReservedName(names)} AND version = ANY(${literals.known})
       AND EXISTS (SELECT FROM previous)`,
  ];
};

/**
 * The first added key that is in use, after a write was refused; undefined if none is any more. A name that belongs to the
 * user, whose record does not have it because another program has changed that, is freed.
 */
export const takenKey = async (run: Run, { users, names }: Tables, added: AddedKeys): Promise<Taken | undefined> => {
  const literals = literalsOf(added);
  const rows = await run(
    `SELECT pg_catalog.convert_to(key, 'UTF8'), version, ${isReservedAddress(users)}, NULL::text, NULL::text FROM ${users}
       WHERE key = ${literals.key} AND NOT (${isReservedAddress(users)} AND version = ANY(${literals.known}))
     UNION ALL SELECT n.name, n.version, ${isReservedName('n')}, u.key, u.names
       FROM ${names} n LEFT JOIN ${users} u ON u.key = n.key
       WHERE n.name = ANY(${literals.names}) AND NOT (${isReservedName('n')} AND n.version = ANY(${literals.known}))`,
  );
  const keys = added.address === undefined ? added.names : [added.address, ...added.names];
  for (const taken of keys) {
    const [, version, isReserved, holder, held = null] = rows.find(([key]) => textOfBytes(String(key)) === taken) ?? [];
    if (isReserved === 't') return { taken, reservation: { key: taken, version: String(version) } };
    if (isReserved !== 'f') continue;
    if (!isUserName(taken) || holder !== added.own) return { taken };
    // Otherwise another writer has given it to the user, which has another version now.
    if (namesIn(held).includes(taken)) continue;
    const isUnchanged = `u.names IS NOT DISTINCT FROM ${held === null ? 'NULL' : textLiteral(held)}`;
    await run(
      `DELETE FROM ${names} n USING ${users} u WHERE n.name = ${bytesLiteral(taken)} AND u.key = n.key AND ${isUnchanged}`,
    );
  }
  return undefined;
};
