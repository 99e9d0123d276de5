import type Database from 'better-sqlite3';
import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type EventValues, StoredEvents } from '../stored-event.ts';
import { type ClaimedRow, isOld } from './event-table.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

type WaitingRow = [...ClaimedRow, due: number];

class Statements {
  readonly due: Database.Statement<[string, number]>;
  readonly pending: Database.Statement<[string, number], number>;
  readonly old: Database.Statement<[number]>;
  readonly destinations: Database.Statement<[], string>;
  /** Ids start with the time. */
  readonly page: Database.Statement<[string, string, number], WaitingRow>;

  constructor(readonly database: Database.Database) {
    this.due = database.prepare('SELECT 1 FROM events WHERE destination = ? AND due <= ? LIMIT 1');
    this.pending = database
      .prepare<[string, number], number>('SELECT count(*) FROM (SELECT 1 FROM events WHERE destination = ? LIMIT ?)')
      .pluck();
    this.page = database
      .prepare<[string, string, number], WaitingRow>(
        `SELECT id, time, body, attempts, due FROM events WHERE destination = ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .raw();
    this.destinations = database.prepare<[], string>('SELECT DISTINCT destination FROM events').pluck();
    this.old = database.prepare(`SELECT 1 FROM events WHERE ${isOld} LIMIT 1`);
  }
}

/**
 * The events in the file of the users. Most calls find nothing to do, so that they read on the main thread before they
 * queue a write.
 */
export class SqliteEventOutbox extends EventOutbox {
  private readonly stored: StoredEvents;
  private statements: Statements | undefined;

  constructor(
    private readonly connection: SqliteConnection,
    log: Log,
  ) {
    super();
    this.stored = new StoredEvents(log);
  }

  async add(events: readonly QueuedEvent[]): Promise<void> {
    if (events.length > 0) await this.connection.write({ kind: 'add', events });
  }

  async claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    if (!(await this.query(({ due }) => due.get(destination, lease.now) !== undefined))) return [];
    const outcome = await this.connection.write({ kind: 'claim', destination, limit, lease });
    if (typeof outcome === 'string' || !('claimed' in outcome)) return [];
    return this.stored.decode(outcome.claimed.map((event) => ({ ...event, due: lease.until })));
  }

  async done({ destination, receipt }: ClaimedEvent): Promise<void> {
    await this.connection.write({ kind: 'delivered', destination, receipt });
  }

  async postpone(event: ClaimedEvent, due: number): Promise<void> {
    await this.connection.write({ kind: 'postpone', event, due });
  }

  pending(destination: string, most: number): Promise<number> {
    return this.query(({ pending }) => pending.get(destination, most) ?? 0);
  }

  async list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    const rows = await this.query(({ page }) => page.all(destination, after, limit));
    const valuesIn = ([id, time, body, attempts, due]: WaitingRow): EventValues => ({
      ...{ id, destination, time, body, attempts, due },
      receipt: id,
    });
    return this.stored.page(rows.map(valuesIn), limit);
  }

  destinations(): Promise<readonly string[]> {
    return this.query(({ destinations }) => destinations.all());
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    if (!(await this.query(({ old }) => old.get(before) !== undefined))) return new Map();
    const outcome = await this.connection.write({ kind: 'expire', before, limit });
    return typeof outcome === 'object' && 'expired' in outcome ? outcome.expired : new Map();
  }

  private query<Result>(run: (statements: Statements) => Result): Promise<Result> {
    return this.connection.read(({ database }) => {
      if (this.statements?.database !== database) this.statements = new Statements(database);
      return run(this.statements);
    });
  }
}
