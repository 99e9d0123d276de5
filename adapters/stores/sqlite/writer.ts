// The writer thread. Only this thread waits for the disk, so that a write never blocks the event loop of the service.
import { realpathSync, statSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import type { EmailKey } from '../../../domain/email-address.ts';
import { type DatabaseFiles, filesAt } from './database-files.ts';
import { EntryTable } from './entry-table.ts';
import { isUniqueViolation, toFailure, unavailable } from './errors.ts';
import { EventTable } from './event-table.ts';
import { openForWriting } from './sqlite-database.ts';
import {
  insertUserSql,
  moveUserSql,
  type PreviousUser,
  type UserRow,
  updateUserSql,
  type WrittenUser,
} from './sqlite-user-table.ts';
import type { Write, WriteOutcome, WriteResult, WriterRequest } from './write-queue.ts';

export interface WriterOptions {
  readonly path: string;
  /** How long the thread waits for the write of another process. */
  readonly busyTimeoutMs: number;
  /** The files that the reader has open; undefined if this thread opens them first. */
  readonly opened?: DatabaseFiles | undefined;
}

/** A change of a user is conditional on the version that was read. */
const outcomeOf = ({ changes }: Database.RunResult): WriteOutcome => (changes === 0 ? 'stale' : 'done');

/** Applies each group of writes in one transaction, so that they share one wait for the disk. */
export class GroupCommit {
  private readonly begin: Database.Statement<[]>;
  private readonly commit: Database.Statement<[]>;
  private readonly rollback: Database.Statement<[]>;
  private readonly insert: Database.Statement<[EmailKey, ...UserRow]>;
  private readonly update: Database.Statement<[...UserRow, EmailKey, string]>;
  private readonly move: Database.Statement<[EmailKey, ...UserRow, EmailKey, string]>;
  private readonly remove: Database.Statement<[EmailKey, string]>;
  private readonly entries: EntryTable;
  private readonly events: EventTable;

  constructor(private readonly database: Database.Database) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.rollback = database.prepare('ROLLBACK');
    this.insert = database.prepare(insertUserSql);
    this.update = database.prepare(updateUserSql);
    this.move = database.prepare(moveUserSql);
    this.remove = database.prepare('DELETE FROM users WHERE key = ? AND version = ?');
    this.entries = new EntryTable(database);
    this.events = new EventTable(database);
  }

  /**
   * The result of each write, once all of them are on the disk. Throws only if none of them was applied; the transaction
   * may then still be open.
   */
  apply(writes: readonly Write[]): readonly WriteResult[] {
    this.begin.run();
    let results: readonly WriteResult[];
    try {
      results = writes.map((write) => this.attempt(write));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      this.rollback.run();
      this.begin.run();
      results = writes.map((write) => this.attemptAlone(write));
    }
    this.commit.run();
    return results;
  }

  /** The same with a savepoint, so that a change with an event that is stored already fails alone. */
  private attemptAlone(write: Write): WriteResult {
    this.database.exec('SAVEPOINT change');
    let result: WriteResult;
    try {
      result = this.attempt(write);
    } catch (error) {
      if (!this.database.inTransaction) throw error;
      this.database.exec('ROLLBACK TO change');
      result = toFailure(error);
    }
    this.database.exec('RELEASE change');
    return result;
  }

  /** The first change of a write is one statement, which SQLite undoes by itself when it fails: it needs no savepoint. */
  private attempt(write: Write): WriteResult {
    let outcome: WriteOutcome;
    try {
      outcome = this.run(write);
    } catch (error) {
      const failure = toFailure(error);
      // Some errors end the transaction, and with it the whole group. A file that could only be read has to be opened again.
      if (!this.database.inTransaction || failure.isReadOnly) throw error;
      const taken = isUniqueViolation(error) && 'row' in write ? this.entries.takenAddress(write.key) : undefined;
      return taken ?? failure;
    }
    if (outcome === 'done' && 'entries' in write && write.entries !== undefined) this.entries.apply(write);
    // Events that can't be written fail the whole group, which is repeated if that is about a single change: a savepoint
    // for each change would cost more than the change.
    if (outcome === 'done' && 'events' in write && write.events !== undefined) this.events.add(write.events);
    return outcome;
  }

  private replace({ key, row, previous, version }: WrittenUser & PreviousUser): Database.RunResult {
    return key === previous
      ? this.update.run(...row, previous, version)
      : this.move.run(key, ...row, previous, version);
  }

  private run(write: Write): WriteOutcome {
    switch (write.kind) {
      case 'insert':
        return this.entries.refusalOf(write) ?? outcomeOf(this.insert.run(write.key, ...write.row));
      case 'replace':
        return this.entries.refusalOf(write, write) ?? outcomeOf(this.replace(write));
      case 'remove':
        return outcomeOf(this.remove.run(write.previous, write.version));
      case 'reserve':
        return this.entries.reserve(write);
      case 'check':
        // Writes the version in the file header again, so that the commit waits for the disk. It reads it first, because
        // a newer Latchkey may have migrated the file.
        this.database.pragma(`user_version = ${this.database.pragma('user_version', { simple: true })}`);
        return 'done';
      default:
        return this.events.run(write);
    }
  }
}

const movedFile = unavailable('a file of it was moved, removed or replaced; put it back, or start the service again');
const cutLog = unavailable('its write-ahead log was cut off; restore the database, or start the service again');

/**
 * Whether the log is shorter than what SQLite has in it, because another program has cut it off. SQLite would go on behind
 * the gap, and copy the gap into the database.
 */
const isLogCutOff = (database: Database.Database, target: string): boolean => {
  const [, pages = 0] = database.prepare<[], number[]>('PRAGMA wal_checkpoint(NOOP)').raw().get() ?? [];
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  // https://www.sqlite.org/fileformat.html#walformat
  return pages > 0 && statSync(`${target}-wal`).size < 32 + pages * (24 + pageBytes);
};

/** Answers each group of writes that comes through a port. */
const serve = (port: MessagePort, { path, busyTimeoutMs, opened }: WriterOptions): void => {
  let database: Database.Database | undefined;
  let groups: GroupCommit | undefined;
  /**
   * The files that were opened first, which the reader has open, too, with the length of the log after the last group. Only
   * another program, or SQLite after a checkpoint, shortens it. Undefined until the first write creates the log, unless the
   * reader has; then the first write examines a log of any length.
   */
  let files = opened && { ...opened, logBytes: Infinity };
  const close = (): void => {
    database?.close();
    database = undefined;
    groups = undefined;
  };
  const apply = (writes: readonly Write[]): readonly WriteResult[] => {
    try {
      // SQLite does not notice that files are replaced, and what it writes then is gone after a restart.
      const found = files && filesAt(path, files.target);
      if (found?.identity !== files?.identity) return writes.map(() => movedFile);
      database ??= openForWriting(path, busyTimeoutMs);
      const target = files?.target ?? realpathSync.native(path);
      const isShorter = found === undefined || files === undefined || found.logBytes < files.logBytes;
      if (isShorter && isLogCutOff(database, target)) return writes.map(() => cutLog);
      groups ??= new GroupCommit(database);
      const results = groups.apply(writes);
      files ??= filesAt(path, target);
      files = { ...files, logBytes: statSync(`${target}-wal`, { throwIfNoEntry: false })?.size ?? 0 };
      return results;
    } catch (error) {
      // Closing rolls back an open transaction; the next group opens a new connection.
      close();
      const failure = toFailure(error);
      return writes.map(() => failure);
    }
  };
  port.on('message', (request: WriterRequest) => {
    if (request !== 'close') return port.postMessage(apply(request));
    close();
    port.close();
  });
};

if (parentPort !== null) serve(parentPort, workerData);
