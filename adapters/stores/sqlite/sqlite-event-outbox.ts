import { type ClaimedEvent, EventOutbox, type Lease } from '../../../application/ports/event-outbox.ts';
import type { Reader } from './reader.ts';
import type { Outcome, QueueWrite } from './writes.ts';

/** The events in the file of the users: counted on the main thread, written by the writing thread. */
export class SqliteEventOutbox extends EventOutbox {
  constructor(
    private readonly read: <Answer>(ask: (reader: Reader) => Answer) => Promise<Answer>,
    private readonly write: (write: QueueWrite) => Promise<Outcome>,
  ) {
    super();
  }

  async claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    // Most looks find nothing, and reading takes no turn among the writes.
    if (!(await this.read((reader) => reader.isDue(destination, lease.now)))) return [];
    const outcome = await this.write({ kind: 'claim', destination, limit, lease });
    return typeof outcome === 'string' || 'expired' in outcome ? [] : outcome;
  }

  async done(event: ClaimedEvent): Promise<void> {
    await this.write({ kind: 'delivered', event });
  }

  async postpone(event: ClaimedEvent, due: number): Promise<void> {
    await this.write({ kind: 'postpone', event, due });
  }

  pending(destination: string, most: number): Promise<number> {
    return this.read((reader) => reader.pendingEvents(destination, most));
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    if (!(await this.read((reader) => reader.hasEventBefore(before)))) return new Map();
    const outcome = await this.write({ kind: 'expire', before, limit });
    return typeof outcome === 'object' && 'expired' in outcome ? outcome.expired : new Map();
  }
}
