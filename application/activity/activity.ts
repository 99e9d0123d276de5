import { left, right } from 'fp-ts/lib/Either.js';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import { failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Authorization } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/** How many users may wait for their write. Further ones are noted at their next check. */
const maxWaiting = 1_000;

/** How many users are written at once. */
const atOnce = 4;

/** Nobody who has taken the address of the user since. */
const theSame =
  ({ creationTime, id }: User): Authorization<'user_not_found'> =>
  async (stored) =>
    stored !== undefined && stored.user.creationTime === creationTime && stored.user.id === id
      ? right(stored)
      : left(failure('user_not_found'));

/**
 * Notes in the user when its password was last right, at most once per precision, which all processes share by the stored
 * time. It writes in the background, and drops what it cannot write: a later check notes it.
 */
export class Activity {
  private readonly waiting = new Set<EmailKey>();
  /** The last write of each of the queues. */
  private readonly queues = Array.from({ length: atOnce }, () => Promise.resolve());
  private scheduled = 0;
  /** Rises when a write fails. What was scheduled before is dropped, because the store is probably not available. */
  private failures = 0;
  private stopped = false;

  constructor(
    private readonly updates: Pick<OptimisticUpdate, 'record'>,
    /** How much older than the last check the noted time may be, in milliseconds. */
    private readonly precisionMs: number,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Schedules the write for a user whose password was right, if it is due. Returns at once and never throws. */
  note(user: User): void {
    const now = this.clock.now();
    if (!this.isDue(user, now) || this.stopped || this.waiting.size >= maxWaiting) return;
    const key = keyOf(user.email.address);
    if (this.waiting.has(key)) return;
    this.waiting.add(key);
    const queue = this.scheduled++ % atOnce;
    const { failures } = this;
    this.queues[queue] = (this.queues[queue] ?? Promise.resolve()).then(() => this.write(key, user, now, failures));
  }

  /** Resolves when the running writes are done; waiting ones are dropped. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.queues);
  }

  private isDue({ lastCheckTime }: User, now: number): boolean {
    return lastCheckTime === undefined || now - lastCheckTime >= this.precisionMs;
  }

  private async write(key: EmailKey, user: User, now: number, failures: number): Promise<void> {
    try {
      // Let the check respond first.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.stopped || failures !== this.failures) return;
      // A refusal is no error: the user is gone, has another address, or others keep changing it.
      await this.updates.record({
        key,
        authorize: theSame(user),
        transition: (stored) => right(this.isDue(stored, now) ? { ...stored, lastCheckTime: now } : stored),
        // No event, because the user did not change anything.
        events: [],
        whenContended: 'contended',
      });
    } catch (error) {
      const reason = error instanceof Fault ? error.message : 'unexpected';
      if (failures === this.failures)
        this.log.warn({ reason }, 'could not note when a password was right; later checks try again');
      this.failures++;
    } finally {
      this.waiting.delete(key);
    }
  }
}
