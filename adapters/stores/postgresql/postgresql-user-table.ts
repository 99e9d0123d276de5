import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import { maxUserBytes } from '../../../domain/user-limits.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { mayBeMisread, namesIn, storedUser, unreadableUser } from '../../kit/user-json/stored-user.ts';
import { eventInsertion } from './postgresql-event-outbox.ts';
import { columnOf, type Tables } from './postgresql-schema.ts';
import { arrayOf, bytesLiteral, type Row, type Run, required, textLiteral, textOfBytes } from './sql.ts';

/** The columns of a user in the order of `toStoredUser` and `valuesOf`. */
export const userColumns: readonly string[] = ['key', 'version', 'names', ...userFields.map(columnOf)];

/** More bytes than any readable custom properties have: they have at most `maxUserBytes` UTF-16 units. */
const maxPropertiesBytes = 3 * maxUserBytes;
const readableProperties = `CASE WHEN octet_length(u.properties) > ${maxPropertiesBytes} THEN '' ELSE u.properties END AS properties`;

/**
 * Selects the columns of users from a table `u`. Custom properties that are too large to be read, which only another program
 * can have written, are left out: they would fill the memory, and fail the other look-ups of the statement.
 */
export const selectedColumns = userColumns
  .map((column) => (column === 'properties' ? readableProperties : `u.${column}`))
  .join(', ');

export const literalOf = (value: unknown, kind: UserField['kind']): string => {
  if (typeof value === 'string') return kind === 'text' ? bytesLiteral(value) : textLiteral(value);
  return value === undefined || value === null ? 'NULL' : String(value);
};

/** The values of a user as literals, in the order of `userColumns`. */
export const valuesOf = ({ user, version, names = [] }: StoredUser): string => {
  const fields = userFields.map((field) => literalOf(fieldOf(user, field), field.kind));
  const listed = names.length === 0 ? 'NULL' : textLiteral(JSON.stringify(names));
  return [textLiteral(keyOf(user.email.address)), textLiteral(version), listed, ...fields].join(', ');
};

/** A value as `storedUser` reads it. A text that is not one of its type is left as it is, which `storedUser` refuses. */
const decoded = (written: string | null, kind: UserField['kind']): unknown => {
  if (written === null) return null;
  if (kind === 'text') return textOfBytes(written);
  if (kind === 'flag' && (written === 't' || written === 'f')) return written === 't';
  return kind === 'time' ? Number(written) : written;
};

/**
 * The user in a row of `userColumns` that is no reservation. Throws the Fault `store_rejected` that names the key if
 * another program has damaged the row.
 */
export const toStoredUser = (row: Row): StoredUser => {
  const [key, version, names, ...fields] = row;
  const values = userFields.map(({ kind }, index) => decoded(fields[index] ?? null, kind));
  const stored = storedUser(String(key), version, values, namesIn(names));
  // It looks like a reservation, and has no end.
  if (stored === undefined) throw unreadableUser(['password'], String(key));
  return stored;
};

const positionOfProperties = userColumns.indexOf('properties');

/** Whether the custom properties in a row of `userColumns` may be bytes that are not UTF-8. */
export const isSuspect = (row: Row): boolean => mayBeMisread(row[positionOfProperties]);

/** The keys of those among rows of `userColumns` whose custom properties are bytes that are not UTF-8. */
export const misreadKeys = async (run: Run, table: string, rows: readonly Row[]): Promise<ReadonlySet<unknown>> => {
  const suspects = rows.filter(isSuspect).map(([key]) => textLiteral(String(key)));
  if (suspects.length === 0) return new Set();
  // Unlike convert_to, this verifies nothing.
  const bytes = await run(`SELECT key, pg_catalog.textsend(properties) FROM ${table} u
    WHERE key IN (${suspects.join(', ')})`);
  return new Set(bytes.filter(([, written]) => textOfBytes(String(written)) === undefined).map(([key]) => key));
};

/** An array of names, in one order for all writes, so that two of them never wait for each other. */
export const nameArray = (names: readonly UserName[]): string => arrayOf('bytea', [...names].sort().map(bytesLiteral));

/** What a write changes besides the user. */
interface Parts {
  readonly freed?: readonly UserName[];
  /** Names that follow their user to another address. */
  readonly moved?: readonly UserName[];
  /** The key that names had which are freed or moved. */
  readonly former?: string;
  readonly added?: readonly UserName[];
  readonly events?: readonly QueuedEvent[] | undefined;
}

/**
 * One statement that writes a user and, if that was written, its names and events. Its rows are those of the user. Names are
 * freed and moved only if they belong to the key that the user had, and without the foreign key, which a table that is
 * restored while the service runs gets last.
 */
export const withUser = (
  tables: Tables,
  write: string,
  { freed = [], moved = [], former = '', added = [], events = [] }: Parts,
): string => {
  const areOf = (names: readonly UserName[]): string =>
    `n.name = ANY(${nameArray(names)}) AND n.key = ${textLiteral(former)}`;
  const parts = [
    freed.length > 0 && `DELETE FROM ${tables.names} n USING written WHERE ${areOf(freed)}`,
    moved.length > 0 && `UPDATE ${tables.names} n SET key = written.key FROM written WHERE ${areOf(moved)}`,
    added.length > 0 &&
      `INSERT INTO ${tables.names} (name, key) SELECT pg_catalog.unnest(${nameArray(added)}), key FROM written`,
    events.length > 0 && `${eventInsertion(tables.events, events, 'written, ')} RETURNING 1`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return write;
  const others = parts.map((part, index) => `part${index} AS (${part})`);
  // A trigger of the events, which are the last part, may leave some out.
  const count = `(SELECT count(*) FROM part${parts.length - 1})`;
  const eventsStored = events.length > 0 ? `, ${required(`${count} = ${events.length}`)}` : '';
  return `WITH written AS (${write}), ${others.join(', ')} SELECT key${eventsStored} FROM written`;
};
