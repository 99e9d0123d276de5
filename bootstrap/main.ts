#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type ChosenFile, chosenFile } from './configuration-file.ts';
import { exitStatus } from './exit-status.ts';
import { version } from './version.ts';

const usage = `Latchkey ${version}: a user account service

Usage:
  latchkey [serve] [FILE]         run the service
  latchkey check [FILE]           decode the configuration, reach the database and the mail provider, and say what is
                                  wrong
  latchkey backup DATABASE COPY   copy the file of the embedded database, also while the service runs

FILE is the configuration; without it LATCHKEY_CONFIG names it, and without that it is config/local.yaml. Where there
is none, the service runs for development, with its data in ./data.

Options:
  -h, --help                      show this
  -v, --version                   show the version
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

const parsed = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
  } catch (error) {
    return error instanceof Error ? error.message : 'these arguments are not understood';
  }
};

const run = async (): Promise<number | undefined> => {
  const args = parsed();
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
  if (first === 'backup') return runBackup(others);
  // A word without a dot or a slash is no file of ours: rather a command that was mistyped.
  const mistyped = command === 'serve' && first !== undefined && first === files[0] && /^[a-z]+$/.test(first);
  if (mistyped) return misused(`there is no command ${first}`);
  if (files.length > 1) return misused('one configuration file is enough');
  return commands[command](chosenFile(files[0], process.env));
};

// A command that goes on, as a running service does, resolves with no status.
const status = await run();
if (status !== undefined) process.exitCode = status;
