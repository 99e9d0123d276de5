import { DatabaseError } from 'pg';
import { Fault } from '../../../application/fault.ts';
import { UnreadableReply } from './guarded-client.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html. The same call may succeed later: connection exceptions,
// insufficient resources, operator intervention, system errors, ended transactions, and those that met others.
const transientCodes = /^(?:08|53|57P|58)|^(?:25006|25P0[34]|40001|40003|40P01|55006|55P03|57014)$/;
/** Of 08P01, which PgBouncer returns for everything, these do not pass by themselves. Its texts are never translated. */
const permanentRefusals = /^unsupported startup parameter|^no such/;
/** After these, whether a statement was applied is unknown. */
const endedConnections = /^(?:08|25P0[34]|57P|58|XX)/;

/** By code, or by the routine of the server where that says more. */
const descriptions: Readonly<Record<string, string>> = {
  '08P01': 'the pooler refused the connection, such as for a wrong password, or has none to the server',
  '22012': 'a trigger or a rule of a table kept a user or an event from being stored',
  '25006': 'the server is a standby (connectionString has to name all hosts), or default_transaction_read_only is on',
  '28000': 'authentication failed',
  '28P01': 'authentication failed: the user or its password is wrong',
  '3D000': 'the database does not exist',
  '3F000': 'the schema does not exist',
  '42501': 'the user lacks a privilege',
  '42703': 'a table lacks a column',
  '42803': 'a table lacks its primary key',
  '42P01': 'a table does not exist',
  '53100': 'the disk is full',
  '53300': 'the server has too many connections',
  '55P03': 'a table is in use, so that it cannot be changed',
  '57014': 'the statement timed out',
  '57P01': 'the server was stopped',
  '57P03': 'the server is starting or stopping',
  XX001: 'data on the disk of the server are damaged',
  XX002: 'an index on the disk of the server is damaged',
  check_enable_rls: 'row level security may hide rows from this role',
};

const codeOf = (error: unknown): string | undefined => (error instanceof DatabaseError ? error.code : undefined);

/** Whether a key exists already. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505';

/** Whether a Fault is about a table that was in use for too long. */
export const isLocked = (fault: unknown): boolean => fault instanceof Fault && codeOf(fault.cause) === '55P03';

/** Whether a Fault is about a privilege that the role of the service lacks. */
export const isForbidden = (fault: unknown): boolean => fault instanceof Fault && codeOf(fault.cause) === '42501';

/** Whether a Fault is about something on the disk of the server that it could not read, which may be one record. */
export const isDamage = (fault: unknown): fault is Fault =>
  fault instanceof Fault && /^(?:58|XX)/.test(codeOf(fault.cause) ?? '');

/** Whether the server rolled back because of a concurrent transaction: a serialization failure or a deadlock. */
export const isConflict = (error: unknown): boolean => codeOf(error) === '40001' || codeOf(error) === '40P01';

/** Whether the server is a standby, or takes no writes for another reason. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006';

/** Whether a connection was refused because the server, or PgBouncer, has too many. One that is open may come free soon. */
export const isFull = (error: unknown): boolean =>
  codeOf(error) === '53300' || (error instanceof DatabaseError && error.message.startsWith('no more connections'));

/** Whether a database accepts no connections for now (ALLOW_CONNECTIONS). Statements have the same code for other reasons. */
const isClosed = ({ code, routine }: DatabaseError): boolean => code === '55000' && routine === 'CheckMyDatabase';

/** Whether a connection was refused because of its password. Some methods of authentication have the general code. */
export const isWrongPassword = (error: unknown): boolean => codeOf(error) === '28P01' || codeOf(error) === '28000';

/**
 * Whether the server refused a statement, rolled it back, and keeps the connection. `Database` makes a Fault of an error
 * after which the connection ended, whatever its code.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.severity !== 'FATAL' &&
  error.severity !== 'PANIC' &&
  !endedConnections.test(error.code ?? '');

/** Whether the severity of an error of the server is in another language (`lc_messages`), and may be one that ends the connection. */
export const isTranslated = (error: unknown): boolean => error instanceof DatabaseError && error.severity !== 'ERROR';

/** The code of an error of the system, such as ECONNREFUSED, or of TLS, in parentheses; errors of the driver have none. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code !== null ? ` (${error.code})` : '';

/** Why there is no connection. */
const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  const code = systemCode(error);
  if (code.includes('ALTNAME'))
    return `the certificate of the server names another host than the connection string${code}`;
  if (/CERT|SIGNATURE/.test(code))
    return `the certificate of the server is not trusted${code}; caFile names those that are`;
  if (message.includes('support SSL'))
    return 'the server offers no TLS; with sslmode=disable in the connection string it is used without';
  if (message.includes('client password')) return 'authentication failed: the server expects a password';
  if (error instanceof UnreadableReply)
    return 'the driver cannot read what the server sent, such as a request for GSSAPI or SSPI';
  return `the server cannot be reached, or is too slow${code}`;
};

/**
 * Maps an error of the driver or the server to a Fault: `store_unavailable` if the same call may succeed later,
 * `store_rejected` if not. Original texts are omitted, because they contain values, hosts and user names.
 */
export const toFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (code === '08P01' && permanentRefusals.test(error.message)) {
      const text = 'the pooler refused the user, the database, or a parameter such as those of PGOPTIONS';
      return new Fault('store_rejected', `PostgreSQL: ${text} (${code})`, { cause: error });
    }
    if (isClosed(error))
      return new Fault('store_unavailable', `PostgreSQL: the database accepts no connections (${code})`, {
        cause: error,
      });
    const description = descriptions[error.routine ?? ''] ?? descriptions[code] ?? 'the server rejected the request';
    // An English server names what is forbidden, which is no value.
    const [, what = ''] = /^permission denied( for (?:schema|table) \w+)$/.exec(error.message) ?? [];
    return new Fault(
      transientCodes.test(code) ? 'store_unavailable' : 'store_rejected',
      `PostgreSQL: ${description}${what} (${code})`,
      { cause: error },
    );
  }
  if (error instanceof TypeError || error instanceof RangeError)
    return new Fault('store_rejected', `PostgreSQL: ${error.name}`, { cause: error });
  return new Fault('store_unavailable', `PostgreSQL: ${reasonOf(error)}`, { cause: error });
};
