import {
  assembleUser,
  Fault,
  fieldOf,
  isUserName,
  type StoredUser,
  type User,
  type UserField,
  type UserName,
  userFields,
} from 'latchkey/ports';
import type { Row } from './database.ts';

/** The quoted names of the tables. */
export interface Tables {
  readonly users: string;
  /** The names of users, such as their ids, and those that are reserved. */
  readonly names: string;
  readonly events: string;
  readonly attempts: string;
}

/** The tables, given the name of that of the users. */
export const tablesOf = (name: string): Tables => ({
  users: `\`${name}\``,
  names: `\`${name}_names\``,
  events: `\`${name}_events\``,
  attempts: `\`${name}_attempts\``,
});

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
export const columnOf = ({ name }: Pick<UserField, 'name'>): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The column types. Custom properties are text, because a JSON type changes numbers and the order of names. */
const types: Readonly<Record<UserField['kind'], string>> = {
  address: 'TEXT',
  flag: 'BOOLEAN',
  id: 'TEXT',
  text: 'MEDIUMTEXT',
  time: 'BIGINT',
  properties: 'MEDIUMTEXT',
};

const definitionOf = (field: UserField): string =>
  `${columnOf(field)} ${types[field.kind]} ${field.presence === 'required' ? 'NOT NULL' : 'NULL'}`;

const optionalFields = userFields.filter(({ presence }) => presence === 'optional');

/** Texts compare byte by byte, trailing spaces included; every text of a user can be stored, one with NUL, too. */
const options = 'ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin';

/**
 * Creates the tables if they are missing. A name follows its user to another address, and is removed with it. A row with the
 * end of a reservation, in milliseconds since the epoch, only reserves its key.
 */
export const creation = ({ users, names, events, attempts }: Tables): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${users} (
    address_key VARCHAR(254) PRIMARY KEY,
    version VARCHAR(64) NOT NULL,
    names MEDIUMTEXT,
    reserved_until BIGINT,
    ${userFields.map(definitionOf).join(',\n    ')},
    INDEX (reserved_until)
  ) ${options}`,
  `CREATE TABLE IF NOT EXISTS ${names} (
    name VARBINARY(3072) PRIMARY KEY,
    address_key VARCHAR(254),
    version VARCHAR(64),
    reserved_until BIGINT,
    INDEX (reserved_until),
    FOREIGN KEY (address_key) REFERENCES ${users} (address_key) ON UPDATE CASCADE ON DELETE CASCADE
  ) ${options}`,
  `CREATE TABLE IF NOT EXISTS ${events} (
    destination VARCHAR(32) NOT NULL,
    id VARCHAR(64) NOT NULL,
    time BIGINT NOT NULL,
    body MEDIUMTEXT NOT NULL,
    due BIGINT NOT NULL,
    attempts INT NOT NULL DEFAULT 0,
    PRIMARY KEY (destination, id),
    INDEX (destination, due),
    INDEX (time)
  ) ${options}`,
  `CREATE TABLE IF NOT EXISTS ${attempts} (
    digest VARCHAR(64) PRIMARY KEY,
    failures INT NOT NULL,
    ends BIGINT NOT NULL,
    INDEX (ends)
  ) ${options}`,
];

/**
 * Adds the columns of fields that a newer Latchkey has, without copying the table. While it waits for a table in use, such as
 * by a dump, all reads that come after it wait, too: give it little time.
 */
export const addition = ({ users }: Tables): string =>
  `ALTER TABLE ${users} ${optionalFields.map((field) => `ADD COLUMN IF NOT EXISTS ${definitionOf(field)}`).join(', ')}, ALGORITHM = INSTANT`;

/** The time of the server in milliseconds since the epoch. */
export const now = 'ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000)';

/** The condition that a row is a user, and no reservation. */
export const isUser = 'reserved_until IS NULL';

const columnNames = ['address_key', 'version', 'names', ...userFields.map(columnOf)];

/** The columns of a user. */
export const columns = columnNames.join(', ');

/** The columns of a user in a table of a former version, which lacks some. */
export const columnsWithout = (missing: readonly string[]): string =>
  columnNames.map((column) => (missing.includes(column) ? `NULL AS ${column}` : column)).join(', ');

/** The columns that a table with these columns lacks. */
export const missingColumns = (found: readonly unknown[]): readonly string[] =>
  columnNames.filter((column) => !found.includes(column));

/** Assigns all columns of a user. */
export const assignments = columnNames.map((column) => `${column} = ?`).join(', ');

/** The values of the columns, in their order. */
export const valuesOf = (key: string, { user, version, names = [] }: StoredUser): readonly unknown[] => [
  key,
  version,
  names.length === 0 ? null : JSON.stringify(names),
  ...userFields.map((field) => fieldOf(user, field) ?? null),
];

const namesIn = ({ names, address_key: key }: Row): readonly UserName[] => {
  if (typeof names !== 'string') return [];
  try {
    const held: unknown = JSON.parse(names);
    if (Array.isArray(held)) return held.map(String).filter(isUserName);
  } catch {
    // The same as for other JSON.
  }
  throw new Fault('store_rejected', 'MariaDB: the names of a user are damaged', { record: String(key) });
};

/** Decodes the user of a row. Throws the Fault `store_rejected` if it is damaged. */
export const userIn = (row: Row): User =>
  assembleUser(
    userFields.map((field) => {
      const value = row[columnOf(field)];
      return field.kind === 'flag' ? value === 1 : value;
    }),
    String(row.address_key),
  );

/** Decodes a row, as `userIn` does. */
export const storedUserIn = (row: Row): StoredUser => {
  const names = namesIn(row);
  return { user: userIn(row), version: String(row.version), ...(names.length > 0 && { names }) };
};
