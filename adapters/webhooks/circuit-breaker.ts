import type { Log } from '../../application/ports/log.ts';

const minDelayMs = 5_000;
/** The longest delay between two attempts for an event. */
export const maxDelayMs = 3_600_000;
/** Short, so that events are delivered soon after a receiver is available again. */
const maxCooldownMs = 60_000;

const maxConcurrency = 16;
/** After this many rejected events in a row the receiver counts as unavailable. */
const maxRejections = 8;

/** Exponential backoff, with jitter of a quarter so that events that failed together are not retried together. */
const backoffMs = (attempts: number, maxMs: number): number =>
  Math.min(maxMs, minDelayMs * 2 ** Math.max(0, attempts - 1)) * (1 + Math.random() / 4);

/** The delay before an event is sent again, after so many attempts. */
export const retryDelayMs = (attempts: number): number => backoffMs(attempts, maxDelayMs);

/** The cooldown of an unavailable receiver, after so many failures in a row. */
export const cooldownMs = (failures: number): number => backoffMs(failures, maxCooldownMs);

/**
 * Limits the requests to a receiver that fails. After a failure it sends nothing for a while, then one event at a time
 * until one is delivered. An outage is logged once, when it begins and when it ends.
 */
export class CircuitBreaker {
  /** Why the receiver counts as unavailable; undefined while it is available. */
  error: string | undefined;
  private failures = 0;
  private rejections = 0;
  /** When the cooldown ends, by the clock of `performance.now()`. */
  private cooldownUntilMs = 0;

  constructor(
    private readonly host: string,
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

  recordDelivery(): void {
    if (this.error !== undefined) this.log.info({ host: this.host }, 'a webhook accepts events again');
    this.error = undefined;
    this.failures = 0;
    this.rejections = 0;
    this.cooldownUntilMs = 0;
  }

  recordFailure(outcome: 'rejected' | 'failed', reason: string, retryAfterMs: number): void {
    if (outcome === 'rejected' && ++this.rejections < maxRejections) {
      this.warn(reason, 'a webhook rejected an event, which is retried later');
      return;
    }
    const now = performance.now();
    // Requests that were in progress when the cooldown began belong to the same failure.
    if (now >= this.cooldownUntilMs) this.failures++;
    const ownCooldownMs = outcome === 'rejected' ? minDelayMs : cooldownMs(this.failures);
    this.cooldownUntilMs = Math.max(this.cooldownUntilMs, now + Math.max(ownCooldownMs, retryAfterMs));
    this.warn(reason, 'a webhook is unavailable; its events are retried later');
    this.error = reason;
  }

  private warn(reason: string, message: string): void {
    if (this.error === undefined) this.log.warn({ host: this.host, reason }, message);
  }
}
