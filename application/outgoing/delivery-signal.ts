import type { Clock } from '../ports/clock.ts';
import type { EventOutbox, QueuedEvent } from '../ports/event-outbox.ts';

/** Timers may fire a little early. */
const timerMarginMs = 5;

/** Tells the delivery of this process which events were stored, so that they do not wait for its next poll. */
export class DeliverySignal {
  private deliver: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  /** Calls `deliver` whenever stored events are due, in place of what was called before. */
  listen(deliver: () => void): void {
    this.deliver = deliver;
  }

  /** Called after events were stored. Events that are due later are not awaited by a stop: the next start finds them. */
  stored(events: readonly QueuedEvent[]): void {
    const [first] = events;
    if (first === undefined || this.deliver === undefined) return;
    const delayMs = first.time - this.clock.now();
    if (delayMs <= 0) this.deliver();
    else setTimeout(() => this.deliver?.(), delayMs + timerMarginMs).unref();
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
}
