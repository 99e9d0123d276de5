import { isRight, right } from 'fp-ts/lib/Either.js';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { KnownPasswords } from '../ports/password-quality.ts';
import { whilePasswordIs } from '../writing/authorization.ts';
import { BackgroundUpdates } from '../writing/background-updates.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/** How many users may wait for their event. Further ones are scheduled again by their next login. */
const maxQueueLength = 100;

/** How many users with an event are kept; the oldest is dropped first, and may get another event. */
const maxReported = 10_000;

const intervalMs = 24 * 3_600_000;

/**
 * Stores the event `password.listed` after a successful login with a known password, at most once a day for each user
 * in this process. It works in the background on one user at a time.
 */
export class ListedPasswords extends BackgroundUpdates {
  /** When the last event of a user was stored. */
  private readonly reported = new Map<EmailKey, number>();

  constructor(
    private readonly known: KnownPasswords,
    private readonly updates: Pick<OptimisticUpdate, 'record'>,
    private readonly clock: Clock,
    log: Log,
  ) {
    super(log, 'could not store an event about a listed password; the next login tries again', maxQueueLength);
  }

  /** Schedules the event of a user if the verified password is listed. Returns at once and never throws. */
  schedule(user: User, password: string): void {
    if (this.wasReported(keyOf(user.email.address)) || !this.known.has(password)) return;
    this.runLater(user, (key) => this.report(key, user.password));
  }

  private wasReported(key: EmailKey): boolean {
    return this.clock.now() < (this.reported.get(key) ?? Number.NEGATIVE_INFINITY) + intervalMs;
  }

  private async report(key: EmailKey, hash: string): Promise<void> {
    // The user stays the same: a store writes events together with a user.
    const stored = await this.updates.record({
      key,
      authorize: whilePasswordIs(hash),
      transition: right,
      events: ['password.listed'],
    });
    if (isRight(stored)) this.keepReported(key);
  }

  private keepReported(key: EmailKey): void {
    this.reported.delete(key);
    this.reported.set(key, this.clock.now());
    if (this.reported.size <= maxReported) return;
    const [oldest = key] = this.reported.keys();
    this.reported.delete(oldest);
  }
}
