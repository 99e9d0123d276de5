import type { Fault } from '../../../application/fault.ts';
import {
  escapeCharacter,
  type FieldCondition,
  propertyTexts,
  type UserFilter,
} from '../../../application/ports/user-listing.ts';
import type { User } from '../../../domain/user.ts';
import { listedUser, unreadableUser } from '../../kit/user-json/stored-user.ts';
import { isReservedAddress } from './postgresql-reservations.ts';
import { columnOf } from './postgresql-schema.ts';
import { misreadKeys, selectedColumns, toStoredUser, userColumns } from './postgresql-user-table.ts';
import { type Row, type Run, searchedLiteral } from './sql.ts';

const isReserved = isReservedAddress('u');

/** Excludes the rows that only reserve an address. */
export const isUser = `NOT ${isReserved}`;

// No pattern of LIKE, which would give characters a meaning.
const contains = (column: string, text: string): string => `strpos(${column}, ${searchedLiteral(text)}) > 0`;

const termOf = (condition: FieldCondition): string => {
  const column = columnOf({ name: condition.field });
  if (condition.test === 'exists') return `${column} IS NOT NULL`;
  if (condition.test === 'equals') return `${column} = ${condition.value}`;
  if (condition.test === 'absentOrAfter') return `(${column} IS NULL OR ${column} > ${condition.value})`;
  const unless = condition.unless === undefined ? '' : ` OR ${columnOf({ name: condition.unless })} IS NOT NULL`;
  return `(${column} IS NULL OR ${column} < ${condition.value}${unless})`;
};

/** How JSON may escape what needs no escape; the searched texts contain the other escapes, too. */
const optionalEscapes = ['u', '/'].map((character) => escapeCharacter + character);

/** What rows have to meet besides the prefix of the key; some may lack the property. */
export const filterTerms = ({ addressContains, conditions, property }: UserFilter): readonly string[] => {
  const terms = conditions.map(termOf);
  if (addressContains !== '') terms.unshift(contains('key', addressContains));
  if (property === undefined) return terms;
  const texts = propertyTexts(property).map((text) => contains('properties', text));
  const escapes = optionalEscapes.map((text) => contains('properties', text));
  return [...terms, `(${escapes.join(' OR ')} OR ${texts.join(' AND ')})`];
};

export const bytesOfProperties = 'coalesce(octet_length(properties), 0)';

/** The key of a row. */
export const keyIn = (row: Row): string => String(row[0]);

/** Users in an order, undefined for a reservation, and the last row unless no more may follow it. */
interface FoundUsers {
  readonly found: readonly (readonly [row: Row, user: User | Fault | undefined])[];
  readonly end: Row | undefined;
}

/**
 * Reads the rows that meet all terms in an order, until there are `limit`, or their custom properties have so many bytes,
 * which the server knows without reading them.
 */
export const readUsers = async (
  run: Run,
  table: string,
  terms: readonly string[],
  order: string,
  limit: number,
  bytes: number,
): Promise<FoundUsers> => {
  const columns = userColumns.join(', ');
  const rows = await run(
    `SELECT ${columns}, reserved, total FROM (
       SELECT *, count(*) OVER () AS total, sum(${bytesOfProperties}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING)
         - ${bytesOfProperties} AS bytes_before
       FROM (SELECT ${selectedColumns}, ${isReserved} AS reserved FROM ${table} u WHERE ${terms.join(' AND ')} ORDER BY ${order} LIMIT ${limit}) found) counted
     WHERE bytes_before <= ${bytes} ORDER BY ${order}`,
  );
  const misread = await misreadKeys(run, table, rows);
  const read = (row: Row) => {
    if (misread.has(row[0])) return unreadableUser(['properties'], keyIn(row));
    return row.at(-2) === 't' ? undefined : listedUser('', () => toStoredUser(row))[1];
  };
  const found = rows.map((row) => [row, read(row)] as const);
  const isLast = rows.length < limit && rows.length === Number(rows[0]?.at(-1) ?? 0);
  return { found, end: isLast ? undefined : rows.at(-1) };
};
