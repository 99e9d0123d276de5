import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { reasonOf } from '../fault.ts';
import type { Log } from '../ports/log.ts';

/**
 * Updates users in the background after a password was right, and each user once at a time. It drops what it cannot do,
 * because a later check schedules it again.
 */
export abstract class BackgroundUpdates {
  private readonly queued = new Set<EmailKey>();
  /** The last update of each of the queues. */
  private readonly queues: Promise<void>[];
  private scheduled = 0;
  /** Rises when an update fails. What was scheduled before is dropped, because the store is probably not available. */
  private failures = 0;
  private stopped = false;

  constructor(
    private readonly log: Log,
    /** What the log says of a failure. */
    private readonly failure: string,
    /** How many users may wait. */
    private readonly maxWaiting: number,
    /** How many users are updated at once. */
    atOnce = 1,
  ) {
    this.queues = Array.from({ length: atOnce }, () => Promise.resolve());
  }

  /** Schedules an update, unless too many wait. Returns at once and never throws. */
  protected runLater({ email }: User, update: (key: EmailKey) => Promise<unknown>): void {
    const key = keyOf(email.address);
    if (this.stopped || this.queued.size >= this.maxWaiting || this.queued.has(key)) return;
    this.queued.add(key);
    const queue = this.scheduled++ % this.queues.length;
    const { failures } = this;
    this.queues[queue] = (this.queues[queue] ?? Promise.resolve()).then(() => this.run(key, update, failures));
  }

  /** Resolves when the running updates are done; waiting ones are dropped. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.queues);
  }

  private async run(key: EmailKey, update: (key: EmailKey) => Promise<unknown>, failures: number): Promise<void> {
    try {
      // Let the check respond first.
      await new Promise((resolve) => setImmediate(resolve));
      if (!this.stopped && failures === this.failures) await update(key);
    } catch (error) {
      if (failures === this.failures) this.log.warn({ reason: reasonOf(error) }, this.failure);
      this.failures++;
    } finally {
      this.queued.delete(key);
    }
  }
}
