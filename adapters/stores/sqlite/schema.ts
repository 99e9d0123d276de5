/** A change of the schema. */
interface Step {
  readonly work: string;
  /**
   * Finds a row where the work was done, for files whose mark is too low: the first Latchkey wrote its own 1 with each
   * check of its health, also when a newer one had the file open as well and had taken more steps.
   */
  readonly trace: string;
}

/**
 * The steps that made the schema what it is, from an empty file on. A step that was published never changes: the number
 * of those that a file has taken is kept in its `user_version`, and a newer Latchkey takes the missing ones.
 * STRICT makes SQLite itself refuse a value of another type, which is why reading needs no decoder.
 */
export const steps: readonly Step[] = [
  {
    work: `CREATE TABLE users (
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
    trace: "SELECT 1 FROM sqlite_schema WHERE name = 'users'",
  },
  // When the token was set and a mail asked for last; NULL where it is not known, as it is not for what was there before.
  {
    work: `ALTER TABLE users ADD COLUMN token_time INTEGER;
  ALTER TABLE users ADD COLUMN mail_time INTEGER`,
    trace: "SELECT 1 FROM pragma_table_info('users') WHERE name = 'mail_time'",
  },
  // What happened to users and is not delivered yet; while somebody delivers an event, it is due at the end of the lease.
  {
    work: `CREATE TABLE events (
    destination TEXT NOT NULL,
    id TEXT NOT NULL,
    time INTEGER NOT NULL,
    body TEXT NOT NULL,
    due INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (destination, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX events_by_due ON events (destination, due)`,
    trace: "SELECT 1 FROM sqlite_schema WHERE name = 'events'",
  },
  // Finds the events that are too old, whoever was to get them.
  {
    work: 'CREATE INDEX events_by_time ON events (time)',
    trace: "SELECT 1 FROM sqlite_schema WHERE name = 'events_by_time'",
  },
];

/** The version of the schema that this Latchkey reads and writes. */
export const schemaVersion = steps.length;
