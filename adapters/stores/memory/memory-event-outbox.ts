import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
  type QueuedEvent,
} from '../../../application/ports/event-outbox.ts';

interface Waiting {
  readonly event: QueuedEvent;
  due: number;
  attempts: number;
}

/** Events in the memory of the process, in the order in which they came. */
export class MemoryEventOutbox extends EventOutbox {
  private readonly waiting = new Map<string, Waiting>();

  add(events: readonly QueuedEvent[] = []): void {
    for (const event of events) {
      this.waiting.set(`${event.destination} ${event.id}`, { event, due: event.time, attempts: 0 });
    }
  }

  async claim(destination: string, limit: number, { now, until }: Lease): Promise<readonly ClaimedEvent[]> {
    const claimed: ClaimedEvent[] = [];
    for (const [receipt, entry] of this.waiting) {
      if (claimed.length === limit) break;
      if (entry.event.destination !== destination || entry.due > now) continue;
      entry.due = until;
      entry.attempts++;
      claimed.push({ ...entry.event, attempts: entry.attempts, receipt });
    }
    return claimed;
  }

  async done({ receipt }: ClaimedEvent): Promise<void> {
    this.waiting.delete(receipt);
  }

  async postpone({ receipt, attempts }: ClaimedEvent, due: number): Promise<void> {
    const entry = this.waiting.get(receipt);
    if (entry?.attempts === attempts) entry.due = due;
  }

  async pending(destination: string, most: number): Promise<number> {
    let count = 0;
    for (const { event } of this.waiting.values()) {
      if (event.destination === destination && ++count === most) break;
    }
    return count;
  }

  async expire(before: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const removed: QueuedEvent[] = [];
    for (const [receipt, { event }] of this.waiting) {
      if (removed.length === limit) break;
      if (event.time >= before) continue;
      this.waiting.delete(receipt);
      removed.push(event);
    }
    return countByDestination(removed);
  }
}
