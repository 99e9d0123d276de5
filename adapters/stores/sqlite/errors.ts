import Database from 'better-sqlite3';
import { Fault } from '../../../application/fault.ts';

/** What went wrong with the database, in a form that passes between threads. `reason` holds no value of a user. */
export interface Trouble {
  readonly code: 'store_unavailable' | 'store_rejected';
  readonly reason: string;
  /** Whether the content of the file is broken, so that it will not get well by itself. */
  readonly damaged: boolean;
}

/** A database file that this version must not touch. */
export class UnsuitableFile extends Error {}

const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|NOMEM|PERM|READONLY|PROTOCOL)(_|$)/;
const damage = /^SQLITE_(CORRUPT|NOTADB)(_|$)/;

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Classifies what SQLite, the file system or our own checks threw. Anything unknown is a rejection. */
export const troubleOf = (error: unknown): Trouble => {
  if (error instanceof UnsuitableFile) return { code: 'store_rejected', reason: error.message, damaged: false };
  if (error instanceof Database.SqliteError) {
    const damaged = damage.test(error.code);
    const code = damaged || passing.test(error.code) ? 'store_unavailable' : 'store_rejected';
    // SQLite's texts name tables and columns, never a value.
    return { code, reason: `${error.message} (${error.code})`, damaged };
  }
  // A file system error; its text is left out because it repeats the path.
  if (error instanceof Error && 'syscall' in error) {
    return { code: 'store_unavailable', reason: codeOf(error) ?? 'a file system error', damaged: false };
  }
  return { code: 'store_rejected', reason: error instanceof Error ? error.name : 'an unknown error', damaged: false };
};

/** Whether SQLite refused a second row of a key. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || error.code === 'SQLITE_CONSTRAINT_UNIQUE');

/** The Fault that tells callers and operators about a trouble with the database at a path. */
export const faultOf = (path: string, { code, reason }: Trouble): Fault =>
  new Fault(code, `database ${path}: ${reason}`);
