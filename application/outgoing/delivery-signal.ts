import type { Clock } from '../ports/clock.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';
import { isTaken, type StorePorts, type UserStore, type WriteOptions } from '../ports/user-store.ts';
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

  /** Notifies a delivery whenever stored events are due, until `unsubscribe`. */
  subscribe(delivery: Delivery): void {
    this.deliveries.add(delivery);
  }

  unsubscribe(delivery: Delivery): void {
    this.deliveries.delete(delivery);
  }

  /** The same store, whose events are delivered as soon as they are due. */
  observe(store: StorePorts): StorePorts {
    const { users, events } = store;
    return events === undefined ? store : { ...store, users: this.users(users), events: this.outbox(events) };
  }

  private users(users: UserStore): UserStore {
    return {
      find: (key) => users.find(key),
      insert: (user, options) => this.afterWrite(users.insert(user, options), options),
      replace: (previous, next, options) => this.afterWrite(users.replace(previous, next, options), options),
      remove: (previous, options) => this.afterWrite(users.remove(previous, options), options),
      reserve: (key) => users.reserve(key),
      check: () => users.check(),
      close: () => users.close(),
    };
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

  /** The outcome of a write. Its events are delivered also after a Fault, because the write may have been applied. */
  private afterWrite<Outcome extends object | string>(
    write: Promise<Outcome>,
    { events = [] }: WriteOptions = {},
  ): Promise<Outcome> {
    // Stores of other packages may return the plain value in JavaScript.
    const written = Promise.resolve(write);
    if (events.length > 0) {
      const signal = (): void => this.stored(events);
      void written.then((outcome) => (outcome === 'stale' || isTaken(outcome) ? undefined : signal()), signal);
    }
    return written;
  }

  /** Events that are due later are not awaited by a stop: the next start finds them. */
  private stored([first]: NonNullable<WriteOptions['events']>): void {
    if (first === undefined || this.deliveries.size === 0) return;
    const delayMs = first.time - this.clock.now();
    if (delayMs <= 0) this.notify();
    else setTimeout(() => this.notify(), delayMs + timerMarginMs).unref();
  }

  private notify(): void {
    for (const delivery of this.deliveries) delivery.notify();
  }
}
