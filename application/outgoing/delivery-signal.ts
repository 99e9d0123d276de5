import type { Clock } from '../ports/clock.ts';
import type { EventOutbox, QueuedEvent } from '../ports/event-outbox.ts';
import { isTaken, type StorePorts } from '../ports/user-store.ts';
import { beforeAll } from './single-events.ts';

/** Timers may fire a little early. */
const timerMarginMs = 5;

/** A delivery, which polls the outbox when it is notified instead of after its interval. */
interface Delivery {
  notify(): void;
}

/** Notifies the delivery of this process of stored events, so that they do not wait for its next poll. */
export class DeliverySignal {
  private readonly deliveries = new Set<Delivery>();

  constructor(private readonly clock: Clock) {}

  /** Notifies the deliveries whenever stored events are due, until `unsubscribe`. */
  subscribe(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.deliveries.add(delivery);
  }

  unsubscribe(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.deliveries.delete(delivery);
  }

  /** The same store with its outbox observed. SettlingStore calls `afterWrite` for the events of users. */
  observe(store: StorePorts): StorePorts {
    return store.events === undefined ? store : { ...store, events: this.outbox(store.events) };
  }

  /**
   * The same outbox, whose events are delivered as soon as they are due. Only those that are postponed to a later time are
   * left to the delivery, which does that after each failed attempt, and those of `claimEvent`, which claims them itself.
   */
  outbox(outbox: EventOutbox): EventOutbox {
    return {
      add: async (events) => {
        await outbox.add(events);
        this.stored(events);
      },
      claim: (destination, limit, lease) => outbox.claim(destination, limit, lease),
      done: (event) => outbox.done(event),
      postpone: async (event, due) => {
        await outbox.postpone(event, due);
        if (due > beforeAll && due <= this.clock.now()) this.notify();
      },
      pending: (destination, most) => outbox.pending(destination, most),
      list: (destination, limit, after) => outbox.list(destination, limit, after),
      destinations: () => outbox.destinations(),
      expire: (before, limit) => outbox.expire(before, limit),
    };
  }

  /** Delivers the events of a write when it ends, also with a Fault, because the write may have been applied. */
  afterWrite(written: Promise<object | string>, events: readonly QueuedEvent[]): void {
    const signal = (): void => this.stored(events);
    // Stores of other packages may return the plain value in JavaScript.
    void Promise.resolve(written).then(
      (outcome) => (outcome === 'stale' || isTaken(outcome) ? undefined : signal()),
      signal,
    );
  }

  /** Events that are due later are not awaited by a stop: the next start finds them. */
  private stored([first]: readonly QueuedEvent[]): void {
    if (first === undefined || this.deliveries.size === 0) return;
    const delayMs = first.time - this.clock.now();
    if (delayMs <= 0) this.notify();
    else setTimeout(() => this.notify(), delayMs + timerMarginMs).unref();
  }

  private notify(): void {
    for (const delivery of this.deliveries) delivery.notify();
  }
}
