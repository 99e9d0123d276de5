import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder, version } from '../installed-package.ts';
import { type Command, exitStatus, UsageError, unknownCommand, withProgramName } from './command-line.ts';
import { commandHelp } from './help-texts.ts';

const overview = `Latchkey ${version}: a user account service

Usage:
  latchkey [serve] [FILE]          run the service
  latchkey check [FILE]            check the configuration and what it needs
  latchkey init --production       write a configuration for production
  latchkey key                     make a secret for an application
  latchkey migrate [FILE]          create the tables that the database lacks
  latchkey upgrade-check OTHER     compare with another version
  latchkey backup [DATABASE] COPY  copy the file of the embedded database
  latchkey export [FILE]           write every user as a line of JSON
  latchkey import USERS [FILE]     store the users of an exported file
  latchkey person WHO              gather or erase everything about a person
  latchkey ids [FILE]              give every user an id
  latchkey reindex [FILE]          find users by the unique properties
  latchkey expire [FILE]           delete the users who are inactive
  latchkey help [COMMAND]          show this text, or the help of a command

FILE is the configuration. Without it, Latchkey reads the file that
LATCHKEY_CONFIG names, or else config/local.yaml. If that file does not exist,
Latchkey uses its configuration for development, with its data in ./data.

Options:
  -h, --help     show the help of a command, as in: latchkey export --help
  -v, --version  show the version

Exit statuses: 0 done, 1 failed, 2 the command line or configuration is wrong.

Example:
  latchkey check latchkey.yaml && latchkey serve latchkey.yaml
`;

/** The path of a page: as seen from the working directory if that is shorter, and by its name if it is not installed. */
const pathOf = (page: string): string => {
  const file = fileURLToPath(new URL(`docs/${page}`, packageFolder));
  const seen = relative('', file);
  if (!existsSync(file)) return `docs/${page}`;
  return seen.length < file.length ? seen : file;
};

/**
 * The help of a command; without a name, and for help itself, the overview of all of them. Throws UsageError for an unknown
 * command.
 */
export const helpText = (name: string | undefined): string => {
  if (name === undefined || name === 'help')
    return `${withProgramName(overview)}\nDocumentation: ${pathOf('README.md')}\n`;
  const help = Object.hasOwn(commandHelp, name) ? commandHelp[name] : undefined;
  if (help === undefined) throw unknownCommand(name, Object.keys(commandHelp));
  return `${withProgramName(`${help.text}\nExample:\n  ${help.example}`)}\n\nDocumentation: ${pathOf(help.page)}\n`;
};

/** Prints the help of the command that the first operand names, or the overview. */
export const help: Command = async ({ positionals: [name, ...others] }) => {
  if (others.length > 0) throw new UsageError('help takes one command');
  process.stdout.write(helpText(name));
  return exitStatus.done;
};
