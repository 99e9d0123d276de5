import { withTimeout } from '../../application/interceptor.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { checkTimeoutMs } from '../kit/definition.ts';
import { DeliveryQueue } from './delivery-queue.ts';

const maxCounted = 10_000;
/** How many pending events are read to find the oldest one. */
const oldestOf = 100;
/** How long the counts of pending events are reused. */
const countTtlMs = 10_000;

type PendingCounts = readonly (number | undefined)[];

/** The status of the delivery to one target, with what this process delivered. */
export interface DeliveryStatus {
  readonly host: string;
  readonly destination: string;
  readonly delivered: number;
  /** Attempts that are repeated. */
  readonly failed: number;
  /** Events that were removed because the target refused them for good. */
  readonly refused: number;
  /** Events that were removed because they expired. */
  readonly expired: number;
  /** Pending events, counted up to 10,000; undefined if the database did not respond in time. */
  readonly pending: number | undefined;
  /** Why the target counts as unavailable; undefined while it is available. */
  readonly error: string | undefined;
}

/** Delivers the events of an outbox to their targets, each at least once. */
export class EventRelay {
  readonly queues: readonly DeliveryQueue[];
  private counts: { readonly takenAtMs: number; readonly pending: Promise<PendingCounts> } | undefined;

  constructor(
    targets: readonly DeliveryTarget[],
    private readonly outbox: EventOutbox,
    clock: Clock,
    log: Log,
  ) {
    this.queues = targets.map((target) => new DeliveryQueue(target, outbox, clock, log));
  }

  start(): void {
    for (const queue of this.queues) queue.start();
  }

  async statuses(): Promise<readonly DeliveryStatus[]> {
    const pending = await this.pendingCounts();
    return this.queues.map(({ host, destination, counts, error }, index) => ({
      host,
      destination,
      ...counts,
      pending: pending[index],
      error,
    }));
  }

  /**
   * When the oldest pending event of a destination happened, in milliseconds since the epoch; undefined without one, or
   * if the database did not respond in time. Among more than 100 events of a store that does not sort them by time, it
   * is the oldest of 100.
   */
  async oldestTime(destination: string): Promise<number | undefined> {
    const timeoutError = () => new Error('the events were not read in time');
    const listed = withTimeout(checkTimeoutMs, this.outbox.list(destination, oldestOf), timeoutError);
    const { events } = await listed.catch(() => ({ events: [] }));
    return events.length === 0 ? undefined : Math.min(...events.map(({ time }) => time));
  }

  /**
   * Stops all queues. Takes at most `timeoutMs`, a failed write of the outbox and another one. Events that were not
   * delivered stay in the outbox.
   */
  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.stop(timeoutMs)));
  }

  /** Claims no more events. Resolves when the attempts in progress have ended by themselves. */
  async finish(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.finish()));
  }

  private pendingCounts(): Promise<PendingCounts> {
    const now = performance.now();
    if (this.counts === undefined || now > this.counts.takenAtMs + countTtlMs) {
      const timeoutError = () => new Error('the events were not counted in time');
      const counts = this.queues.map(({ destination }) =>
        withTimeout(checkTimeoutMs, this.outbox.pending(destination, maxCounted), timeoutError).catch(() => undefined),
      );
      this.counts = { takenAtMs: now, pending: Promise.all(counts) };
    }
    return this.counts.pending;
  }
}
