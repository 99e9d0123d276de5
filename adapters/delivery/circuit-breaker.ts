import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';

const minDelayMs = 5_000;
/** Short, so that events are delivered soon after a target is available again. */
const maxCooldownMs = 60_000;

/** How many events are sent at once to a target that counts as unavailable. */
const maxProbes = 4;

/** So many failures in a row that may be those of single events count as a failure of the target. */
const maxAmbiguousFailures = 8;

type Attempt = Pick<ClaimedEvent, 'attempts'>;

interface TargetFailure {
  readonly outcome: 'failed' | 'ambiguous';
  readonly reason: string;
  readonly retryAfterMs: number;
}

/**
 * The delay before an event is sent again, after so many attempts: exponential up to `maxMs`, with jitter of a quarter, so
 * that events that failed together are not retried together.
 */
export const retryDelayMs = (attempts: number, maxMs: number): number =>
  Math.min(maxMs, minDelayMs * 2 ** Math.max(0, attempts - 1)) * (1 + Math.random() / 4);

/** The cooldown of an unavailable target, after so many failures in a row. */
export const cooldownMs = (failures: number): number => retryDelayMs(failures, maxCooldownMs);

/**
 * Stops the attempts for a target that fails: for a cooldown at first, then for all but a few events until one is
 * delivered. An event that failed before, or of which the target was told, may fail by itself, so that only several such
 * failures count. An outage is logged once, when it begins and when it ends.
 */
export class CircuitBreaker {
  /** Why the target counts as unavailable; undefined while it is available. */
  error: string | undefined;
  private failures = 0;
  private ambiguousFailures = 0;
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
    // Several, because each of them may fail by itself.
    return Math.min(maxProbes - this.probes.size, free);
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
    this.ambiguousFailures = 0;
    this.cooldownUntilMs = 0;
  }

  /** Records that the target may have failed, and returns whether it counts as unavailable now. */
  recordFailure({ outcome, reason, retryAfterMs }: TargetFailure, { attempts }: Attempt): boolean {
    if (!this.isOfTarget(outcome === 'ambiguous', attempts > 1 && retryAfterMs === 0)) return false;
    const now = performance.now();
    // Requests that were in progress when the cooldown began belong to the same failure: they do not prolong it.
    const isNew = now >= this.cooldownUntilMs;
    if (isNew) this.failures++;
    // About ten seconds at most where the target answers, because others may wait behind events that fail by themselves.
    const durationMs = isNew ? cooldownMs(outcome === 'ambiguous' ? Math.min(this.failures, 2) : this.failures) : 0;
    this.cooldownUntilMs = Math.max(this.cooldownUntilMs, now + Math.max(durationMs, retryAfterMs));
    const { host, messages } = this.target;
    if (this.error === undefined) this.log.warn({ host, reason }, messages.unavailable);
    this.error = reason;
    return true;
  }

  private isOfTarget(isAmbiguous: boolean, hasFailedBefore: boolean): boolean {
    if (this.error !== undefined || !(isAmbiguous || hasFailedBefore)) return true;
    // An ambiguous failure of the same event is counted once: repeated, it is no further evidence against the target.
    if (!(isAmbiguous && hasFailedBefore)) this.ambiguousFailures++;
    return this.ambiguousFailures >= maxAmbiguousFailures;
  }
}
