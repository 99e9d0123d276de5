import type Database from 'better-sqlite3';
import {
  type ClaimedEvent,
  countByDestination,
  type Lease,
  type QueuedEvent,
} from '../../../application/ports/event-outbox.ts';

/** A change of the outbox. */
export type EventWrite =
  | { readonly kind: 'add'; readonly events: readonly QueuedEvent[] }
  | { readonly kind: 'claim'; readonly destination: string; readonly limit: number; readonly lease: Lease }
  | { readonly kind: 'delivered'; readonly destination: string; readonly receipt: string }
  | { readonly kind: 'postpone'; readonly event: ClaimedEvent; readonly due: number }
  | { readonly kind: 'expire'; readonly before: number; readonly limit: number };

/** A claim results in the claimed events, `expire` in the number of removed ones by destination. */
export type EventOutcome =
  | 'done'
  | { readonly claimed: readonly ClaimedEvent[] }
  | { readonly expired: ReadonlyMap<string, number> };

/** Integers of a file are 64 bits wide; a damaged one may not be a number of JavaScript. */
const maxNumber = Number.MAX_SAFE_INTEGER;

const isReadable = `time BETWEEN -${maxNumber} AND ${maxNumber} AND attempts BETWEEN -${maxNumber} AND ${maxNumber}`;

/** A damaged time would keep an event forever. Both parts read the index by time; with ORDER BY, SQLite would scan all of it. */
export const isOld = `(time < ? OR time > ${maxNumber})`;

export type ClaimedRow = [id: string, time: number, body: string, attempts: number];

type Claim = Extract<EventWrite, { readonly kind: 'claim' }>;

const byTime = (one: QueuedEvent, other: QueuedEvent): number => one.time - other.time;

/** Writes the events of the outbox in the transaction of a group. Each method is one statement. */
export class EventTable {
  private readonly insert: Database.Statement<[string, string, number, string, number]>;
  private readonly lease: Database.Statement<[number, string, number, number], ClaimedRow>;
  private readonly leaseNewest: Database.Statement<[number, string, number, number], ClaimedRow>;
  private readonly remove: Database.Statement<[string, string]>;
  private readonly reschedule: Database.Statement<[number, string, string, number]>;
  private readonly removeOld: Database.Statement<[number, number], Pick<QueuedEvent, 'destination'>>;

  constructor(database: Database.Database) {
    this.insert = database.prepare(
      'INSERT INTO events (destination, id, time, body, due, attempts) VALUES (?, ?, ?, ?, ?, 0)',
    );
    const leaseOf = (due: string) =>
      database
        .prepare<[number, string, number, number], ClaimedRow>(
          `UPDATE events SET due = iif(${isReadable}, ?, ${maxNumber}), attempts = attempts + iif(${isReadable}, 1, 0) WHERE (destination, id) IN (
             SELECT destination, id FROM events WHERE ${due} LIMIT ?
           ) RETURNING id, time, body, attempts`,
        )
        .raw();
    this.lease = leaseOf('destination = ? AND due <= ? ORDER BY due');
    // By the index of times, without a sort: a repeated event is due later than a new one, and not newer.
    this.leaseNewest = leaseOf('+destination = ? AND +due <= ? ORDER BY time DESC');
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
        return { claimed: this.claim(write) };
      case 'delivered':
        this.remove.run(write.destination, write.receipt);
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
    const statement = lease.newestFirst === true ? this.leaseNewest : this.lease;
    for (let left = limit; left > 0; ) {
      const rows = statement.all(lease.until, destination, lease.now, left);
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
