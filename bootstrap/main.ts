#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { exitStatus } from './exit-status.ts';
import { version } from './version.ts';

const usage = `Latchkey ${version}: a user account service

Usage:
  latchkey [serve] [FILE]   run the service
  latchkey check [FILE]     decode the configuration, reach the database and the mail provider, and say what is wrong

FILE is the configuration; without it LATCHKEY_CONFIG names it, and without that it is config/local.yaml.

Options:
  -h, --help                show this
  -v, --version             show the version
`;

// Loaded when they are run: help and version need neither.
const commands = {
  serve: async (file: string) => (await import('./commands/serve.ts')).serve(file),
  check: async (file: string) => (await import('./commands/check.ts')).check(file),
} as const;
type Command = keyof typeof commands;

const isCommand = (word: string | undefined): word is Command => word !== undefined && Object.hasOwn(commands, word);

const parsed = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
  } catch {
    return undefined;
  }
};

const run = async (): Promise<number | undefined> => {
  const args = parsed();
  const [first, ...others] = args?.positionals ?? [];
  const [command, files] = isCommand(first) ? [first, others] : ['serve' as const, args?.positionals ?? []];
  if (args?.values.help) {
    process.stdout.write(usage);
    return exitStatus.done;
  }
  if (args?.values.version) {
    process.stdout.write(`${version}\n`);
    return exitStatus.done;
  }
  // A word without a dot or a slash is no file of ours: rather a command that was mistyped.
  const mistyped = command === 'serve' && first !== undefined && first === files[0] && /^[a-z]+$/.test(first);
  if (args === undefined || files.length > 1 || mistyped) {
    process.stderr.write(usage);
    return exitStatus.wrongConfiguration;
  }
  return commands[command](files[0] ?? (process.env.LATCHKEY_CONFIG || 'config/local.yaml'));
};

// A command that goes on, as a running service does, resolves with no status.
const status = await run();
if (status !== undefined) process.exitCode = status;
