import {
  assembleUser,
  EmailAddress,
  Fault,
  fieldOf,
  type StoredUser,
  type UserField,
  userFields,
} from 'latchkey/ports';

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
const columnOf = ({ name }: UserField): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The column types. Passwords and tokens are `bytea`, because they may contain NUL, which `text` refuses. Custom
 * properties are `text`, because JSON types change numbers and the order of names.
 */
const types: Readonly<Record<UserField['kind'], string>> = {
  address: 'text',
  flag: 'boolean',
  text: 'bytea',
  time: 'bigint',
  properties: 'text',
};

const definitionOf = (field: UserField): string =>
  `${columnOf(field)} ${types[field.kind]}${field.presence === 'required' ? ' NOT NULL' : ''}`;

const optionalFields = userFields.filter(({ presence }) => presence === 'optional');

/**
 * Creates the table if it is missing, and adds the columns of optional fields that a newer Latchkey has. The first lock
 * prevents an error if several services start at the same time. The primary key is the case-folded address; another
 * collation than "C" can change with the operating system, and damages the index then.
 *
 * A change that waits for a table in use, such as by pg_dump, delays all reads that come after it, so it waits briefly.
 */
export const creation = (table: string): string => `
  SELECT pg_advisory_xact_lock(hashtext('latchkey'));
  SET LOCAL lock_timeout = 100;
  CREATE TABLE IF NOT EXISTS ${table} (
    key text COLLATE "C" PRIMARY KEY,
    version text NOT NULL,
    ${userFields.map(definitionOf).join(',\n    ')}
  );
  ALTER TABLE ${table}
    ${optionalFields.map((field) => `ADD COLUMN IF NOT EXISTS ${definitionOf(field)}`).join(',\n    ')}`;

/** Gives the key of a table of a former version its collation. It rebuilds the index, which must not delay reads long. */
export const collation = (table: string): string => `
  SET LOCAL lock_timeout = 100;
  SET LOCAL statement_timeout = 1000;
  ALTER TABLE ${table} ALTER COLUMN key TYPE text COLLATE "C"`;

/** Finds the columns of a table in the catalogue, which locks nothing; none if the table does not exist. */
export const inspection = `
  SELECT attname AS name, collname AS collation
  FROM pg_catalog.pg_attribute LEFT JOIN pg_catalog.pg_collation ON pg_collation.oid = attcollation
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`;

/** A row of the inspection. */
export interface FoundColumn {
  readonly name: string;
  readonly collation: string | null;
}

const columnNames = ['version', ...userFields.map(columnOf)];

/** The columns of a user, without the key. */
export const columns = columnNames.join(', ');

/** The columns that a table lacks. */
export const missingColumns = (found: readonly FoundColumn[]): readonly string[] =>
  columnNames.filter((column) => !found.some(({ name }) => name === column));

/** The columns of a user in a table of a former version, which lacks some. */
export const columnsWithout = (missing: readonly string[]): string =>
  columnNames.map((column) => (missing.includes(column) ? `NULL AS ${column}` : column)).join(', ');

/** A placeholder for each column, from `$first` on. */
export const placeholders = (first: number): string => columnNames.map((_, index) => `$${first + index}`).join(', ');

/** The values of the columns, in their order. */
export const valuesOf = ({ user, version }: StoredUser): readonly unknown[] => [
  version,
  ...userFields.map((field) => {
    const value = fieldOf(user, field);
    return field.kind === 'text' && typeof value === 'string' ? Buffer.from(value) : value;
  }),
];

/** A row as the driver returns it, by the names of its columns; `bigint` values are strings. */
export type Row = Readonly<Record<string, unknown>>;

const valueIn = (row: Row, field: UserField): unknown => {
  const value = row[columnOf(field)];
  if (field.kind === 'time' && typeof value === 'string') return Number(value);
  return Buffer.isBuffer(value) ? value.toString() : value;
};

/** Decodes a row; throws a Fault if it is not valid. */
export const toStoredUser = (row: Row): StoredUser => {
  if (!EmailAddress.is(row.address)) throw new Fault('store_rejected', 'a row has no valid email address');
  try {
    const user = assembleUser(userFields.map((field) => valueIn(row, field)));
    return { user, version: String(row.version) };
  } catch (error) {
    throw new Fault('store_rejected', 'a row has no readable user', { cause: error });
  }
};
