import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Listing, UserPage } from '../../../application/ports/user-listing.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import type { EmailKey } from '../../../domain/email-address.ts';
import { stepsMarked } from './database.ts';
import { Lister } from './lister.ts';
import { columns, nobodysRow, type Row, toUser } from './row.ts';
import { schemaVersion } from './schema.ts';

/**
 * How long a read waits for a lock, in milliseconds. In WAL mode a writer blocks no reader; only the repair of the log
 * after another process crashed does, and the event loop must not stand still for it.
 */
const patience = 100;

/** Opens a file that exists for reading only; throws the error of SQLite. */
const openToRead = (path: string): Database.Database =>
  new Database(path, { readonly: true, fileMustExist: true, timeout: patience });

/** Reads users on the calling thread: an indexed lookup takes less time than a message to another thread. */
export class Reader {
  private readonly byKey: Database.Statement<[EmailKey], [...Row, version: string]>;
  /** Read where there is nobody, so that it takes as long as where there is somebody. */
  private readonly nobody: Database.Statement<[], [...Row, version: string]> | undefined;
  /** Made when somebody lists for the first time. */
  private lister: Lister | undefined;
  private readonly any: Database.Statement<[]>;
  /** Made when somebody asks for events for the first time, as most services never do. */
  private due: Database.Statement<[string, number]> | undefined;
  private pending: Database.Statement<[string, number], number> | undefined;
  private old: Database.Statement<[number]> | undefined;

  private constructor(
    private readonly database: Database.Database,
    evenReads: boolean,
  ) {
    this.byKey = this.database
      .prepare<[EmailKey], [...Row, version: string]>(`SELECT ${columns}, version FROM users WHERE key = ?`)
      // An array is cheaper to make than an object with named members.
      .raw();
    this.nobody = evenReads
      ? this.database.prepare<[], [...Row, version: string]>(`SELECT ${nobodysRow}`).raw()
      : undefined;
    this.any = this.database.prepare('SELECT key FROM users LIMIT 1');
  }

  /** Opens a database that exists and has its table; throws the error of SQLite. `evenReads` is that of AdapterContext. */
  static open(path: string, evenReads: boolean): Reader {
    return new Reader(openToRead(path), evenReads);
  }

  /**
   * Opens a database that exists and has the current schema; undefined for any other, which is prepared by the first
   * write. Throws UnsuitableFile, or the error of SQLite.
   */
  static ofReadyFile(path: string, evenReads: boolean): Reader | undefined {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    const database = openToRead(path);
    let isReady = false;
    try {
      isReady = stepsMarked(database) === schemaVersion && database.pragma('journal_mode', { simple: true }) === 'wal';
    } finally {
      if (!isReady) database.close();
    }
    return isReady ? new Reader(database, evenReads) : undefined;
  }

  /** The state after the last commit: every lookup is a transaction of its own. */
  find(key: EmailKey): StoredUser | undefined {
    const row = this.byKey.get(key);
    if (row !== undefined) return { user: toUser(row), version: row[9] };
    const decoy = this.nobody?.get();
    if (decoy !== undefined) toUser(decoy);
    return undefined;
  }

  /** The state after the last commit, too: a page is one transaction, or two. */
  list(listing: Listing): UserPage {
    this.lister ??= new Lister(this.database);
    return this.lister.list(listing);
  }

  /** Whether an event of a destination may be claimed at a time, in milliseconds since the epoch. */
  isDue(destination: string, now: number): boolean {
    this.due ??= this.database.prepare('SELECT 1 FROM events WHERE destination = ? AND due <= ? LIMIT 1');
    return this.due.get(destination, now) !== undefined;
  }

  /** How many events of a destination wait, counted up to `most`. */
  pendingEvents(destination: string, most: number): number {
    this.pending ??= this.database
      .prepare<[string, number], number>('SELECT count(*) FROM (SELECT 1 FROM events WHERE destination = ? LIMIT ?)')
      .pluck();
    return this.pending.get(destination, most) ?? 0;
  }

  /** Whether an event of any destination happened before a time, in milliseconds since the epoch. */
  hasEventBefore(time: number): boolean {
    this.old ??= this.database.prepare('SELECT 1 FROM events WHERE time < ? LIMIT 1');
    return this.old.get(time) !== undefined;
  }

  /** Throws the error of SQLite when the table can't be read. */
  check(): void {
    this.any.get();
  }

  close(): void {
    this.database.close();
  }
}
