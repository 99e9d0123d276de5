import { reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, UsageError } from './command-line.ts';

/** Copies the file of the embedded store into a new file, whether the service runs or not, and prints one line. */
export const backup = async ({ positionals: [database, copy, ...others] }: Arguments): Promise<number> => {
  if (database === undefined || copy === undefined || others.length > 0)
    throw new UsageError('backup takes the database file and the new file');
  try {
    const { backUp } = await import('../../adapters/stores/sqlite/database-backup.ts');
    const users = backUp(database, copy);
    process.stdout.write(`ok    ${copy}: checked and on the disk, users: ${users}\n`);
    return exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
