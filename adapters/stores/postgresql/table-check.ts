import { Fault } from '../../../application/fault.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { type Inspected, plainName } from './catalogue.ts';
import type { Database } from './database.ts';
import { isForbidden, toFault } from './errors.ts';

/** Writes that change nothing, and need the permissions of all others to these columns. */
const probeOf = ({ table, columns }: Inspected['existing'][number]): readonly string[] => {
  const all = columns.join(', ');
  return [
    `INSERT INTO ${table} (${all}) SELECT ${all} FROM ${table} WHERE false`,
    `UPDATE ${table} SET (${all}) = ROW(${all}) WHERE false`,
    `DELETE FROM ${table} WHERE false`,
  ];
};

/** No privilege is needed for these. */
const findServer = `SELECT current_setting('server_version'), (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()),
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') <> 'local'`;

/**
 * Executes writes that change nothing: they need a primary, the tables and the permissions of every write. Resolves with a
 * line for operators.
 */
export const checkTables = async (database: Database): Promise<string> => {
  const { tables, preparation } = database;
  const timeoutMs = Math.min(checkTimeoutMs, database.timeoutMs);
  const rows = await database
    .call((run) => run(...preparation.existing.flatMap(probeOf), findServer), timeoutMs)
    .catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      const { code, message } = toFault(error);
      throw new Fault(code, `${message}; latchkey migrate --print lists all that it needs`, { cause: error });
    });
  const [version, isEncrypted, isReplicated] = rows[0] ?? [];
  const server = [
    `PostgreSQL ${version?.split(' ')[0]}`,
    isEncrypted === 't' ? 'encrypted' : 'not encrypted',
    // A write that only an asynchronous standby lacks is lost with the primary.
    isReplicated === 't' ? 'writes wait for a standby' : 'writes wait for no standby',
  ];
  return [`table ${plainName(tables.users)} is read and written`, server.join(', '), ...preparation.describe()].join(
    '; ',
  );
};
