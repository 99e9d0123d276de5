import { backUp } from '../../adapters/stores/sqlite/database-backup.ts';
import { chosenFile, readConfiguration } from '../configuration/configuration-file.ts';
import { openLog } from '../log-output.ts';
import { CommandError, reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';

/** The file of the configured database. Throws CommandError if another program keeps the users. */
const configuredDatabase = async (): Promise<string> => {
  const chosen = chosenFile();
  for (const warning of chosen.warnings) process.stderr.write(`warn  ${warning}\n`);
  const { configuration } = await readConfiguration(chosen.path, await openLog('silent'));
  const { type, file } = configuration.database;
  if (file === null)
    throw new CommandError(`database.type is ${type}: latchkey backup copies only the file of type sqlite`);
  return file;
};

/**
 * Copies the file of the embedded store into a new file, whether the service runs or not, and prints one line. With one
 * operand, the copy, the database is that of the configuration.
 */
export const backup = async ({ positionals }: Arguments): Promise<number> => {
  const copy = positionals.at(-1);
  if (copy === undefined || positionals.length > 2)
    throw new UsageError('backup takes the new file, or the database file and the new file');
  try {
    const database = positionals.length === 2 ? String(positionals[0]) : await configuredDatabase();
    const users = backUp(database, copy);
    process.stdout.write(`ok    ${copy}: checked and on the disk, users: ${users}\n`);
    return exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
