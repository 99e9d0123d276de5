import type Database from 'better-sqlite3';
import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { StoredEvents } from '../../kit/stored-event.ts';
import type { ReadDatabase } from './reader.ts';

/** A change of the outbox. */
export type EventWrite =
  | { readonly kind: 'add'; readonly events: readonly QueuedEvent[] }
  | { readonly kind: 'claim'; readonly destination: string; readonly limit: number; readonly lease: Lease }
  | { readonly kind: 'delivered'; readonly event: ClaimedEvent }
  | { readonly kind: 'postpone'; readonly event: ClaimedEvent; readonly due: number }
  | { readonly kind: 'expire'; readonly before: number; readonly limit: number };

/** A claim results in the claimed events, `expire` in the number of removed ones by destination. */
export type EventOutcome = 'done' | readonly ClaimedEvent[] | { readonly expired: ReadonlyMap<string, number> };

/** Integers of a file are 64 bits wide; a damaged one may not be a number of JavaScript. */
const maxNumber = Number.MAX_SAFE_INTEGER;

const isReadable = `time BETWEEN -${maxNumber} AND ${maxNumber} AND attempts BETWEEN -${maxNumber} AND ${maxNumber}`;

/** A damaged time would keep an event forever. Both parts read the index by time; with ORDER BY, SQLite would scan all of it. */
const isOld = `(time < ? OR time > ${maxNumber})`;

type ClaimedRow = [id: string, time: number, body: string, attempts: number];
type WaitingRow = [...ClaimedRow, due: number];

class Statements {
  readonly due: Database.Statement<[string, number]>;
  readonly pending: Database.Statement<[string, number], number>;
  readonly old: Database.Statement<[number]>;
  /** Ids start with the time. */
  readonly page: Database.Statement<[string, string, number], WaitingRow>;

  constructor(database: Database.Database) {
    this.due = database.prepare('SELECT 1 FROM events WHERE destination = ? AND due <= ? LIMIT 1');
    this.pending = database
      .prepare<[string, number], number>('SELECT count(*) FROM (SELECT 1 FROM events WHERE destination = ? LIMIT ?)')
      .pluck();
    this.page = database
      .prepare<[string, string, number], WaitingRow>(
        `SELECT id, time, body, attempts, due FROM events WHERE destination = ? AND id > ? ORDER BY id LIMIT ?`,
      )
      .raw();
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
    private readonly read: ReadDatabase,
    private readonly write: (write: EventWrite) => Promise<EventOutcome | string>,
    log: Log,
  ) {
    super();
    this.stored = new StoredEvents(log);
  }

  async add(events: readonly QueuedEvent[]): Promise<void> {
    if (events.length > 0) await this.write({ kind: 'add', events });
  }

  async claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    if (!(await this.query(({ due }) => due.get(destination, lease.now) !== undefined))) return [];
    const outcome = await this.write({ kind: 'claim', destination, limit, lease });
    if (typeof outcome === 'string' || 'expired' in outcome) return [];
    return this.stored.decode(outcome.map((event) => ({ ...event, due: lease.until })));
  }

  async done(event: ClaimedEvent): Promise<void> {
    await this.write({ kind: 'delivered', event });
  }

  async postpone(event: ClaimedEvent, due: number): Promise<void> {
    await this.write({ kind: 'postpone', event, due });
  }

  pending(destination: string, most: number): Promise<number> {
    return this.query(({ pending }) => pending.get(destination, most) ?? 0);
  }

  async list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    const rows = await this.query(({ page }) => page.all(destination, after, limit));
    const records = rows.map(([id, time, body, attempts, due]) => ({
      id,
      destination,
      time,
      body,
      attempts,
      due,
      receipt: id,
    }));
    return { events: this.stored.decode(records), next: rows.length < limit ? undefined : records.at(-1)?.id };
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    if (!(await this.query(({ old }) => old.get(before) !== undefined))) return new Map();
    const outcome = await this.write({ kind: 'expire', before, limit });
    return typeof outcome === 'object' && 'expired' in outcome ? outcome.expired : new Map();
  }

  private query<Result>(run: (statements: Statements) => Result): Promise<Result> {
    return this.read(({ database }) => {
      this.statements ??= new Statements(database);
      return run(this.statements);
    });
  }
}

type Claim = Extract<EventWrite, { readonly kind: 'claim' }>;

const byTime = (one: QueuedEvent, other: QueuedEvent): number => one.time - other.time;

/** Writes the events of the outbox in the transaction of a group. Each method is one statement. */
export class EventTable {
  private readonly insert: Database.Statement<[string, string, number, string, number]>;
  private readonly lease: Database.Statement<[number, string, number, number], ClaimedRow>;
  private readonly remove: Database.Statement<[string, string]>;
  private readonly reschedule: Database.Statement<[number, string, string, number]>;
  private readonly removeOld: Database.Statement<[number, number], Pick<QueuedEvent, 'destination'>>;

  constructor(database: Database.Database) {
    this.insert = database.prepare(
      'INSERT INTO events (destination, id, time, body, due, attempts) VALUES (?, ?, ?, ?, ?, 0)',
    );
    this.lease = database
      .prepare<[number, string, number, number], ClaimedRow>(
        `UPDATE events SET due = iif(${isReadable}, ?, ${maxNumber}), attempts = attempts + iif(${isReadable}, 1, 0) WHERE (destination, id) IN (
           SELECT destination, id FROM events WHERE destination = ? AND due <= ? ORDER BY due LIMIT ?
         ) RETURNING id, time, body, attempts`,
      )
      .raw();
    this.remove = database.prepare('DELETE FROM events WHERE destination = ? AND id = ?');
    this.reschedule = database.prepare('UPDATE events SET due = ? WHERE destination = ? AND id = ? AND attempts = ?');
    this.removeOld = database.prepare(
      `DELETE FROM events WHERE (destination, id) IN (
         SELECT destination, id FROM events WHERE ${isOld} LIMIT ?
       ) RETURNING destination`,
    );
  }

  add(events: readonly QueuedEvent[]): void {
    for (const { destination, id, time, body } of events) this.insert.run(destination, id, time, body, time);
  }

  run(write: EventWrite): EventOutcome {
    switch (write.kind) {
      case 'add':
        // `GroupCommit` adds the events of every write, including these.
        return 'done';
      case 'claim':
        return this.claim(write);
      case 'delivered':
        this.remove.run(write.event.destination, write.event.receipt);
        return 'done';
      case 'postpone': {
        const { destination, receipt, attempts } = write.event;
        this.reschedule.run(write.due, destination, receipt, attempts);
        return 'done';
      }
      case 'expire':
        return { expired: countByDestination(this.removeOld.all(write.before, write.limit)) };
    }
  }

  /**
   * The claimed events, oldest first: RETURNING has no order. Damaged ones are among them, to be reported, and are never due
   * again; they do not count, so that they delay no other.
   */
  private claim({ destination, limit, lease }: Claim): readonly ClaimedEvent[] {
    const found: ClaimedRow[] = [];
    for (let left = limit; left > 0; ) {
      const rows = this.lease.all(lease.until, destination, lease.now, left);
      found.push(...rows);
      if (rows.length < left) break;
      left -= rows.filter(
        ([, time, , attempts]) => Number.isSafeInteger(time) && Number.isSafeInteger(attempts),
      ).length;
    }
    return found
      .map(([id, time, body, attempts]) => ({ id, destination, time, body, attempts, receipt: id }))
      .sort(byTime);
  }
}
