import { Fault } from 'latchkey/ports';
import { DatabaseError } from 'pg';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const passing = /^(?:08|53|57P|58)|^(?:25006|40001|40P01|55P03|57014)$/;

/** What operators call the codes that they meet. */
const plainWords: Readonly<Record<string, string>> = {
  '25006': 'the server takes no writes',
  '28000': 'authentication failed',
  '28P01': 'authentication failed: the user or its password is wrong',
  '3D000': 'there is no such database',
  '42501': 'the user lacks a privilege on the table',
  '42P01': 'there is no such table; createTable: true makes it',
  '53300': 'the server has no connection left',
  '57014': 'the operation took too long',
  '57P01': 'the server was stopped',
  '57P03': 'the server starts or stops',
};

const codeOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Whether the primary key refused a second row. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** Whether the server undid a statement because of another one at the same moment: a serialization failure, or a deadlock. */
export const isUndone = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/** Whether the server may have applied a statement although it failed: anything but an answer of the server about it. */
export const isUncertain = (error: unknown): boolean => !(error instanceof DatabaseError) || error.severity === 'FATAL';

const isBug = (error: unknown): error is Error => error instanceof TypeError || error instanceof RangeError;

/**
 * The Fault for whatever the driver or the server threw: `store_unavailable` when the same call may succeed later,
 * `store_rejected` when it will not. Their texts are left out, because they repeat values, hosts and names of users.
 */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const words = plainWords[code] ?? 'the server refused';
    return new Fault(passing.test(code) ? 'store_unavailable' : 'store_rejected', `PostgreSQL: ${words} (${code})`);
  }
  if (isBug(error)) return new Fault('store_rejected', `PostgreSQL: ${error.name}`);
  // A code of the system or of TLS, such as ECONNREFUSED. The driver's own errors have none.
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  return new Fault('store_unavailable', `PostgreSQL: the server can not be reached, or is too slow${code}`);
};
