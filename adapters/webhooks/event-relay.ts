import { withTimeout } from '../../application/interceptor.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { checkTimeoutMs } from '../kit/definition.ts';
import { Lane } from './delivery.ts';
import { Receiver, type Webhook } from './receiver.ts';

export type { Webhook } from './receiver.ts';

/** How far events wait to be counted, and for how long a count is good, in milliseconds. */
const mostCounted = 10_000;
const fresh = 10_000;

const late = (): Error => new Error('the events were not counted in time');

/** How the delivery to one webhook goes. */
export interface DeliveryState {
  readonly host: string;
  readonly destination: string;
  readonly delivered: number;
  readonly failed: number;
  /** How many events wait, counted up to 10,000; undefined while the database does not tell. */
  readonly pending: number | undefined;
  /** Why the receiver takes none just now; undefined when it does. */
  readonly trouble: string | undefined;
}

/** Brings the events of a queue to webhooks, at least once each, for as long as the process serves. */
export class EventRelay {
  private readonly lanes: readonly Lane[];
  private counted: { readonly at: number; readonly pending: Promise<readonly (number | undefined)[]> } | undefined;

  constructor(
    webhooks: readonly Webhook[],
    private readonly queue: EventOutbox,
    clock: Clock,
    log: Log,
  ) {
    this.lanes = webhooks.map((webhook) => {
      const { destination } = webhook;
      return new Lane({ destination, queue, receiver: new Receiver(webhook), clock, log });
    });
  }

  start(): void {
    for (const lane of this.lanes) lane.start();
  }

  /** Says that events were written: they are delivered without waiting for the next look. */
  nudge(): void {
    for (const lane of this.lanes) lane.nudge();
  }

  /** How it goes; the database is asked once in a while, however often this is, and not waited for when it is silent. */
  async states(): Promise<readonly DeliveryState[]> {
    const pending = await this.pending();
    return this.lanes.map(({ parts: { destination, receiver }, delivered, failed, trouble }, index) => {
      const { host } = receiver;
      return { host, destination, delivered, failed, pending: pending[index], trouble };
    });
  }

  /** Ends within so many milliseconds and a write; what was not delivered is left for others, and for the next start. */
  async stop(milliseconds: number): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.stop(milliseconds)));
  }

  private pending(): Promise<readonly (number | undefined)[]> {
    const now = performance.now();
    if (this.counted === undefined || now > this.counted.at + fresh) {
      const counts = this.lanes.map(({ parts: { destination } }) =>
        withTimeout(checkTimeoutMs, this.queue.pending(destination, mostCounted), late).catch(() => undefined),
      );
      this.counted = { at: now, pending: Promise.all(counts) };
    }
    return this.counted.pending;
  }
}
