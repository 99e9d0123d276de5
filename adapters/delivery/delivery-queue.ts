import { reasonOf } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeliveryResult, DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { ClaimedEvent, EventOutbox } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';
import { CircuitBreaker, retryDelayMs } from './circuit-breaker.ts';
import { DeliverySlots } from './delivery-slots.ts';
import { DueEvents } from './due-events.ts';
import { expiryOf } from './event-expiry.ts';

/** Attempts in progress at once, with slow ones, and changes of the outbox after them. */
const maxInFlight = 32;

/**
 * The longest delay of an event that was claimed but not attempted, because its lane is slow. Each claim counts as an
 * attempt, so that it would reach the longest delay of its target without one.
 */
const maxDeferralMs = 300_000;

/** `deferred`: no attempt was made. `quarantined`: the target threw an error, which concerns this event alone. */
type AttemptResult = DeliveryResult | { readonly outcome: 'deferred' | 'quarantined' };

/** Whether the event is removed. */
const isOver = ({ outcome }: AttemptResult): boolean =>
  outcome === 'delivered' || outcome === 'refused' || outcome === 'expired' || outcome === 'limited';

type FailedAttempt = Extract<DeliveryResult, { readonly retryAfterMs: number }>;

/**
 * Delivers the events of one destination to its target: claims those that are due, as many as there are free slots,
 * removes what was delivered, refused or expired, and postpones what failed.
 */
export class DeliveryQueue {
  /** The attempts of this process, by outcome. */
  readonly counts = { delivered: 0, failed: 0, refused: 0, expired: 0 };
  private readonly breaker: CircuitBreaker;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly slots = new DeliverySlots();
  private readonly events: DueEvents;
  /** Whether no more events are claimed. */
  private ending = false;
  /** Whether attempts in progress may be aborted. */
  private stopping = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly target: DeliveryTarget,
    outbox: EventOutbox,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.breaker = new CircuitBreaker(target, log);
    this.events = new DueEvents(target, outbox, clock, log);
  }

  get destination(): string {
    return this.target.destination;
  }

  get host(): string {
    return this.target.host;
  }

  /** Why the target counts as unavailable; undefined while it is available. */
  get error(): string | undefined {
    return this.breaker.error;
  }

  start(): void {
    this.running = this.run();
  }

  /** Polls the outbox now, because an event was written. */
  notify(): void {
    this.events.notify();
  }

  /** Claims no more events and waits for attempts in progress, which end by their own timeouts. */
  async finish(): Promise<void> {
    this.ending = true;
    this.events.notify();
    await this.running;
    await Promise.all(this.inFlight);
  }

  /** Claims no more events and waits for attempts in progress, which are aborted after at most `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopping = true;
    const timeout = setTimeout(() => this.target.abort(), Math.min(timeoutMs, this.target.stopTimeoutMs));
    await this.finish();
    clearTimeout(timeout);
  }

  private async run(): Promise<void> {
    while (!this.ending) {
      this.events.beginPoll();
      const { remainingCooldownMs } = this.breaker;
      if (remainingCooldownMs > 0) {
        await this.events.wait(remainingCooldownMs);
        continue;
      }
      const free = this.breaker.limit(Math.min(this.slots.free, maxInFlight - this.inFlight.size));
      const claimed = free > 0 ? await this.events.claim(free) : [];
      for (const event of claimed) this.launch(event);
      if (claimed.length < Math.max(free, 1)) await this.events.wait();
    }
  }

  private launch(event: ClaimedEvent): void {
    this.breaker.begin(event);
    const delivery = this.deliver(event).finally(() => {
      this.inFlight.delete(delivery);
      this.breaker.end(event);
      // Claim several events in one call, and not one whenever an attempt ends.
      if (this.error !== undefined || this.slots.isHalfFree) this.events.notify();
    });
    this.inFlight.add(delivery);
  }

  private async deliver(event: ClaimedEvent): Promise<void> {
    const result = await this.attempt(event);
    this.record(event, result);
    if (isOver(result)) await this.events.done(event);
    else await this.postpone(event, result);
  }

  private async attempt(event: ClaimedEvent): Promise<AttemptResult> {
    try {
      const attempt = async (): Promise<AttemptResult> =>
        // An event that was claimed while the end began is postponed at once.
        this.ending ? { outcome: 'deferred' } : this.target.send(event, this.clock.now());
      const freed = (): void => {
        this.events.mix();
        this.breaker.end(event);
        this.events.notify();
      };
      const result = await this.slots.run(this.target.laneOf(event), attempt, freed);
      // An event is due at its expiry at the latest: deferred after that, it would be claimed again at once.
      return result ?? { outcome: expiryOf(this.target, event) <= this.clock.now() ? 'expired' : 'deferred' };
    } catch (error) {
      const fields = { host: this.host, event: event.id, reason: reasonOf(error) };
      this.log.error(fields, 'an event cannot be processed; it is retried later');
      return { outcome: 'quarantined' };
    }
  }

  private record(event: ClaimedEvent, result: AttemptResult): void {
    const { outcome } = result;
    if (outcome === 'delivered' || outcome === 'refused' || outcome === 'expired') {
      this.counts[outcome]++;
      if (outcome !== 'expired') this.breaker.recordDelivery();
    } else if (outcome !== 'limited' && outcome !== 'deferred' && !this.stopping) {
      this.counts.failed++;
      this.events.mix();
      if ('retryAfterMs' in result) this.recordFailure(event, result);
    }
  }

  private recordFailure(event: ClaimedEvent, { outcome, reason, retryAfterMs }: FailedAttempt): void {
    if (outcome !== 'rejected' && this.breaker.recordFailure({ outcome, reason, retryAfterMs }, event)) return;
    const fields = { host: this.host, event: event.id, reason };
    if (this.error === undefined) this.log.warn(fields, this.target.messages.rejected);
  }

  /**
   * An attempt that was aborted by a stop, or not made because of the end, is not a failure: the event is due at once for
   * the next process or generation.
   */
  private async postpone(event: ClaimedEvent, result: AttemptResult): Promise<void> {
    const retryAfterMs = 'retryAfterMs' in result ? result.retryAfterMs : 0;
    const now = this.clock.now();
    const { maxRetryDelayMs } = this.target;
    const longestMs = result.outcome === 'deferred' ? Math.min(maxDeferralMs, maxRetryDelayMs) : maxRetryDelayMs;
    const backoffMs = Math.max(retryAfterMs, retryDelayMs(event.attempts, longestMs));
    // Due at its expiry at the latest, when it is removed.
    const delayMs = Math.max(0, Math.min(backoffMs, expiryOf(this.target, event) - now));
    const isLeft = this.stopping || (this.ending && result.outcome === 'deferred');
    const due = isLeft ? Math.ceil(now) : this.target.postponedTo(now + delayMs);
    await this.events.postpone(event, due);
  }
}
