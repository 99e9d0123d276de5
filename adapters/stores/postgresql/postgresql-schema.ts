import { escapeIdentifier } from 'pg';
import { type UserField, userFields } from '../../../domain/user-fields.ts';

/** The qualified and quoted names of the tables. */
export interface Tables {
  readonly users: string;
  /** The names of users, and those that are reserved. */
  readonly names: string;
  readonly events: string;
  /** One row: the format of what is stored (stored-format.ts). */
  readonly format: string;
  /** The counts of wrong passwords. */
  readonly attempts: string;
}

/** Only reservations have an entry in their index, so that no other write pays for it. */
const reservations = '(reserved_until) WHERE reserved_until IS NOT NULL';

/** The names of the tables in a schema, which all begin with that of the table of users. */
export const tablesIn = (schema: string, table: string): Tables => {
  const named = (suffix: string): string => `${escapeIdentifier(schema)}.${escapeIdentifier(`${table}${suffix}`)}`;
  return {
    users: named(''),
    names: named('_names'),
    events: named('_events'),
    format: named('_format'),
    attempts: named('_attempts'),
  };
};

/** The column of a field, such as `last_update_time` for `lastUpdateTime`. */
export const columnOf = ({ name }: Pick<UserField, 'name'>): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Passwords, tokens and names are `bytea`, because they may contain NUL, which `text` refuses. Custom properties are
 * `text`, because JSON types change numbers and the order of names.
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

/** A table that the store needs: its columns by name, in order, each with its type and constraints. */
export interface TableDefinition {
  readonly name: keyof Tables;
  readonly columns: readonly string[];
  /** The columns of its primary key, on which writes depend. */
  readonly primaryKey: string;
  readonly options?: string;
  /** The column lists of its indexes, by the suffix of their names. */
  readonly indexes?: Readonly<Record<string, string>>;
}

/**
 * What the database has. A newer version adds columns that may be NULL to the end of a list, which an older one that still
 * runs neither reads nor changes. Keys have the collation "C": another one can change with the operating system, and damages
 * the index then. Changes leave room on each page, so that they do not touch the index.
 */
export const tableDefinitions: readonly TableDefinition[] = [
  {
    name: 'users',
    primaryKey: 'key',
    columns: [
      'key text COLLATE "C"',
      'version text NOT NULL',
      ...userFields.map(definitionOf),
      'names text',
      // The end of a reservation of the address. Its row is that of a user without a password.
      'reserved_until timestamptz',
    ],
    options: 'WITH (fillfactor = 85)',
    indexes: { _reserved: reservations },
  },
  {
    name: 'names',
    primaryKey: 'name',
    // A name follows its user to another address, and is removed with it; one without a user is reserved.
    columns: [
      'name bytea',
      'key text COLLATE "C" REFERENCES @users ON UPDATE CASCADE ON DELETE CASCADE',
      'version text',
      'reserved_until timestamptz',
    ],
    indexes: { _names_key: '(key)', _names_reserved: reservations },
  },
  {
    name: 'events',
    primaryKey: 'destination, id',
    columns: [
      'destination text COLLATE "C" NOT NULL',
      'id text COLLATE "C" NOT NULL',
      'time bigint NOT NULL',
      'body text NOT NULL',
      'due bigint NOT NULL',
      'attempts integer NOT NULL',
    ],
    indexes: { _events_due: '(destination, due)', _events_time: '(time)' },
  },
  {
    name: 'format',
    primaryKey: 'one',
    columns: ['one boolean DEFAULT true CHECK (one)', 'format integer NOT NULL', 'time bigint NOT NULL'],
  },
  {
    name: 'attempts',
    primaryKey: 'key',
    // In the order of RateLimiterPostgres, which does not name them.
    columns: ['key text COLLATE "C"', 'points integer NOT NULL', 'expire bigint'],
    indexes: { _attempts_end: '(expire)' },
  },
];
