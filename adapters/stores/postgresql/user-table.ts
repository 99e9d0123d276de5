import type { StoredUser } from '../../../application/ports/user-store.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type UserField, userFields } from '../../../domain/user-fields.ts';
import type { UserName } from '../../../domain/user-name.ts';
import { storedUser, unreadableUser } from '../../kit/user-json/stored-user.ts';
import { columnOf } from './schema.ts';
import { bytesLiteral, textLiteral, textOfBytes } from './sql.ts';

/** A row as an array of texts, as the server writes them. */
export type Row = readonly (string | null)[];

/** The columns of a user in the order that `toStoredUser` reads them. */
export const selectedColumns = ['key', 'version', 'names', ...userFields.map(columnOf)];

/** The position of a column in a selected row. */
export const positionOf = (column: string): number => selectedColumns.indexOf(column);

const firstField = 3;

/** The columns that a write sets. */
export const writtenColumns = selectedColumns.join(', ');

export const literalOf = (value: unknown, kind: UserField['kind']): string => {
  if (typeof value === 'string') return kind === 'text' ? bytesLiteral(value) : textLiteral(value);
  return value === undefined || value === null ? 'NULL' : String(value);
};

/** The values of a user as literals, in the order of `writtenColumns`. */
export const valuesOf = ({ user, version, names = [] }: StoredUser): string => {
  const fields = userFields.map((field) => literalOf(fieldOf(user, field), field.kind));
  const listed = names.length === 0 ? 'NULL' : textLiteral(JSON.stringify(names));
  return [textLiteral(keyOf(user.email.address)), textLiteral(version), listed, ...fields].join(', ');
};

/** A value as `storedUser` reads it. A text that is not one of its type is left as it is, which `storedUser` refuses. */
const decoded = (written: string | null, kind: UserField['kind']): unknown => {
  if (written === null) return null;
  if (kind === 'text') return textOfBytes(written);
  if (kind === 'flag') return written === 't';
  return kind === 'time' ? Number(written) : written;
};

/** What `storedUser` refuses unless it is an array of names. */
const namesIn = (text: string | null | undefined): readonly unknown[] => {
  if (text === null || text === undefined) return [];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names : [names];
  } catch {
    return [undefined];
  }
};

/**
 * The user in a row of `selectedColumns` that is no reservation. Throws the Fault `store_rejected` that names the key if
 * another program has damaged the row.
 */
export const toStoredUser = (row: Row): StoredUser => {
  const [key, version, names] = row;
  const values = userFields.map(({ kind }, index) => decoded(row[firstField + index] ?? null, kind));
  const stored = storedUser(String(key), version, values, namesIn(names));
  // It looks like a reservation, and has no end.
  if (stored === undefined) throw unreadableUser(['password'], String(key));
  return stored;
};

/** Names in one order for all writes, so that two of them never wait for each other. */
export const nameLiterals = (names: readonly UserName[]): readonly string[] => [...names].sort().map(bytesLiteral);
