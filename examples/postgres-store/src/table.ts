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

/**
 * Creates the table if it is missing, and adds the columns of optional fields that a newer Latchkey has. The lock
 * prevents an error if several services start at the same time. The primary key is the case-folded address.
 */
export const creation = (table: string): string => `
  SELECT pg_advisory_xact_lock(hashtext('latchkey'));
  CREATE TABLE IF NOT EXISTS ${table} (
    key text PRIMARY KEY,
    version text NOT NULL,
    ${userFields.map(definitionOf).join(',\n    ')}
  );
  ${userFields
    .filter(({ presence }) => presence === 'optional')
    .map((field) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${definitionOf(field)};`)
    .join('\n  ')}`;

const columnNames = ['version', ...userFields.map(columnOf)];

/** The columns of a user, without the key. */
export const columns = columnNames.join(', ');

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
