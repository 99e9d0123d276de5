import {
  type Command,
  type DatabaseCommand,
  databaseCommands,
  exitStatus,
  parseCommandLine,
  programName,
  UsageError,
  unknownCommand,
} from './commands/command-line.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import { version } from './installed-package.ts';
import { traceToSources } from './source-maps.ts';
import { exitOnBug, exitOnBugs } from './unexpected-errors.ts';

// A command is loaded when it runs, those that work on a database together with the service.
const help = async (): Promise<Command> => (await import('./commands/help.ts')).help;
const serve = async (): Promise<Command> => (await import('./commands/serve.ts')).serve;
const loadOnDatabase = (name: DatabaseCommand) => async (): Promise<Command> =>
  (await import('./commands/index.ts')).onDatabases[name];
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve,
  init: async () => (await import('./commands/init.ts')).init,
  key: async () => (await import('./commands/key.ts')).key,
  'upgrade-check': async () => (await import('./commands/upgrade-check.ts')).upgradeCheck,
  ...Object.fromEntries(databaseCommands.map((name) => [name, loadOnDatabase(name)])),
  help,
};

const isCommand = (word: string | undefined): word is string => word !== undefined && Object.hasOwn(commands, word);

const hasWorkingDirectory = (): boolean => {
  try {
    process.cwd();
    return true;
  } catch {
    return false;
  }
};

/**
 * Runs the command that the command line names; without a name, the positional argument is a configuration to serve.
 */
const run = async (): Promise<number | undefined> => {
  // Relative paths have no meaning without it, and packages that ask for it fail while they are loaded.
  if (!hasWorkingDirectory()) {
    process.stderr.write('latchkey: the working directory does not exist any more; change to another one\n');
    return exitStatus.failed;
  }
  const { values, positionals } = parseCommandLine();
  const [first, ...others] = positionals;
  if (values.help) {
    const about = first === 'help' ? others : isCommand(first) ? [first] : [];
    return (await help())({ values, positionals: about });
  }
  if (values.version) {
    process.stdout.write(`${version}\n`);
    return exitStatus.done;
  }
  if (isCommand(first)) {
    const command = await commands[first]?.();
    return command?.({ values, positionals: others });
  }
  // A word without a dot or a slash is more likely a mistyped command than a file.
  if (first !== undefined && /^[a-z]+$/.test(first)) throw unknownCommand(first, Object.keys(commands));
  return (await serve())({ values, positionals });
};

// Output that cannot be written changes neither what a command has done nor its status, and ends no service.
let hasReported = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe, as `head` does. A terminal that was closed answers EIO.
  if (error.code === 'EPIPE' || (error.code === 'EIO' && process.stdout.isTTY) || hasReported) return;
  hasReported = true;
  process.stderr.write(`latchkey: standard output cannot be written: ${error.code}\n`);
});
process.stderr.on('error', () => undefined);

// With nothing left that could continue it, Node.js would end as if all was done.
const failUnfinished = (): void => {
  process.stderr.write('latchkey: ended without a result: an adapter waits for something that does not happen\n');
  process.exitCode = exitStatus.failed;
};

/** How long what an adapter left open may keep a command that is done. */
const lingerMs = 5_000;

/** Ends the process if it does not end by itself. */
const endLater = (): void => {
  const end = (): void => {
    if (process.stdout.writableLength > 0) {
      endLater();
      return;
    }
    // After a failure, the timer or connection may belong to a call that got no response, as the command has said.
    if (process.exitCode === exitStatus.done)
      process.stderr.write('latchkey: an adapter keeps a timer or a connection open after it was closed\n');
    process.exit();
  };
  setTimeout(end, lingerMs).unref();
};

traceToSources();
exitOnBugs();
process.once('beforeExit', failUnfinished);
try {
  const status = await run();
  // The service keeps running, and therefore has no status yet.
  if (status === undefined) boundHeapGrowth();
  else {
    process.exitCode = status;
    endLater();
  }
} catch (error) {
  if (!(error instanceof UsageError)) exitOnBug(error);
  else {
    const command = process.argv.slice(2).find(isCommand);
    const of = command === undefined || command === 'help' ? '' : ` ${command}`;
    process.stderr.write(`latchkey: ${error.message}\nSee: ${programName()} help${of}\n`);
    process.exitCode = exitStatus.wrongConfiguration;
  }
} finally {
  process.off('beforeExit', failUnfinished);
}
