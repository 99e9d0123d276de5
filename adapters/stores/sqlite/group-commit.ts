import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { EmailKey } from '../../../domain/email-address.ts';
import { isUniqueViolation, troubleOf } from './errors.ts';
import { EventTable } from './event-table.ts';
import { columns, type Row } from './row.ts';
import type { Change, Outcome, Result, Write } from './writes.ts';

/** Applies groups of writes to an open database, each group in one transaction: one wait for the disk serves them all. */
export class GroupCommit {
  private readonly begin: Database.Statement<[]>;
  private readonly commit: Database.Statement<[]>;
  private readonly insert: Database.Statement<[EmailKey, string, ...Row]>;
  private readonly update: Database.Statement<[EmailKey, string, ...Row, EmailKey, string]>;
  private readonly remove: Database.Statement<[EmailKey, string]>;
  private readonly events: EventTable;

  constructor(private readonly database: Database.Database) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.insert = database.prepare(
      `INSERT INTO users (key, version, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.update = database.prepare(
      `UPDATE users SET (key, version, ${columns}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE key = ? AND version = ?`,
    );
    this.remove = database.prepare('DELETE FROM users WHERE key = ? AND version = ?');
    this.events = new EventTable(database);
  }

  /**
   * The result of each write, once all of them are on the disk. Throws when none was applied for sure;
   * the transaction may then still be open.
   */
  apply(writes: readonly Write[]): readonly Result[] {
    this.begin.run();
    const results = writes.map((write) => this.attempt(write));
    this.commit.run();
    return results;
  }

  private attempt(write: Write): Result {
    const result = this.outcomeOf(write);
    // Events that can't be written end the whole group: a savepoint around each change would cost more than the change.
    if (result === 'done' && 'events' in write && write.events !== undefined) this.events.add(write.events);
    return result;
  }

  /** A write is one statement, which SQLite undoes by itself when it fails: a savepoint around it would add nothing. */
  private outcomeOf(write: Write): Result {
    try {
      return this.run(write);
    } catch (error) {
      // Some errors end the transaction, and with it the whole group.
      if (!this.database.inTransaction) throw error;
      return isUniqueViolation(error) ? 'taken' : troubleOf(error);
    }
  }

  private run(write: Write): Outcome {
    switch (write.kind) {
      case 'claim':
        return this.events.claim(write);
      case 'delivered':
        return this.events.remove(write.event);
      case 'postpone':
        return this.events.postpone(write.event, write.due);
      case 'expire':
        return this.events.expire(write.before, write.limit);
      case 'check':
        // Writes the header of the file anew as it is, so that the commit has something to wait for. As it is: a newer
        // Latchkey may have taken a step meanwhile.
        this.database.pragma(`user_version = ${this.database.pragma('user_version', { simple: true })}`);
        return 'done';
      default:
        return this.change(write);
    }
  }

  private change(write: Change): Outcome {
    switch (write.kind) {
      case 'insert':
        this.insert.run(write.key, randomUUID(), ...write.row);
        return 'done';
      case 'replace': {
        const { changes } = this.update.run(write.key, randomUUID(), ...write.row, write.previous, write.version);
        return changes === 0 ? 'stale' : 'done';
      }
      case 'remove':
        return this.remove.run(write.previous, write.version).changes === 0 ? 'stale' : 'done';
    }
  }
}
