import type Database from 'better-sqlite3';
import { type ClaimedEvent, countByDestination, type QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Outcome, QueueWrite } from './writes.ts';

type Claim = Extract<QueueWrite, { readonly kind: 'claim' }>;
type ClaimedRow = [id: string, time: number, body: string, attempts: number];

const byTime = (one: QueuedEvent, other: QueuedEvent): number => one.time - other.time;

/** Writes the events that wait to be delivered, in the transaction of the group; each method is one statement. */
export class EventTable {
  private readonly insert: Database.Statement<[string, string, number, string, number]>;
  private readonly lease: Database.Statement<[number, string, number, number], ClaimedRow>;
  private readonly delete: Database.Statement<[string, string]>;
  private readonly move: Database.Statement<[number, string, string, number]>;
  private readonly deleteOld: Database.Statement<[number, number], Pick<QueuedEvent, 'destination'>>;

  constructor(database: Database.Database) {
    this.insert = database.prepare(
      'INSERT INTO events (destination, id, time, body, due, attempts) VALUES (?, ?, ?, ?, ?, 0)',
    );
    this.lease = database
      .prepare<[number, string, number, number], ClaimedRow>(
        `UPDATE events SET due = ?, attempts = attempts + 1 WHERE (destination, id) IN (
           SELECT destination, id FROM events WHERE destination = ? AND due <= ? ORDER BY due LIMIT ?
         ) RETURNING id, time, body, attempts`,
      )
      .raw();
    this.delete = database.prepare('DELETE FROM events WHERE destination = ? AND id = ?');
    this.move = database.prepare('UPDATE events SET due = ? WHERE destination = ? AND id = ? AND attempts = ?');
    this.deleteOld = database.prepare(
      `DELETE FROM events WHERE (destination, id) IN (
         SELECT destination, id FROM events WHERE time < ? ORDER BY time LIMIT ?
       ) RETURNING destination`,
    );
  }

  add(events: readonly QueuedEvent[]): void {
    for (const { destination, id, time, body } of events) this.insert.run(destination, id, time, body, time);
  }

  /** What was claimed, the oldest first: RETURNING has no order. */
  claim({ destination, limit, lease }: Claim): readonly ClaimedEvent[] {
    const rows = this.lease.all(lease.until, destination, lease.now, limit);
    return rows
      .map(([id, time, body, attempts]) => ({ id, destination, time, body, attempts, receipt: id }))
      .sort(byTime);
  }

  remove({ destination, receipt }: ClaimedEvent): Outcome {
    this.delete.run(destination, receipt);
    return 'done';
  }

  postpone({ destination, receipt, attempts }: ClaimedEvent, due: number): Outcome {
    this.move.run(due, destination, receipt, attempts);
    return 'done';
  }

  expire(before: number, limit: number): Outcome {
    return { expired: countByDestination(this.deleteOld.all(before, limit)) };
  }
}
