import { type Arguments, readArguments } from './commands/arguments.ts';
import { exitStatus } from './commands/exit-status.ts';
import { type ChosenFile, chosenFile } from './configuration/chosen-file.ts';
import { traceToSources } from './source-maps.ts';
import { version } from './version.ts';

const usage = `Latchkey ${version}: a user account service

Usage:
  latchkey [serve] [FILE]         run the service
  latchkey check [FILE]           decode the configuration, reach the database and the mail provider, and say what is
                                  wrong
  latchkey init --production      write latchkey.yaml, a configuration for production, and .env with its secrets
  latchkey backup DATABASE COPY   copy the file of the embedded database, also while the service runs
  latchkey export [FILE]          write every user as a line of JSON, to standard output unless --output names a file
  latchkey import USERS [FILE]    store the users of such a file; those who are there already stay as they are

FILE is the configuration; without it LATCHKEY_CONFIG names it, and without that it is config/local.yaml. Where there
is none, the service runs for development, with its data in ./data.

Options:
  -h, --help                      show this
  -v, --version                   show the version
  init --database NAME            sqlite (the default), mongodb or dynamodb
  init --mailer NAME              smtp (the default), ses or none
  init --output FOLDER            where the files are written; the current folder without it
  export --output PATH            the new file that is written
  export --resume                 go on with a file that is not finished
  import --dry-run                look at every line, and store nothing
  import --from-line NUMBER       leave out the lines before
  import --hash-passwords         the passwords of the file are not hashed yet
  import --report PATH            a new file that gets a line for each one that was skipped
`;

// Loaded when they are run: help and version need none of them.
const commands = {
  serve: async (file: ChosenFile) => (await import('./commands/serve.ts')).serve(file),
  check: async (file: ChosenFile) => (await import('./commands/check.ts')).check(file),
} as const;
type Command = keyof typeof commands;

const isCommand = (word: string | undefined): word is Command => word !== undefined && Object.hasOwn(commands, word);

const misused = (reason: string): number => {
  process.stderr.write(`latchkey: ${reason}\n\n${usage}`);
  return exitStatus.wrongConfiguration;
};

const runBackup = async ([database, copy, ...others]: readonly string[]): Promise<number> => {
  if (database === undefined || copy === undefined || others.length > 0)
    return misused('backup takes the database file and the copy');
  return (await import('./commands/backup.ts')).backup(database, copy);
};

const runInit = async (files: readonly string[], { values }: Arguments): Promise<number> => {
  if (files.length > 0) return misused('init takes no file; --output names the folder of those that it writes');
  if (!values.production) return misused('init needs --production; for development no configuration is needed');
  const { choiceOf } = await import('./commands/production-configuration.ts');
  const choice = choiceOf(values.database ?? 'sqlite', values.mailer ?? 'smtp');
  if (typeof choice === 'string') return misused(choice);
  return (await import('./commands/init.ts')).init(choice, values.output ?? '.');
};

const runExport = async ([config, ...others]: readonly string[], { values }: Arguments): Promise<number> => {
  if (others.length > 0) return misused('export takes the configuration, and --output names the file');
  if (values.resume && values.output === undefined) return misused('--resume needs --output');
  const { exportTo } = await import('./commands/export.ts');
  return exportTo(chosenFile(config, process.env), { output: values.output, resume: values.resume ?? false });
};

const runImport = async ([file, config, ...others]: readonly string[], { values }: Arguments): Promise<number> => {
  if (file === undefined || others.length > 0) return misused('import takes the file of users and the configuration');
  const line = values['from-line'] ?? '1';
  if (!/^[1-9]\d{0,14}$/.test(line)) return misused('--from-line takes the number of a line');
  const { importFrom } = await import('./commands/import.ts');
  return importFrom(file, chosenFile(config, process.env), {
    hash: values['hash-passwords'] ?? false,
    isTrial: values['dry-run'] ?? false,
    fromLine: Number(line),
    report: values.report,
  });
};

const run = async (): Promise<number | undefined> => {
  const args = readArguments();
  if (typeof args === 'string') return misused(args);
  const [first, ...others] = args.positionals;
  const [command, files] = isCommand(first) ? [first, others] : ['serve' as const, args.positionals];
  if (args.values.help) {
    process.stdout.write(usage);
    return exitStatus.done;
  }
  if (args.values.version) {
    process.stdout.write(`${version}\n`);
    return exitStatus.done;
  }
  if (first === 'init') return runInit(others, args);
  if (first === 'backup') return runBackup(others);
  if (first === 'export') return runExport(others, args);
  if (first === 'import') return runImport(others, args);
  // A word without a dot or a slash is no file of ours: rather a command that was mistyped.
  const mistyped = command === 'serve' && first !== undefined && first === files[0] && /^[a-z]+$/.test(first);
  if (mistyped) return misused(`there is no command ${first}`);
  if (files.length > 1) return misused('one configuration file is enough');
  return commands[command](chosenFile(files[0], process.env));
};

traceToSources();
// A command that goes on, as a running service does, resolves with no status.
const status = await run();
if (status !== undefined) process.exitCode = status;
