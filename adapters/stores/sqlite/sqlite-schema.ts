import type Database from 'better-sqlite3';
import { userColumns } from './sqlite-user-table.ts';

/** A migration of the schema. */
interface Step {
  readonly sql: string;
  /**
   * Finds a row if the step was applied, for files whose `user_version` is too low: the first version of Latchkey wrote
   * its own 1 with each health check, even while a newer one had the file open and had applied more steps.
   */
  readonly evidence: string;
}

/**
 * The steps from an empty file to the current schema. A published step never changes: `user_version` counts those that a
 * file has, and a newer Latchkey applies the missing ones. A new field of the user needs a step with its column.
 * The tables are STRICT, so that SQLite itself refuses a value of another type.
 */
export const steps: readonly Step[] = [
  // With its index by rowid. As one tree (WITHOUT ROWID), a lookup among a million users reads 1.2 to 1.6 pages instead of 1.8
  // with the default cache, and takes 10 to 17 % less CPU time, which is 3 % of a request. Inserts take half as long again,
  // and existing files would have to be rewritten.
  {
    sql: `CREATE TABLE users (
    key TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
    verification_token TEXT,
    password TEXT NOT NULL,
    creation_time INTEGER NOT NULL,
    last_update_time INTEGER NOT NULL,
    properties TEXT NOT NULL
  ) STRICT`,
    evidence: "SELECT 1 FROM sqlite_schema WHERE name = 'users'",
  },
  // NULL if the time is not known, as for users from before this step.
  {
    sql: `ALTER TABLE users ADD COLUMN token_time INTEGER;
  ALTER TABLE users ADD COLUMN mail_time INTEGER`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'mail_time'",
  },
  // Events that are not delivered yet. A claimed event is due at the end of its lease.
  {
    sql: `CREATE TABLE events (
    destination TEXT NOT NULL,
    id TEXT NOT NULL,
    time INTEGER NOT NULL,
    body TEXT NOT NULL,
    due INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (destination, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX events_by_due ON events (destination, due)`,
    evidence: "SELECT 1 FROM sqlite_schema WHERE name = 'events'",
  },
  // Finds expired events of any destination. Versions before this step kept events forever, so that the age of those that
  // wait counts from here.
  {
    sql: `CREATE INDEX events_by_time ON events (time);
  UPDATE events SET time = max(time, CAST(unixepoch('subsec') * 1000 AS INTEGER))`,
    evidence: "SELECT 1 FROM sqlite_schema WHERE name = 'events_by_time'",
  },
  // The states that administrators set; NULL if they set none.
  {
    sql: `ALTER TABLE users ADD COLUMN disabled_time INTEGER;
  ALTER TABLE users ADD COLUMN disabled_until INTEGER;
  ALTER TABLE users ADD COLUMN disabled_reason TEXT;
  ALTER TABLE users ADD COLUMN change_required_time INTEGER`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'change_required_time'",
  },
  // NULL where the password was never changed, and never forgotten.
  {
    sql: `ALTER TABLE users ADD COLUMN password_time INTEGER;
  ALTER TABLE users ADD COLUMN recovery_digest TEXT;
  ALTER TABLE users ADD COLUMN recovery_time INTEGER`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'recovery_time'",
  },
  // An address move that waits for its confirmation; NULL without one.
  {
    sql: `ALTER TABLE users ADD COLUMN pending TEXT;
  ALTER TABLE users ADD COLUMN pending_time INTEGER;
  ALTER TABLE users ADD COLUMN pending_digest TEXT;
  ALTER TABLE users ADD COLUMN cancel_digest TEXT`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'cancel_digest'",
  },
  // The entity tag from before the last bookkeeping; NULL without any, and where no expensive hash was replaced.
  {
    sql: `ALTER TABLE users ADD COLUMN kept_tag TEXT;
  ALTER TABLE users ADD COLUMN former_hash_digest TEXT`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'former_hash_digest'",
  },
  // An id, and the names of a user as an array of JSON; NULL without any. Entries say which user holds a name, by the key
  // of its address, or that a name or an address is reserved until a time. Former versions reserved an address with a user
  // whose password is empty.
  {
    sql: `ALTER TABLE users ADD COLUMN id TEXT;
  ALTER TABLE users ADD COLUMN names TEXT;
  CREATE TABLE entries (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT,
    reservation TEXT,
    expiry INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_expiry ON entries (expiry) WHERE expiry IS NOT NULL`,
    evidence: "SELECT 1 FROM sqlite_schema WHERE name = 'entries'",
  },
  // NULL for users who were neither invited nor imported, and where the last check of a password is not recorded.
  {
    sql: `ALTER TABLE users ADD COLUMN invitation_digest TEXT;
  ALTER TABLE users ADD COLUMN invitation_time INTEGER;
  ALTER TABLE users ADD COLUMN last_check_time INTEGER;
  ALTER TABLE users ADD COLUMN import_time INTEGER`,
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'import_time'",
  },
  // NULL for users whose address was never verified, or is, or was reset by a former version.
  {
    sql: 'ALTER TABLE users ADD COLUMN unverified_time INTEGER',
    evidence: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'unverified_time'",
  },
];

/** The version of the schema that this Latchkey reads and writes. */
export const schemaVersion = steps.length;

/** The columns that statements read, by table. */
const readColumns: Readonly<Record<string, readonly string[]>> = {
  users: userColumns,
  entries: ['name', 'holder'],
  events: ['destination', 'id', 'time', 'body', 'due', 'attempts'],
};

/**
 * Lets a read-only connection read a file of a former schema, or an empty one: a temporary view takes the place of each
 * table that lacks columns, and has NULL in them.
 */
export const coverFormerSchema = (database: Database.Database): void => {
  const existing = database.prepare<[string], string>("SELECT name FROM pragma_table_info(?, 'main')").pluck();
  for (const [table, columns] of Object.entries(readColumns)) {
    const stored = new Set(existing.all(table));
    const selected = columns.map((column) => (stored.has(column) ? column : `NULL AS ${column}`)).join(', ');
    const source = stored.size === 0 ? 'WHERE false' : `FROM main.${table}`;
    database.exec(`CREATE TEMP VIEW ${table} AS SELECT ${selected} ${source}`);
  }
};
