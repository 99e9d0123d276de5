import { checkTimeoutMs } from '../../kit/definition.ts';
import { type Inspected, plainName } from './catalogue.ts';
import type { Database } from './database.ts';

/** Writes that change nothing, and need the permissions of all others to these columns. */
const probeOf = ({ table, columns }: Inspected['existing'][number]): readonly string[] => {
  const all = columns.join(', ');
  return [
    `INSERT INTO ${table} (${all}) SELECT ${all} FROM ${table} WHERE false`,
    `UPDATE ${table} SET (${all}) = ROW(${all}) WHERE false`,
    `DELETE FROM ${table} WHERE false`,
  ];
};

/**
 * Executes writes that change nothing: they need a primary, the tables and the permissions of every write. Resolves with a
 * line for operators.
 */
export const checkTables = async (database: Database): Promise<string> => {
  const { tables, preparation } = database;
  await database.call(
    (run) => run(...preparation.existing.flatMap(probeOf)),
    Math.min(checkTimeoutMs, database.timeoutMs),
  );
  return [`table ${plainName(tables.users)} is read and written`, ...preparation.describe()].join('; ');
};
