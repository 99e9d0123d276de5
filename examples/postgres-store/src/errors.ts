import { Fault } from 'latchkey/ports';
import { DatabaseError } from 'pg';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const transientCodes = /^(?:08|53|57P|58)|^(?:25006|40001|40P01|55P03|57014)$/;

/** Descriptions of frequent error codes. */
const descriptions: Readonly<Record<string, string>> = {
  '25006': 'the server is read-only',
  '28000': 'authentication failed',
  '28P01': 'authentication failed: the user or its password is wrong',
  '3D000': 'the database does not exist',
  '42501': 'the user lacks a privilege on the table',
  '42703': 'the table lacks a column; createTable: true adds it',
  '42P01': 'the table does not exist; createTable: true creates it',
  '53300': 'the server has too many connections',
  '55P03': 'the table is in use, so that it cannot be changed',
  '57014': 'the statement timed out',
  '57P01': 'the server was stopped',
  '57P03': 'the server is starting or stopping',
};

const codeOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Whether the primary key exists already. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** Whether the server rolled back because of a concurrent transaction: a serialization failure or a deadlock. */
export const isConflict = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/** Whether the table was in use, so that it could not be changed. */
export const isLocked = (error: unknown): boolean => codeOf(error) === '55P03';

/** Whether the server refused a statement, and keeps the connection. */
export const isRefusal = (error: unknown): boolean => error instanceof DatabaseError && error.severity !== 'FATAL';

/** Whether a failed transaction may have been committed, because the server sent no error for it. */
export const isUncertain = (error: unknown): boolean => !isRefusal(error);

const isBug = (error: unknown): error is Error => error instanceof TypeError || error instanceof RangeError;

/**
 * Maps an error of the driver or the server to a Fault: `store_unavailable` if the same call may succeed later,
 * `store_rejected` if not. Original texts are omitted, because they contain values, hosts and user names; the cause keeps
 * them for a debugger. The service logs only its name, its code and where it was thrown.
 */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const description = descriptions[code] ?? 'the server rejected the request';
    return new Fault(
      transientCodes.test(code) ? 'store_unavailable' : 'store_rejected',
      `PostgreSQL: ${description} (${code})`,
      { cause: error },
    );
  }
  if (isBug(error)) return new Fault('store_rejected', `PostgreSQL: ${error.name}`, { cause: error });
  // System and TLS errors have a code, such as ECONNREFUSED; errors of the driver have none.
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  const message = `PostgreSQL: the server cannot be reached, or is too slow${code}`;
  return new Fault('store_unavailable', message, { cause: error });
};
