import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nearestName } from '../../adapters/kit/option-block.ts';
import { packageFolder } from '../installed-package.ts';

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
      application: { type: 'string' },
      print: { type: 'boolean' },
      inactive: { type: 'string' },
      export: { type: 'boolean' },
      erase: { type: 'boolean' },
    },
  });

/** A parsed command line; for a command, the positionals do not include its name. */
export type Arguments = Pick<ReturnType<typeof parse>, 'values' | 'positionals'>;

/** Runs one command and resolves with the exit status; undefined while the process keeps running. Throws UsageError. */
export type Command = (args: Arguments) => Promise<number | undefined>;

/** Only the names of the commands: index.ts, which has their code, is loaded when one of them runs. */
export const databaseCommands = [
  'check',
  'migrate',
  'backup',
  'export',
  'ids',
  'reindex',
  'person',
  'import',
  'expire',
] as const;
export type DatabaseCommand = (typeof databaseCommands)[number];

/** The commands that accept an option. */
export const commandsOf: Readonly<Record<string, readonly string[]>> = {
  output: ['export', 'init'],
  resume: ['export'],
  'dry-run': ['import', 'expire'],
  from: ['import'],
  'from-line': ['import'],
  'hash-passwords': ['import'],
  report: ['import'],
  'without-passwords': ['import'],
  production: ['init'],
  database: ['init'],
  mailer: ['init'],
  application: ['key'],
  print: ['migrate'],
  inactive: ['expire'],
  export: ['person'],
  erase: ['person'],
};

/** The end of a message about a mistyped word: the known one that is near, if there is one. */
const suggestion = (word: string, known: readonly string[], prefix = ''): string => {
  const meant = nearestName(word, known);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
};

/** The error for a word that is none of the commands. */
export const unknownCommand = (word: string, commands: readonly string[]): UsageError =>
  new UsageError(`unknown command: ${word}${suggestion(word, commands)}`);

/**
 * Parses the command line of this process. Throws UsageError for unknown options, those of another command, and
 * empty texts, which a shell makes of a variable that is not set.
 */
export const parseCommandLine = (): Arguments => {
  try {
    const args = parse();
    const [command = ''] = args.positionals;
    const foreign = Object.keys(args.values).find((name) => commandsOf[name]?.includes(command) === false);
    if (foreign !== undefined)
      throw new UsageError(`--${foreign} is an option of ${commandsOf[foreign]?.join(' and ')}`);
    const empty = Object.entries(args.values).find(([, value]) => value === '');
    if (empty !== undefined) throw new UsageError(`--${empty[0]} is empty`);
    if (args.positionals.includes('')) throw new UsageError('an argument is empty');
    return args;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // The texts of Node.js go on with advice about operands that start with a dash.
    const [reason = ''] = error.message.split('\n').flatMap((line) => line.split('. '));
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(reason) ?? [];
    const accepted = Object.keys(commandsOf).filter((name) =>
      commandsOf[name]?.some((command) => process.argv.includes(command)),
    );
    const known = ['help', 'version', ...accepted];
    const meant = unknown === undefined ? '' : suggestion(unknown, known, '--');
    throw new UsageError(reason.replace(/\.$/, '') + meant);
  }
};

/** Quotes any text as one word of a shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const isWithin = (folder: string, root: string): boolean => !relative(root, folder).startsWith('..');

/**
 * What starts this program in a folder, by default the working directory: npx where it is installed for that folder, as by
 * `npm install`, or npx has started this process; the file itself elsewhere on such a machine.
 */
export const programName = (folder = '.'): string => {
  const [modules, file = ''] = [dirname(fileURLToPath(packageFolder)), process.argv[1]];
  const roots = [
    ...(basename(modules) === 'node_modules' ? [dirname(modules)] : []),
    ...(process.env.npm_command === 'exec' ? [process.cwd()] : []),
  ];
  if (!roots.some((root) => isWithin(process.cwd(), root))) return 'latchkey';
  return roots.some((root) => isWithin(resolve(folder), root)) ? 'npx latchkey' : shellQuote(file);
};

/** A text with the commands in it as they work in the working directory. */
export const withProgramName = (text: string): string => text.replaceAll(/\blatchkey (?=[a-z[])/g, `${programName()} `);
