import { parseArgs } from 'node:util';
import { version } from '../installed-package.ts';

/** The exit statuses of the process. */
export const exitStatus = {
  done: 0,
  /** Something that the command needs is missing or cannot be reached. */
  failed: 1,
  /** The command line or the configuration is wrong; running it again does not help. */
  wrongConfiguration: 2,
} as const;

/** A command line that cannot be run; the message says why. */
export class UsageError extends Error {}

export const usage = `Latchkey ${version}: a user account service

Usage:
  latchkey [serve] [FILE]         run the service
  latchkey check [FILE]           check the configuration, and that the database and the mail provider can be reached
  latchkey init --production      write latchkey.yaml, a configuration for production, and .env with its secrets
  latchkey backup [DATABASE] COPY copy the file of the embedded database, also while the service runs; without
                                  DATABASE, the one of the configuration that LATCHKEY_CONFIG names
  latchkey export [FILE]          write every user as a line of JSON to standard output, or to a file with --output
  latchkey import USERS [FILE]    store the users of an exported file; existing users stay unchanged

FILE is the configuration. Without it, Latchkey reads the file that LATCHKEY_CONFIG names, or else config/local.yaml. If
that file does not exist, Latchkey uses its configuration for development, which keeps the data in ./data.

Options:
  -h, --help                      show this help
  -v, --version                   show the version
  init --database NAME            sqlite (the default), mongodb or dynamodb
  init --mailer NAME              smtp (the default), ses or none
  init --output FOLDER            the folder for the two files; by default the current folder
  export --output PATH            write to this new file
  export --resume                 continue an unfinished file
  import --dry-run                check every line and store nothing
  import --from SYSTEM            the file is an export of firebase, keycloak, supabase, auth0, kratos or documents
  import --from-line NUMBER       skip the lines, or the records of another system, before this one
  import --hash-passwords         the file holds passwords that are not hashed yet
  import --report PATH            write a line about each user who needs attention to this new file
  import --without-passwords      with --from, accept a file in which no user has a password
`;

const parse = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      output: { type: 'string' },
      resume: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
      from: { type: 'string' },
      'from-line': { type: 'string' },
      'hash-passwords': { type: 'boolean' },
      report: { type: 'string' },
      'without-passwords': { type: 'boolean' },
      production: { type: 'boolean' },
      database: { type: 'string' },
      mailer: { type: 'string' },
    },
  });

/** A parsed command line; for a command, the positionals do not include its name. */
export type Arguments = Pick<ReturnType<typeof parse>, 'values' | 'positionals'>;

/** Runs one command and resolves with the exit status; undefined while the process keeps running. Throws UsageError. */
export type Command = (args: Arguments) => Promise<number | undefined>;

/** The commands that accept an option. */
const commandsOf: Readonly<Record<string, readonly string[]>> = {
  output: ['export', 'init'],
  resume: ['export'],
  'dry-run': ['import'],
  from: ['import'],
  'from-line': ['import'],
  'hash-passwords': ['import'],
  report: ['import'],
  'without-passwords': ['import'],
  production: ['init'],
  database: ['init'],
  mailer: ['init'],
};

/** Parses the command line of this process. Throws UsageError for unknown options and for those of another command. */
export const parseCommandLine = (): Arguments => {
  try {
    const args = parse();
    const [command = ''] = args.positionals;
    const foreign = Object.keys(args.values).find((name) => commandsOf[name]?.includes(command) === false);
    if (foreign === undefined) return args;
    throw new UsageError(`--${foreign} is an option of ${commandsOf[foreign]?.join(' and ')}`);
  } catch (error) {
    throw error instanceof Error && 'code' in error ? new UsageError(error.message) : error;
  }
};

/** Quotes any text as one word of a shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
