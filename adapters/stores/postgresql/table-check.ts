import { checkTimeoutMs } from '../../kit/definition.ts';
import type { Database } from './database.ts';

/**
 * Executes a write that changes nothing: it needs a primary, the tables and the permissions of every write. Resolves with a
 * line for operators.
 */
export const checkTables = async (database: Database): Promise<string> => {
  const { users, names } = database.tables;
  // No key and no name is empty.
  const probe = `WITH names AS (DELETE FROM ${names} WHERE name = '') DELETE FROM ${users} WHERE key = ''`;
  await database.call((run) => run(probe), Math.min(checkTimeoutMs, database.timeoutMs));
  return `table ${users} is read and written`;
};
