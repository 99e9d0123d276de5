import { left, right } from 'fp-ts/lib/Either.js';
import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import { failure } from '../../domain/failure.ts';
import { type User, withPassword } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { HashStatus, PasswordHash } from '../ports/password-hash.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';
import type { Renewal } from './password-check.ts';
import type { Authorization } from './passwords.ts';

/** How many passwords wait to be stored anew. Whoever finds no place comes again with the next check. */
const longestQueue = 100;

/** How many expensive forms are remembered after they were replaced; the oldest is forgotten first. */
const longestMemory = 10_000;

/** Whether a form is to be replaced. */
const isOutdated = (status: HashStatus): boolean => status === 'outdated' || status === 'expensive';

/** Lets a user be changed as long as its password has this form. */
const holding =
  (form: string): Authorization =>
  async (user) =>
    user?.password === form ? right(user) : left(failure('user_not_found'));

/**
 * Stores passwords anew that were checked against an outdated form: hashed with the configured algorithm and costs. It
 * works behind the answers, on one password at a time, so that checks wait for one hash more at most.
 */
export class Rehasher implements Renewal {
  private readonly waiting = new Set<EmailKey>();
  /** The expensive forms that were replaced, by the forms that replaced them. */
  private readonly replaced = new Map<string, string>();
  private last: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly users: UserStore,
    private readonly change: OptimisticUpdate,
    private readonly algorithm: PasswordHash,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  offer(user: User, password: string): boolean {
    if (!isOutdated(this.algorithm.inspect(user.password)) || !this.algorithm.canHash(password)) return false;
    const key = keyOf(user.email.address);
    if (!this.stopped && !this.waiting.has(key) && this.waiting.size < longestQueue) {
      this.waiting.add(key);
      this.last = this.last.then(() => this.renew(key, user.password, password));
    }
    return true;
  }

  formerOf(stored: string): string | undefined {
    return this.replaced.get(stored);
  }

  /** Takes no more. Resolves when the one at work is done; those that wait are given up. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.last;
  }

  private async renew(key: EmailKey, outdated: string, password: string): Promise<void> {
    try {
      // The answer goes first.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.stopped) return;
      // Others may have done it by now, and a user who is gone costs no hash.
      const stored = await this.users.find(key);
      if (stored?.user.password !== outdated) return;
      const renewed = await this.algorithm.hash(password);
      // Before the write, because a caller may read the new form as soon as it is stored.
      this.remember(renewed, outdated);
      // What refuses it is no failure: the password is another now, the user is gone, or would be too large.
      await this.change.apply({
        key,
        gate: holding(outdated),
        transition: (user) => withPassword(user, renewed, this.clock.now()),
        // Nothing happened to the user.
        event: null,
        whenContended: 'contended',
      });
    } catch (error) {
      const reason = error instanceof Fault ? error.message : 'unexpected';
      this.log.warn({ reason }, 'a password could not be stored anew; its next check tries again');
    } finally {
      this.waiting.delete(key);
    }
  }

  /** Keeps an expensive form, because nobody verifies it when a client sends it back. */
  private remember(renewed: string, outdated: string): void {
    if (this.algorithm.inspect(outdated) !== 'expensive') return;
    this.replaced.set(renewed, outdated);
    if (this.replaced.size <= longestMemory) return;
    const [oldest = renewed] = this.replaced.keys();
    this.replaced.delete(oldest);
  }
}
