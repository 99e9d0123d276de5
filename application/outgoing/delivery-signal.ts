import type { Clock } from '../ports/clock.ts';
import type { EventOutbox, QueuedEvent } from '../ports/event-outbox.ts';

/** Timers may fire a little early. */
const timerMarginMs = 5;

/** The events of one destination, which are delivered when they are due. */
interface DueQueue {
  /** Delivers without waiting for the next poll. */
  notify(): void;
}

/** In a process that delivers nothing. */
export const withoutDelivery: Pick<DeliverySignal, 'stored'> = { stored: () => undefined };

/** Tells the delivery of this process which events were stored, so that they do not wait for its next poll. */
export class DeliverySignal {
  private queues: readonly DueQueue[] = [];

  constructor(private readonly clock: Clock) {}

  /** Notifies the queues whenever stored events are due, in place of those that were notified before. */
  listen(queues: readonly DueQueue[]): void {
    this.queues = queues;
  }

  /** Called after events were stored. Events that are due later are not awaited by a stop: the next start finds them. */
  stored(events: readonly QueuedEvent[]): void {
    const [first] = events;
    if (first === undefined || this.queues.length === 0) return;
    const delayMs = first.time - this.clock.now();
    if (delayMs <= 0) this.notify();
    else setTimeout(() => this.notify(), delayMs + timerMarginMs).unref();
  }

  private notify(): void {
    for (const queue of this.queues) queue.notify();
  }

  /**
   * The same outbox, whose added events are delivered as soon as they are due. Postponed ones are not: the delivery
   * postpones after each failed attempt, and `claimEvent` before it claims an event that no other process may claim
   * meanwhile.
   */
  outbox(outbox: EventOutbox): EventOutbox {
    return {
      add: async (events) => {
        await outbox.add(events);
        this.stored(events);
      },
      claim: (destination, limit, lease) => outbox.claim(destination, limit, lease),
      done: (event) => outbox.done(event),
      postpone: (event, due) => outbox.postpone(event, due),
      pending: (destination, most) => outbox.pending(destination, most),
      list: (destination, limit, after) => outbox.list(destination, limit, after),
      destinations: () => outbox.destinations(),
      expire: (before, limit) => outbox.expire(before, limit),
    };
  }
}
