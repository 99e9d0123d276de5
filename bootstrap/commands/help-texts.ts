/** The help of one command, for a terminal of 80 columns. */
interface CommandHelp {
  readonly text: string;
  readonly example: string;
  /** The page in `docs/` that explains the command. */
  readonly page: string;
}

/** The help of each command, by its name. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  serve: {
    text: `Usage: latchkey [serve] [FILE]

Runs the service with the configuration FILE until SIGTERM, SIGINT or Ctrl+C
stops it. Accepted requests are still answered. Without FILE: latchkey help
`,
    example: 'latchkey serve latchkey.yaml',
    page: 'operations.md',
  },
  check: {
    text: `Usage: latchkey check [FILE]

Checks the configuration FILE, and whether the secrets, the database, the mail
provider, the audit file and the signing keys can be used. Prints one line for
each, and changes nothing. The exit status is 0 only if all are healthy.
`,
    example: 'latchkey check latchkey.yaml',
    page: 'configuration.md',
  },
  init: {
    text: `Usage: latchkey init --production [OPTIONS]

Writes latchkey.yaml, a configuration for production, and .env with its
generated secrets. Overwrites no file.

Options:
  --database NAME  sqlite (the default), mongodb, postgresql or dynamodb
  --mailer NAME    smtp (the default), ses or none
  --output FOLDER  the folder for the two files; by default the current folder
`,
    example: 'latchkey init --production --database mongodb --output accounts',
    page: 'deployment.md',
  },
  key: {
    text: `Usage: latchkey key [OPTIONS]

Makes a random secret for an application or an administrator, and prints it with
the entries of auth.keys or admin.keys to choose from: with its SHA-256 digest,
so that the file holds no secret, or with the secret itself. Changes nothing.

Options:
  --application NAME  the application; by default my-application
`,
    example: 'latchkey key --application shop',
    page: 'configuration.md',
  },
  migrate: {
    text: `Usage: latchkey migrate [OPTIONS] [FILE]

Creates the tables and columns that the database of the configuration FILE lacks
(type: postgresql), also while the service runs. The service does that itself,
unless its role may not, or database.migrate is never: then run this before each
upgrade, with a role that may. Other databases need no such command.

Options:
  --print  print the SQL for psql, and change nothing; all of it if the database
           cannot be reached
`,
    example: 'latchkey migrate --print | psql -v ON_ERROR_STOP=1 "$DATABASE_URL"',
    page: 'engines.md',
  },
  'upgrade-check': {
    text: `Usage: latchkey upgrade-check OTHER [FILE]

Compares this version with another one, for the configuration FILE: whether both
can work on its database at the same time (a rolling upgrade), whether there is
a way back, and which keys of FILE the other version refuses. OTHER is the
folder of its package, or dist/compatibility.json of it. Opens no database. The
exit status is 0 only if nothing stands in the way.
`,
    example: 'latchkey upgrade-check /opt/latchkey-new/node_modules/latchkey',
    page: 'operations.md',
  },
  backup: {
    text: `Usage: latchkey backup [DATABASE] COPY

Copies the file of the embedded database (type: sqlite) to the new file COPY,
also while the service runs, and checks the copy. Without DATABASE, copies the
one of the configuration that LATCHKEY_CONFIG names.
`,
    example: 'latchkey backup data/latchkey.db backup.db',
    page: 'operations.md',
  },
  export: {
    text: `Usage: latchkey export [OPTIONS] [FILE]

Writes every user in the database of the configuration FILE as a line of JSON,
with password hashes, to standard output or to a file.

Options:
  --output PATH  write to this new file
  --resume       continue the unfinished file of --output
`,
    example: 'latchkey export --output users.jsonl latchkey.yaml',
    page: 'export-import.md',
  },
  import: {
    text: `Usage: latchkey import [OPTIONS] USERS [FILE]

Stores the users of the file USERS, which latchkey export wrote, in the
database of the configuration FILE. Existing users stay unchanged.

Options:
  --dry-run            check every line and store nothing
  --from SYSTEM        USERS is an export of firebase, keycloak, supabase,
                       auth0, kratos or documents
  --from-line NUMBER   skip the lines, or the records of another system, before
                       this one
  --hash-passwords     USERS holds passwords that are not hashed yet
  --report PATH        write a line about each user who needs attention to this
                       new file
  --without-passwords  with --from, accept a file without any passwords
`,
    example: 'latchkey import --dry-run users.jsonl latchkey.yaml',
    page: 'export-import.md',
  },
  person: {
    text: `Usage: latchkey person [FILE] WHO --export
       latchkey person [FILE] WHO --erase

Gathers or erases everything that the database of the configuration FILE has
about a person, also while the service runs: the user, its names, the events,
mails and requests that wait, and counts of wrong passwords. WHO is an address
or an id, also of somebody whose user was deleted. Says what is elsewhere.

Options:
  --export   print all of it as one JSON document, without hashes and tokens
  --erase    remove it; the event user.deleted is sent. May be repeated after an
             interruption
`,
    example: 'latchkey person latchkey.yaml jane@example.com --export > jane.json',
    page: 'privacy.md',
  },
  ids: {
    text: `Usage: latchkey ids [FILE]

Gives every user in the database of the configuration FILE an id, also while the
service runs. FILE has users.ids: true. A custom property called id becomes the
id. Prints the users for whom that is impossible; the status is then 1.
Run again, it checks all users, and changes only those who have no id yet.
`,
    example: 'latchkey ids latchkey.yaml',
    page: 'ids.md',
  },
  reindex: {
    text: `Usage: latchkey reindex [FILE]

Makes every user in the database of the configuration FILE known by the unique
properties of FILE, also while the service runs: run it after a change of them.
Prints the users whose value is impossible or belongs to another user; the
status is then 1. Run again, it checks all users, and changes only those who are
not known by their properties yet.
`,
    example: 'latchkey reindex latchkey.yaml',
    page: 'ids.md',
  },
  expire: {
    text: `Usage: latchkey expire --inactive DURATION [OPTIONS] [FILE]

Deletes every user in the database of the configuration FILE whose password was
not right for DURATION, such as 90d or 2y, also while the service runs. FILE has
activity.since, and nobody counts from an earlier time. Users whose password was
never right count from their creation and import. One who signs in meanwhile
stays. Run again after an interruption, it goes on.

Options:
  --inactive DURATION  how long the password was not right
  --dry-run            count the users and delete nobody
`,
    example: 'latchkey expire --inactive 2y --dry-run latchkey.yaml',
    page: 'administration.md',
  },
};
