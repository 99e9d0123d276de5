import { exitStatus } from './exit-status.ts';
import { reportFailure } from './report.ts';

/** Copies the file of the embedded store into a new one, while the service runs or not, and prints a line about it. */
export const backup = async (database: string, copy: string): Promise<number> => {
  try {
    const { backUp } = await import('../../adapters/stores/sqlite/backup.ts');
    const users = backUp(database, copy);
    process.stdout.write(`ok    ${copy}: checked and on the disk, users: ${users}\n`);
    return exitStatus.done;
  } catch (error) {
    return reportFailure(error);
  }
};
