import {
  assembleUser,
  EmailAddress,
  Fault,
  fieldOf,
  isUserName,
  type StoredUser,
  type UserField,
  type UserName,
  userFields,
} from 'latchkey/ports';

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
const columnOf = ({ name }: UserField): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The column types. Passwords, tokens and names are `bytea`, because they may contain NUL, which `text` refuses. Custom
 * properties are `text`, because JSON types change numbers and the order of names.
 */
const types: Readonly<Record<UserField['kind'], string>> = {
  address: 'text',
  flag: 'boolean',
  id: 'text',
  text: 'bytea',
  time: 'bigint',
  properties: 'text',
};

const definitionOf = (field: UserField): string =>
  `${columnOf(field)} ${types[field.kind]}${field.presence === 'required' ? ' NOT NULL' : ''}`;

const optionalFields = userFields.filter(({ presence }) => presence === 'optional');

/** The columns that are no fields: the names of the user, and the end of a reservation, whose password is empty. */
const ownColumns = { names: 'bytea[]', reserved_until: 'timestamptz' } as const;

const suffixed = (table: string, suffix: string): string => table.replace(/"?$/, `${suffix}$&`);

/** The table of names, given that of the users. */
export const namesTable = (table: string): string => suffixed(table, '_names');

/**
 * Creates the tables if they are missing, and adds the columns of optional fields that a newer Latchkey has. The first
 * lock prevents an error if several services start at the same time. The primary key is the case-folded address; another
 * collation than "C" can change with the operating system, and damages the index then. A name follows its user to another
 * address, and is removed with it; one without a user is a reservation.
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
    ${[...optionalFields.map(definitionOf), ...Object.entries(ownColumns).map((column) => column.join(' '))]
      .map((definition) => `ADD COLUMN IF NOT EXISTS ${definition}`)
      .join(',\n    ')};
  CREATE TABLE IF NOT EXISTS ${namesTable(table)} (
    name bytea PRIMARY KEY,
    key text COLLATE "C" REFERENCES ${table} ON UPDATE CASCADE ON DELETE CASCADE,
    version text,
    reserved_until timestamptz
  );
  CREATE INDEX IF NOT EXISTS ${suffixed(table, '_names_key')} ON ${namesTable(table)} (key)`;

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

const columnNames = ['version', 'names', ...userFields.map(columnOf)];

/** The columns of a user, without the key. */
export const columns = columnNames.join(', ');

/** The columns that a table lacks. */
export const missingColumns = (found: readonly FoundColumn[]): readonly string[] =>
  [...columnNames, 'reserved_until'].filter((column) => !found.some(({ name }) => name === column));

/** The columns of a user in a table of a former version, which lacks some. */
export const columnsWithout = (missing: readonly string[]): string =>
  columnNames.map((column) => (missing.includes(column) ? `NULL AS ${column}` : column)).join(', ');

/** A placeholder for each column, from `$first` on. */
export const placeholders = (first: number): string => columnNames.map((_, index) => `$${first + index}`).join(', ');

/** Names as the tables keep them. */
export const bytesOf = (names: readonly UserName[]): readonly Buffer[] => names.map((name) => Buffer.from(name));

/** The values of the columns, in their order. */
export const valuesOf = ({ user, version, names = [] }: StoredUser): readonly unknown[] => [
  version,
  bytesOf(names),
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

/** Decodes a row; undefined for a reservation, which alone has an empty password. Throws a Fault if it is not valid. */
export const toStoredUser = (row: Row): StoredUser | undefined => {
  const { address, password, names, version } = row;
  if (Buffer.isBuffer(password) && password.length === 0) return undefined;
  if (!EmailAddress.is(address)) throw new Fault('store_rejected', 'a row has no valid email address');
  try {
    const user = assembleUser(userFields.map((field) => valueIn(row, field)));
    const held = Array.isArray(names) ? names.map(String).filter(isUserName) : [];
    return { user, version: String(version), ...(held.length > 0 && { names: held }) };
  } catch (error) {
    throw new Fault('store_rejected', 'a row has no readable user', { cause: error });
  }
};
