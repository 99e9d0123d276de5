import type { Clock } from '../ports/clock.ts';
import type { EventOutbox, QueuedEvent } from '../ports/event-outbox.ts';

/** Timers may fire a little early. */
const timerMarginMs = 5;

/** Tells the delivery of this process which events were stored, so that they do not wait for its next poll. */
export class DeliverySignal {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** Calls `deliver` whenever stored events are due. */
  listen(deliver: () => void): void {
    this.listeners.push(deliver);
  }

  /** Called after events were stored. Events that are due later are not awaited by a stop: the next start finds them. */
  stored(events: readonly QueuedEvent[]): void {
    const [first] = events;
    if (first === undefined || this.listeners.length === 0) return;
    const delayMs = first.time - this.clock.now();
    if (delayMs <= 0) this.notify();
    else setTimeout(() => this.notify(), delayMs + timerMarginMs).unref();
  }

  /** The outbox for events that belong to no change of a user. */
  outbox(outbox: Pick<EventOutbox, 'add'>): Pick<EventOutbox, 'add'> {
    return {
      add: async (events) => {
        await outbox.add(events);
        this.stored(events);
      },
    };
  }

  private notify(): void {
    for (const deliver of this.listeners) deliver();
  }
}
