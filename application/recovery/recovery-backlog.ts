import { Fault } from '../fault.ts';
import type { EventOutbox } from '../ports/event-outbox.ts';
import { recoveryDestination } from './request-recovery.ts';

/** Answers per second, at least: a process works on 16 requests at once, and a slow database needs seconds for one. */
const minAnswersPerSecond = 5;
/** Bounds the cost of counting the requests that wait, and how long a person waits for the mail. */
const maxWaiting = 5_000;
const recountAfterMs = 1_000;
const retryAfterSeconds = 30;

/**
 * Refuses a request for a recovery while so many wait that it would not be answered before it expires. The requests of
 * all processes are counted, whatever address they are for, so that a refusal does not reveal whether a user exists.
 */
export class RecoveryBacklog {
  private readonly limit: number;
  private counted: Promise<number> | undefined;
  private countedAtMs = 0;
  /** The requests of this process since then. */
  private added = 0;

  constructor(
    private readonly outbox: Pick<EventOutbox, 'pending'>,
    lifetimeMs: number,
  ) {
    this.limit = Math.min(maxWaiting, Math.ceil((lifetimeMs / 1_000) * minAnswersPerSecond));
  }

  /** Throws a Fault if no other request can be stored now. */
  async admit(): Promise<void> {
    if (this.counted === undefined || performance.now() - this.countedAtMs >= recountAfterMs) {
      this.countedAtMs = performance.now();
      this.added = 0;
      this.counted = this.outbox.pending(recoveryDestination, this.limit);
    }
    this.added++;
    const { counted, added } = this;
    try {
      if ((await counted) + added <= this.limit) return;
    } catch (error) {
      this.counted = undefined;
      throw error;
    }
    throw new Fault('overloaded', 'too many requests for a recovery are waiting', { retryAfterSeconds });
  }
}
