import { Fault } from 'latchkey/ports';
import type { QueryError } from 'mysql2';

// https://mariadb.com/kb/en/mariadb-error-code-reference/
const transientErrors: Readonly<Record<number, string>> = {
  1020: 'the row was changed by another transaction',
  1021: 'the disk is full',
  1040: 'the server has too many connections',
  1047: 'the node of the cluster is not ready',
  1053: 'the server was stopped',
  1114: 'the table is full',
  1180: 'the transaction could not be committed',
  1203: 'the user has too many connections',
  1205: 'a lock was not released in time',
  1213: 'the transaction met another one',
  1226: 'the user has exceeded a limit',
  1290: 'the server is read-only',
  1317: 'the statement was interrupted',
  1412: 'the table was changed',
  1792: 'the transaction is read-only',
  1836: 'the server is read-only',
  1927: 'the connection was killed',
  1969: 'the statement timed out',
};

/** Descriptions of frequent errors that remain until an operator acts. */
const lastingErrors: Readonly<Record<number, string>> = {
  1044: 'the user lacks access to the database',
  1045: 'authentication failed: the user or its password is wrong',
  1049: 'the database does not exist',
  1054: 'the table lacks a column; createTables: true adds it',
  1142: 'the user lacks a privilege on the table',
  1146: 'the table does not exist; createTables: true creates it',
  1153: 'the user is larger than max_allowed_packet',
};

const isServerError = (error: unknown): error is QueryError & { readonly errno: number } =>
  error instanceof Error && 'sqlState' in error && 'errno' in error && typeof error.errno === 'number';

const errnoOf = (error: unknown): number | undefined => (isServerError(error) ? error.errno : undefined);

/** Whether a unique key exists already. */
export const isDuplicate = (error: unknown): boolean => errnoOf(error) === 1062;

/** Whether another transaction was in the way: a deadlock, or a lock that was not released in time. */
export const isConflict = (error: unknown): boolean => [1020, 1205, 1213].includes(errnoOf(error) ?? 0);

/** Whether a statement did not end in time, such as a change of a table that is in use. */
export const isStatementTimeout = (error: unknown): boolean => errnoOf(error) === 1969;

/** Whether the server refused a statement, and keeps the connection. Otherwise a transaction may have been committed. */
export const isRefusal = (error: unknown): boolean =>
  isServerError(error) && error.fatal !== true && ![1053, 1180, 1927].includes(error.errno);

/**
 * Maps an error of the driver or the server to a Fault: `store_unavailable` if the same call may succeed later,
 * `store_rejected` if not. Original texts are omitted, because they contain values, hosts and user names; the cause keeps
 * them for a debugger. The service logs only its name, its code and where it was thrown.
 */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (isServerError(error)) {
    const { errno } = error;
    const transient = transientErrors[errno];
    const description = transient ?? lastingErrors[errno] ?? 'the server rejected the request';
    return new Fault(
      transient === undefined ? 'store_rejected' : 'store_unavailable',
      `MariaDB: ${description} (${errno})`,
      { cause: error },
    );
  }
  if (error instanceof TypeError || error instanceof RangeError)
    return new Fault('store_rejected', `MariaDB: ${error.name}`, { cause: error });
  // System and TLS errors have a code, such as ECONNREFUSED.
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  const message = `MariaDB: the server cannot be reached, or is too slow${code}`;
  return new Fault('store_unavailable', message, { cause: error });
};
