import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { withRehashedPassword } from '../../domain/user-update.ts';
import { Fault } from '../fault.ts';
import type { Log } from '../ports/log.ts';
import type { HashStatus, PasswordHash } from '../ports/password-hash.ts';
import type { UserStore } from '../ports/user-store.ts';
import { type OptimisticUpdate, whilePasswordIs } from '../users/optimistic-update.ts';

/** How many passwords may wait for their hash. Further ones are scheduled again by their next check. */
const maxQueueLength = 100;

/** How many replaced expensive hashes are kept; the oldest is dropped first. */
const maxFormerHashes = 10_000;

const isOutdated = (status: HashStatus): boolean => status === 'outdated' || status === 'expensive';

/**
 * Upgrades outdated stored hashes to the configured algorithm and costs after a successful login. It works in the
 * background on one password at a time, so that logins wait for at most one further hash.
 */
export class Rehasher {
  private readonly queued = new Set<EmailKey>();
  /** The expensive hashes that were replaced, by the hash that replaced them. */
  private readonly formerHashes = new Map<string, string>();
  private last: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly users: UserStore,
    private readonly updates: OptimisticUpdate,
    private readonly algorithm: PasswordHash,
    private readonly limits: UserLimits,
    private readonly log: Log,
  ) {}

  /**
   * Schedules the upgrade of a verified password. Returns whether its stored hash is outdated. Returns at once and
   * never throws.
   */
  schedule(user: User, password: string): boolean {
    if (!isOutdated(this.algorithm.inspect(user.password)) || !this.algorithm.canHash(password)) return false;
    const key = keyOf(user.email.address);
    if (!this.stopped && !this.queued.has(key) && this.queued.size < maxQueueLength) {
      this.queued.add(key);
      this.last = this.last.then(() => this.rehash(key, user.password, password));
    }
    return true;
  }

  /** The expensive hash that `stored` replaced, if it is still known. */
  formerHash(stored: string): string | undefined {
    return this.formerHashes.get(stored);
  }

  /** Resolves when the running upgrade is done; queued ones are dropped. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.last;
  }

  private async rehash(key: EmailKey, outdated: string, password: string): Promise<void> {
    try {
      // Let the login respond first.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.stopped) return;
      // Another process may have upgraded or removed the user by now; that costs no hash.
      const stored = await this.users.find(key);
      if (stored?.user.password !== outdated) return;
      const rehashed = await this.algorithm.hash(password);
      // Before the write, because a client may read the new hash as soon as it is stored.
      this.keepFormerHash(rehashed, outdated);
      // A refusal is no error: the password has changed, the user is gone or would become too large.
      await this.updates.record({
        key,
        authorize: whilePasswordIs(outdated),
        transition: (user) => this.limits.checkSize(withRehashedPassword(user, rehashed)),
        // No event, because the user did not change anything.
        events: [],
        whenContended: 'contended',
      });
    } catch (error) {
      const reason = error instanceof Fault ? error.message : 'unexpected';
      this.log.warn({ reason }, 'could not rehash a password; its next check tries again');
    } finally {
      this.queued.delete(key);
    }
  }

  /** Keeps an expensive hash, which is never verified when a client sends it back. */
  private keepFormerHash(rehashed: string, outdated: string): void {
    if (this.algorithm.inspect(outdated) !== 'expensive') return;
    this.formerHashes.set(rehashed, outdated);
    if (this.formerHashes.size <= maxFormerHashes) return;
    const [oldest = rehashed] = this.formerHashes.keys();
    this.formerHashes.delete(oldest);
  }
}
