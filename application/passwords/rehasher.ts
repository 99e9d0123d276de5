import { createHash } from 'node:crypto';
import { right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { withRehashedPassword } from '../../domain/user-update.ts';
import { sameText } from '../constant-time.ts';
import type { Log } from '../ports/log.ts';
import type { HashStatus, PasswordHash } from '../ports/password-hash.ts';
import type { UserStore } from '../ports/user-store.ts';
import { whilePasswordIs } from '../writing/authorization.ts';
import { BackgroundUpdates } from '../writing/background-updates.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/**
 * The digest of a stored hash that `current` replaces. It is bound to `current`, so that it ends with a new password. Only
 * for hashes with a salt: the digest of one without would let its password be guessed as fast as before.
 */
export const digestOfFormer = (former: string, current: string): string =>
  createHash('sha256')
    .update(JSON.stringify([former, current]))
    .digest('base64url');

/** Whether a text is the stored hash that the present one of the user replaced. */
export const isKnownFormer = (given: string, { password, formerHashDigest }: User): boolean =>
  formerHashDigest !== undefined && sameText(formerHashDigest, digestOfFormer(given, password));

/** How many passwords may wait for their hash. Further ones are scheduled again by their next check. */
const maxQueueLength = 100;

const isOutdated = (status: HashStatus): boolean => status === 'outdated' || status === 'expensive';

/**
 * Upgrades outdated stored hashes to the configured algorithm and costs after a successful login. It works in the
 * background on one password at a time, so that logins wait for at most one further hash.
 */
export class Rehasher extends BackgroundUpdates {
  constructor(
    private readonly users: UserStore,
    private readonly updates: OptimisticUpdate,
    private readonly algorithm: PasswordHash,
    log: Log,
  ) {
    super(log, 'could not rehash a password; its next check tries again', maxQueueLength);
  }

  /**
   * Schedules the upgrade of a verified password. Returns whether its stored hash is outdated. Returns at once and
   * never throws.
   */
  schedule(user: User, password: string): boolean {
    if (!isOutdated(this.algorithm.inspect(user.password)) || !this.algorithm.canHash(password)) return false;
    this.runLater(user, (key) => this.rehash(key, user.password, password));
    return true;
  }

  private async rehash(key: EmailKey, outdated: string, password: string): Promise<void> {
    // Another process may have upgraded or removed the user by now; that costs no hash.
    const stored = await this.users.find(key);
    if (stored?.user.password !== outdated) return;
    const rehashed = await this.algorithm.hash(password);
    // An expensive hash that a client sends back is never verified, so it must be recognized.
    const isExpensive = this.algorithm.inspect(outdated) === 'expensive';
    const digest = isExpensive ? digestOfFormer(outdated, rehashed) : undefined;
    // A refusal is no error: the password has changed, the user is gone or would become too large.
    await this.updates.record({
      key,
      authorize: whilePasswordIs(outdated),
      transition: (user) => right(withRehashedPassword(user, rehashed, digest)),
      // No event, because the user did not change anything.
      events: [],
      whenTooLarge: 'user_too_large',
    });
  }
}
