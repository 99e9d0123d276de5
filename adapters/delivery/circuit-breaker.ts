import type { DeliveryMessages, DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { Log } from '../../application/ports/log.ts';

const minDelayMs = 5_000;
/** Short, so that events are delivered soon after a target is available again. */
const maxCooldownMs = 60_000;

const maxConcurrency = 16;

/** Exponential backoff, with jitter of a quarter so that events that failed together are not retried together. */
const backoffMs = (attempts: number, maxMs: number): number =>
  Math.min(maxMs, minDelayMs * 2 ** Math.max(0, attempts - 1)) * (1 + Math.random() / 4);

/** The delay before an event is sent again, after so many attempts: up to `maxMs` and the jitter. */
export const retryDelayMs = (attempts: number, maxMs: number): number => backoffMs(attempts, maxMs);

/** The cooldown of an unavailable target, after so many failures in a row. */
export const cooldownMs = (failures: number): number => backoffMs(failures, maxCooldownMs);

/**
 * Limits the attempts for a target that fails. After a failure it sends nothing for a while, then one event at a time
 * until one is delivered. An outage is logged once, when it begins and when it ends.
 */
export class CircuitBreaker {
  /** Why the target counts as unavailable; undefined while it is available. */
  error: string | undefined;
  private failures = 0;
  private rejections = 0;
  /** When the cooldown ends, by the clock of `performance.now()`. */
  private cooldownUntilMs = 0;

  constructor(
    private readonly target: Pick<DeliveryTarget, 'host' | 'messages' | 'maxRejections'>,
    private readonly log: Log,
  ) {}

  /** How long to wait before the next request, in milliseconds; not positive if one can be sent now. */
  get remainingCooldownMs(): number {
    return this.cooldownUntilMs - performance.now();
  }

  /** How many requests may be in progress at once. */
  get concurrency(): number {
    return this.error === undefined ? maxConcurrency : 1;
  }

  /** Records a success. Called also after one event was refused for good, because the target is available then. */
  recordDelivery(): void {
    const { host, messages } = this.target;
    if (this.error !== undefined) this.log.info({ host }, messages.available);
    this.error = undefined;
    this.failures = 0;
    this.rejections = 0;
    this.cooldownUntilMs = 0;
  }

  recordFailure(outcome: 'rejected' | 'failed', reason: string, retryAfterMs: number): void {
    if (outcome === 'rejected' && ++this.rejections < this.target.maxRejections) {
      this.warn(reason, 'rejected');
      return;
    }
    const now = performance.now();
    // Requests that were in progress when the cooldown began belong to the same failure.
    if (now >= this.cooldownUntilMs) this.failures++;
    const ownCooldownMs = outcome === 'rejected' ? minDelayMs : cooldownMs(this.failures);
    this.cooldownUntilMs = Math.max(this.cooldownUntilMs, now + Math.max(ownCooldownMs, retryAfterMs));
    this.warn(reason, 'unavailable');
    this.error = reason;
  }

  private warn(reason: string, message: keyof DeliveryMessages): void {
    const { host, messages } = this.target;
    if (this.error === undefined) this.log.warn({ host, reason }, messages[message]);
  }
}
