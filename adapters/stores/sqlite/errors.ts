import Database from 'better-sqlite3';
import { Fault } from '../../../application/fault.ts';

/** A failure of the database, as it passes between threads. `reason` holds no value of a user. */
export interface DatabaseFailure {
  readonly code: 'store_unavailable' | 'store_rejected';
  readonly reason: string;
  /** Whether the content of the file is damaged, so that only a restore helps. */
  readonly isDamage: boolean;
  /** Whether the disk is full, or failed. */
  readonly isOfDisk: boolean;
  /** Whether the file, or its -shm, could only be read when it was opened. */
  readonly isReadOnly: boolean;
  /** The error of another kind than SQLite's, whose text is not in the reason. */
  readonly cause?: Error;
}

/** A database file that this version must not change. */
export class UnsuitableFile extends Error {}

const temporary = /^SQLITE_(BUSY|LOCKED|CANTOPEN|NOMEM|PERM|PROTOCOL)(_|$)/;
const ofDisk = /^SQLITE_(FULL|IOERR)(_|$)/;
const readOnly = /^SQLITE_READONLY(_|$)/;
const damage = /^SQLITE_(CORRUPT|NOTADB)(_|$)/;

export const unavailable = (reason: string): DatabaseFailure => ({
  code: 'store_unavailable',
  reason,
  isDamage: false,
  isOfDisk: false,
  isReadOnly: false,
});
const rejected = (reason: string): DatabaseFailure => ({ ...unavailable(reason), code: 'store_rejected' });

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * Whether only a connection that may write can read the file, because a write was interrupted that has to be rolled back:
 * of a new or restored file, which is not yet in WAL mode (https://www.sqlite.org/rescode.html#readonly_rollback).
 */
export const isInterruptedWrite = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK';

/** What the messages of SQLite leave out. */
const additions: Readonly<Record<string, string>> = {
  // The usual reason why the -shm file of the database cannot get its size.
  SQLITE_IOERR_SHMSIZE: ', probably because the disk is full',
  // A file that exists cannot be opened without those that SQLite adds.
  SQLITE_CANTOPEN: ', or its -wal and -shm in a read-only folder',
};

/** Classifies an error of SQLite, of the file system or of this adapter. An unknown one is a rejection. */
export const toFailure = (error: unknown): DatabaseFailure => {
  if (error instanceof UnsuitableFile) return rejected(error.message);
  if (isInterruptedWrite(error))
    return unavailable('its last write was interrupted, which the start of the service undoes');
  if (error instanceof Database.SqliteError) {
    // The messages of SQLite name tables and columns, never a value.
    const reason = `${error.message}${additions[error.code] ?? ''} (${error.code})`;
    if (damage.test(error.code)) return { ...unavailable(reason), isDamage: true };
    if (ofDisk.test(error.code)) return { ...unavailable(reason), isOfDisk: true };
    if (readOnly.test(error.code)) return { ...unavailable(reason), isReadOnly: true };
    return temporary.test(error.code) ? unavailable(reason) : rejected(reason);
  }
  if (!(error instanceof Error)) return rejected('an unknown error');
  // The message of a file system error repeats the path.
  if ('syscall' in error) return { ...unavailable(codeOf(error) ?? 'a file system error'), cause: error };
  return { ...rejected(error.name), cause: error };
};

/** Whether SQLite refused a second row with the same key. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Database.SqliteError &&
  (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || error.code === 'SQLITE_CONSTRAINT_UNIQUE');

/** The Fault for a failure of the database at a path. */
export const toFault = (path: string, { code, reason, cause }: DatabaseFailure): Fault =>
  new Fault(code, `database ${path}: ${reason}`, { cause });
