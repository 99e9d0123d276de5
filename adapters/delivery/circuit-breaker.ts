import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';

const minDelayMs = 5_000;
/** Short, so that events are delivered soon after a target is available again. */
const maxCooldownMs = 60_000;

/** How many events are sent at once to a target that counts as unavailable. */
const maxProbes = 4;

/** So many failures in a row of events that failed before count as a failure of the target. */
const maxRepeatedFailures = 8;

type Attempt = Pick<ClaimedEvent, 'attempts'>;

/** Exponential backoff, with jitter of a quarter so that events that failed together are not retried together. */
const backoffMs = (attempts: number, maxMs: number): number =>
  Math.min(maxMs, minDelayMs * 2 ** Math.max(0, attempts - 1)) * (1 + Math.random() / 4);

/** The delay before an event is sent again, after so many attempts: up to `maxMs` and the jitter. */
export const retryDelayMs = (attempts: number, maxMs: number): number => backoffMs(attempts, maxMs);

/** The cooldown of an unavailable target, after so many failures in a row. */
export const cooldownMs = (failures: number): number => backoffMs(failures, maxCooldownMs);

/**
 * Stops the attempts for a target that fails: for a cooldown at first, then for all but a few events until one is
 * delivered. An event that failed before may fail by itself, so that only several of them count. An outage is logged
 * once, when it begins and when it ends.
 */
export class CircuitBreaker {
  /** Why the target counts as unavailable; undefined while it is available. */
  error: string | undefined;
  private failures = 0;
  private repeatedFailures = 0;
  /** When the cooldown ends, by the clock of `performance.now()`. */
  private cooldownUntilMs = 0;
  /** The events in progress that find out whether an unavailable target is available again. */
  private readonly probes = new Set<Attempt>();

  constructor(
    private readonly target: Pick<DeliveryTarget, 'host' | 'messages'>,
    private readonly log: Log,
  ) {}

  /** How long to wait before the next request, in milliseconds; not positive if one can be sent now. */
  get remainingCooldownMs(): number {
    return this.cooldownUntilMs - performance.now();
  }

  /** How many of `free` attempts can begin now. */
  limit(free: number): number {
    if (this.error === undefined) return free;
    // An event that failed before may fail again by itself, so that others follow until one is in progress that did not.
    const isProbing = this.probes.size >= maxProbes || [...this.probes].some(({ attempts }) => attempts <= 1);
    return isProbing ? 0 : Math.min(1, free);
  }

  begin(attempt: Attempt): void {
    if (this.error !== undefined) this.probes.add(attempt);
  }

  /** An attempt has ended, or takes so long that another one finds out earlier. */
  end(attempt: Attempt): void {
    this.probes.delete(attempt);
  }

  /** Records a success. Called also after one event was refused for good, because the target is available then. */
  recordDelivery(): void {
    const { host, messages } = this.target;
    if (this.error !== undefined) this.log.info({ host }, messages.available);
    this.error = undefined;
    this.failures = 0;
    this.repeatedFailures = 0;
    this.cooldownUntilMs = 0;
  }

  /** Records that the target failed, and returns whether it counts as unavailable now. */
  recordFailure(reason: string, retryAfterMs: number, hasFailedBefore: boolean): boolean {
    if (hasFailedBefore && retryAfterMs === 0 && this.error === undefined)
      if (++this.repeatedFailures < maxRepeatedFailures) return false;
    const now = performance.now();
    // Requests that were in progress when the cooldown began belong to the same failure.
    if (now >= this.cooldownUntilMs) this.failures++;
    this.cooldownUntilMs = Math.max(this.cooldownUntilMs, now + Math.max(cooldownMs(this.failures), retryAfterMs));
    const { host, messages } = this.target;
    if (this.error === undefined) this.log.warn({ host, reason }, messages.unavailable);
    this.error = reason;
    return true;
  }
}
