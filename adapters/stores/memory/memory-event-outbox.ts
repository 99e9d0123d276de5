import {
  type ClaimedEvent,
  countByDestination,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';

interface Entry {
  readonly event: QueuedEvent;
  due: number;
  attempts: number;
}

/** Events in memory, in the order in which they were added. */
export class MemoryEventOutbox extends EventOutbox {
  private readonly entries = new Map<string, Entry>();

  async add(events: readonly QueuedEvent[]): Promise<void> {
    this.append(events);
  }

  /** Adds the events of a change in the step of the event loop that makes the change. */
  append(events: readonly QueuedEvent[] = []): void {
    for (const event of events) {
      this.entries.set(`${event.destination} ${event.id}`, { event, due: event.time, attempts: 0 });
    }
  }

  async claim(destination: string, limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    const { now, until, newestFirst = false } = lease;
    const claimed: ClaimedEvent[] = [];
    for (const [receipt, entry] of newestFirst ? [...this.entries].reverse() : this.entries) {
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

  async list(destination: string, limit: number, after = ''): Promise<WaitingEvents> {
    const waiting = [...this.entries].filter(
      ([receipt, { event }]) => event.destination === destination && receipt > after,
    );
    const page = waiting.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, limit);
    const events = page.map(([receipt, { event, due, attempts }]) => ({ ...event, receipt, due, attempts }));
    return { events, next: events.length < limit ? undefined : events.at(-1)?.receipt };
  }

  async destinations(): Promise<readonly string[]> {
    return [...countByDestination([...this.entries.values()].map(({ event }) => event)).keys()];
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
