import { setTimeout as sleep } from 'node:timers/promises';
import { isOfRecord, reasonOf } from '../../application/fault.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { DeliveryTarget } from '../../application/ports/delivery-target.ts';
import { type ClaimedEvent, type EventOutbox, leaseMarginMs } from '../../application/ports/event-outbox.ts';
import type { Log } from '../../application/ports/log.ts';

/** How many events one call deletes, so that other work of the database is not blocked. */
const batchSize = 50;
/** The interval is a tenth of the maximum age, within these bounds. */
const minIntervalMs = 1_000;
const maxIntervalMs = 600_000;
/** The interval where events have expiry times of their own, because such an event holds a secret. */
const maxIntervalOfSecretsMs = 60_000;
/** How many events are read at once to find those whose own time is over. */
const pageSize = 500;

/** When an event expires, in milliseconds since the epoch; Infinity for one that cannot be read, which only its age ends. */
export const expiryOf = (target: DeliveryTarget, event: ClaimedEvent): number => {
  try {
    const expiry = target.expiryOf(event);
    return Number.isNaN(expiry) ? Number.POSITIVE_INFINITY : expiry;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

export interface EventExpiryOptions {
  readonly outbox: EventOutbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxAgeMs: number;
  /** The targets that are configured. */
  readonly targets: readonly DeliveryTarget[];
  /** Those whose events have expiry times of their own. */
  readonly expiring: readonly DeliveryTarget[];
}

/**
 * Deletes events that were not delivered in time, so that the addresses and links in them are not stored forever: the
 * receiver is down, rejects them, or is no longer configured. Every process does this.
 */
export class EventExpiry {
  /** How many events this process deleted, by destination. */
  readonly expired = new Map<string, number>();
  /** Why the last run failed; undefined if it succeeded. */
  error: string | undefined;
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: EventExpiryOptions) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the current call of the outbox has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const { maxAgeMs, expiring } = this.options;
    const longestMs = expiring.length === 0 ? maxIntervalMs : maxIntervalOfSecretsMs;
    const intervalMs = Math.min(Math.max(maxAgeMs / 10, minIntervalMs), longestMs);
    while (!signal.aborted) {
      await this.deleteExpired();
      // Jitter, so that processes that started together do not run together.
      await sleep(intervalMs * (1 + Math.random() / 4), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs each part, also after one has failed. */
  private async deleteExpired(): Promise<void> {
    const parts = [() => this.deleteOld(), ...this.options.targets.map((target) => () => this.lookThrough(target))];
    let failed: string | undefined;
    for (const part of parts) {
      try {
        await part();
      } catch (error) {
        failed ??= reasonOf(error);
      }
    }
    if (failed !== undefined && this.error === undefined)
      this.options.log.warn({ reason: failed }, 'expired events cannot be deleted');
    this.error = failed;
  }

  /** Deletes events of every destination that are older than the maximum age. */
  private async deleteOld(): Promise<void> {
    const { outbox, clock, maxAgeMs } = this.options;
    const before = Math.floor(clock.now() - maxAgeMs);
    const deleted = new Map<string, number>();
    try {
      while (!this.stopping.signal.aborted) {
        const counts = await outbox.expire(before, batchSize);
        if (counts.size === 0) break;
        for (const [destination, count] of counts) deleted.set(destination, (deleted.get(destination) ?? 0) + count);
      }
    } finally {
      for (const [destination, count] of deleted) this.report(destination, count, 'they were older than events.maxAge');
    }
  }

  /**
   * Deletes the events of a target whose own time is over. The delivery removes those that it claims; this finds those
   * that it does not claim, because the target is down. Makes those due that a clock which was fast has postponed to its
   * own future. Of events without a time of their own, of which there may be many, looks through the oldest only.
   */
  private async lookThrough(target: DeliveryTarget): Promise<void> {
    const { outbox, clock } = this.options;
    let deleted = 0;
    try {
      let after: string | undefined;
      do {
        const { events, next } = await outbox.list(target.destination, pageSize, after);
        const now = clock.now();
        const latestDue = now + 2 * Math.max(target.maxRetryDelayMs, target.timeoutMs + leaseMarginMs);
        for (const event of events) {
          if (expiryOf(target, event) <= now) {
            if (await this.change(() => outbox.done(event))) deleted++;
          } else if (event.due > latestDue) {
            // Not at once: an attempt that began before the clock was set back may be in progress.
            const due = target.postponedTo(now + target.timeoutMs + leaseMarginMs);
            await this.change(() => outbox.postpone(event, due));
          }
        }
        after = this.options.expiring.includes(target) ? next : undefined;
      } while (after !== undefined && !this.stopping.signal.aborted);
    } finally {
      if (deleted > 0) this.report(target.destination, deleted, 'their time was over');
    }
  }

  /** False for an event whose record cannot be changed, which must not keep the others. */
  private async change(run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (isOfRecord(error)) return false;
      throw error;
    }
  }

  private report(destination: string, events: number, cause: string): void {
    this.expired.set(destination, (this.expired.get(destination) ?? 0) + events);
    const target = this.options.targets.find((configured) => configured.destination === destination);
    const reason = target?.messages.expired ?? 'events of a webhook that is no longer configured';
    const fields = target === undefined ? { destination, events } : { host: target.host, events };
    this.options.log.warn(fields, `deleted ${reason}, because ${cause}`);
  }
}
