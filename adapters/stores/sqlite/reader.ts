import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import { isUserName, type UserKey, type UserName } from '../../../domain/user-name.ts';
import { type DatabaseFiles, filesAt } from './database-files.ts';
import { isInterruptedWrite } from './errors.ts';
import { GroupedReads } from './grouped-reads.ts';
import { appliedSteps } from './sqlite-database.ts';
import { coverFormerSchema, schemaVersion } from './sqlite-schema.ts';
import {
  decoyKey,
  decoySql,
  keyInNamed,
  requireUtf8,
  selectNamedSql,
  selectUserSql,
  toNamedUser,
  toStoredUser,
  type UserRow,
} from './sqlite-user-table.ts';

/**
 * How long a read waits for a lock. In WAL mode a writer blocks no reader; only the recovery of the log after another
 * process crashed does, and the event loop must not stop for it.
 */
const busyTimeoutMs = 100;

const openReadOnly = (path: string): Database.Database =>
  new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });

/** The default of `database.cacheMiB`, about as much as the driver gives to each connection. */
export const defaultCacheMiB = 16;

/** See AdapterContext. */
export interface ReaderOptions {
  readonly hideUnknownUsers?: boolean;
  readonly keepsNames?: boolean;
  /** The memory for pages that were read. SQLite takes it when it needs it. */
  readonly cacheMiB?: number | undefined;
}

/** Reads users on the calling thread: an indexed lookup takes less time than a message to another thread. */
export class Reader {
  private readonly byKey: Database.Statement<[EmailKey], UserRow>;
  private readonly byName: Database.Statement<[UserName], UserRow>;
  private readonly decoy: Database.Statement<[], UserRow> | undefined;
  private readonly any: Database.Statement<[]>;
  private readonly lookups: GroupedReads<UserKey, StoredUser | undefined>;
  /** The files that it has open. */
  readonly files: DatabaseFiles;

  private constructor(
    readonly database: Database.Database,
    { hideUnknownUsers = false, keepsNames = false, cacheMiB = defaultCacheMiB }: ReaderOptions,
    /** The version of the schema of the file, which is a former one only if `openAny` has opened it. */
    readonly schema = schemaVersion,
  ) {
    // Negative for KiB: https://www.sqlite.org/pragma.html#pragma_cache_size
    database.pragma(`cache_size = ${-cacheMiB * 1024}`);
    this.byKey = database.prepare<[EmailKey], UserRow>(`${selectUserSql} WHERE key = ?`).raw();
    this.byName = database.prepare<[UserName], UserRow>(selectNamedSql).raw();
    this.decoy = hideUnknownUsers ? database.prepare<[], UserRow>(decoySql(keepsNames)).raw() : undefined;
    this.any = database.prepare('SELECT key FROM users LIMIT 1');
    this.lookups = new GroupedReads(database, (key) => this.lookUp(key), setImmediate);
    this.files = filesAt(database.name);
  }

  /** Opens a database that has its tables; throws the error of SQLite. */
  static open(path: string, options: ReaderOptions): Reader {
    return new Reader(openReadOnly(path), options);
  }

  /**
   * Opens a database that has the current schema; undefined for any other, and for one whose last write was interrupted,
   * which the first write prepares. Throws UnsuitableFile or the error of SQLite.
   */
  static openIfReady(path: string, options: ReaderOptions): Reader | undefined {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const database = openReadOnly(path);
    let isReady = false;
    try {
      isReady = appliedSteps(database) === schemaVersion && database.pragma('journal_mode', { simple: true }) === 'wal';
    } catch (error) {
      if (!isInterruptedWrite(error)) throw error;
    } finally {
      if (!isReady) database.close();
    }
    return isReady ? new Reader(database, options) : undefined;
  }

  /** Opens a database as it is, also with a former schema. Throws UnsuitableFile or the error of SQLite. */
  static openAny(path: string): Reader {
    const database = openReadOnly(path);
    try {
      const schema = appliedSteps(database);
      if (schema < schemaVersion) coverFormerSchema(database);
      return new Reader(database, {}, schema);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * Finds a user in the state after the last commit; rejects with the error of SQLite. Lookups of one turn of the event
   * loop share a transaction.
   */
  find(key: UserKey): Promise<StoredUser | undefined> {
    return this.lookups.request(key);
  }

  private lookUp(key: UserKey): StoredUser | undefined {
    const isName = isUserName(key);
    const row = isName ? this.byName.get(key) : this.byKey.get(key);
    if (row !== undefined) {
      requireUtf8(this.database, row, isName ? keyInNamed(row) : key);
      return isName ? toNamedUser(row, key) : toStoredUser(row, key);
    }
    // Reads a row of the usual size, so that the lookup of an unknown user takes as long.
    const decoy = this.decoy?.get();
    if (decoy !== undefined) toStoredUser(decoy, decoyKey);
    return undefined;
  }

  /** Throws the error of SQLite when the table can't be read. */
  check(): void {
    this.any.get();
  }

  close(): void {
    this.lookups.answer();
    this.database.close();
  }
}
