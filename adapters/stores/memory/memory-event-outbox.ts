import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
  type QueuedEvent,
} from '../../../application/ports/event-outbox.ts';

interface Entry {
  readonly event: QueuedEvent;
  due: number;
  attempts: number;
}

/** Events in memory, in the order in which they were added. */
export class MemoryEventOutbox extends EventOutbox {
  private readonly entries = new Map<string, Entry>();

  add(events: readonly QueuedEvent[] = []): void {
    for (const event of events) {
      this.entries.set(`${event.destination} ${event.id}`, { event, due: event.time, attempts: 0 });
    }
  }

  async claim(destination: string, limit: number, { now, until }: Lease): Promise<readonly ClaimedEvent[]> {
    const claimed: ClaimedEvent[] = [];
    for (const [receipt, entry] of this.entries) {
      if (claimed.length === limit) break;
      if (entry.event.destination !== destination || entry.due > now) continue;
      entry.due = until;
      entry.attempts++;
      claimed.push({ ...entry.event, attempts: entry.attempts, receipt });
    }
    return claimed;
  }

  async done({ receipt }: ClaimedEvent): Promise<void> {
    this.entries.delete(receipt);
  }

  async postpone({ receipt, attempts }: ClaimedEvent, due: number): Promise<void> {
    const entry = this.entries.get(receipt);
    if (entry?.attempts === attempts) entry.due = due;
  }

  async pending(destination: string, most: number): Promise<number> {
    let count = 0;
    for (const { event } of this.entries.values()) {
      if (event.destination === destination && ++count === most) break;
    }
    return count;
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const removed: QueuedEvent[] = [];
    for (const [receipt, { event }] of this.entries) {
      if (removed.length === limit) break;
      if (event.time >= before) continue;
      this.entries.delete(receipt);
      removed.push(event);
    }
    return countByDestination(removed);
  }
}
