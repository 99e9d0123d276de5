import { reasonOf } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import {
  type ClaimedEvent,
  type EventOutbox,
  type Lease,
  leaseMarginMs,
} from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';

/** How often the outbox is polled for events of other processes and for events whose delay is over. */
const pollIntervalMs = 5_000;

/** A removal that fails sooner is tried again at once: its connection was closed, for example, and the store is there. */
const fastFailureMs = 500;

/** How long after a failed or slow attempt the newest events are claimed too. Longer than the longest cooldown. */
const mixedMs = 120_000;

/**
 * The events in the outbox for one target, and when to poll for them. Never rejects: an outage of the outbox is logged
 * once, when it begins.
 */
export class DueEvents {
  private failing = false;
  /** Until when the newest events are claimed too, because older ones fail or are slow. */
  private mixedUntilMs = 0;
  /** When the first postponed event is due, by the clock of `performance.now()`. */
  private nextRetryAtMs = Number.POSITIVE_INFINITY;
  private isNotified = false;
  private endWait: (() => void) | undefined;

  constructor(
    private readonly target: DeliveryTarget,
    private readonly outbox: EventOutbox,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Begins a poll. A notification from now on means another one. */
  beginPoll(): void {
    this.isNotified = false;
    if (this.nextRetryAtMs <= performance.now()) this.nextRetryAtMs = Number.POSITIVE_INFINITY;
  }

  /** Ends the current wait for the next poll, or the next one. */
  notify(): void {
    this.isNotified = true;
    this.endWait?.();
  }

  /**
   * Waits for the next poll: until a postponed event is due, for the interval, or for `durationMs`, and not after a
   * notification. Without an AbortSignal, because its error has a stack, which costs more than the rest of a poll, and
   * under load each delivery notifies.
   */
  async wait(durationMs = this.nextPollMs()): Promise<void> {
    if (this.isNotified) return;
    let timeout: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.endWait = resolve;
      timeout = setTimeout(resolve, durationMs);
    });
    clearTimeout(timeout);
    this.endWait = undefined;
  }

  private nextPollMs(): number {
    const intervalMs = pollIntervalMs * (1 + Math.random() / 4);
    return Math.max(0, Math.min(intervalMs, this.nextRetryAtMs - performance.now()));
  }

  /** Claims events that are due; none while the outbox fails. */
  async claim(limit: number): Promise<readonly ClaimedEvent[]> {
    const now = this.clock.now();
    const lease = { now, until: this.target.leaseEnd(now + this.target.timeoutMs + leaseMarginMs) };
    try {
      const claimed = await this.claimMixed(limit, lease);
      this.failing = false;
      return claimed;
    } catch (error) {
      this.logFailure(error);
      return [];
    }
  }

  /** Claims the newest events too for a while, because an older one failed or is slow. */
  mix(): void {
    this.mixedUntilMs = performance.now() + mixedMs;
  }

  /** Removes an event. If that fails, it is due again when its lease ends, and delivered twice. */
  done(event: ClaimedEvent): Promise<void> {
    const startMs = performance.now();
    return this.update(() =>
      this.outbox.done(event).catch((error) => {
        if (performance.now() - startMs > fastFailureMs) throw error;
        return this.outbox.done(event);
      }),
    );
  }

  /** Makes an event due again at a time. If that fails, it is due when its lease ends. */
  postpone(event: ClaimedEvent, due: number): Promise<void> {
    // One more millisecond, because the clocks differ by a part of one.
    this.nextRetryAtMs = Math.min(this.nextRetryAtMs, performance.now() + due - this.clock.now() + 1);
    return this.update(() => this.outbox.postpone(event, due));
  }

  private async claimMixed(limit: number, lease: Lease): Promise<readonly ClaimedEvent[]> {
    const { destination } = this.target;
    const isMixed = performance.now() < this.mixedUntilMs;
    // Rounded at random, so that a single event is of either kind.
    const newestLimit = isMixed ? Math.floor(limit / 2 + Math.random()) : 0;
    const oldestLimit = limit - newestLimit;
    const oldest = oldestLimit > 0 ? await this.outbox.claim(destination, oldestLimit, lease) : [];
    if (newestLimit === 0 || oldest.length < oldestLimit) return oldest;
    return [...(await this.outbox.claim(destination, newestLimit, { ...lease, newestFirst: true })), ...oldest];
  }

  private async update(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    if (!this.failing)
      this.log.warn({ reason: reasonOf(error) }, 'stored events cannot be read or updated; they are retried later');
    this.failing = true;
  }
}
