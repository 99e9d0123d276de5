import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import { Fault } from '../fault.ts';
import type {
  Attempt,
  AttemptCounter,
  AttemptLimits,
  AttemptStatus,
  AttemptThrottle,
} from '../ports/attempt-counter.ts';
import { UncountedAttempts } from './attempt-counting.ts';

/** How many passwords of one user this process checks at once: the most that it may check beyond the limit. */
const maxConcurrentChecks = 4;

/** The password checks of one user in this process. */
class UserChecks {
  /** Checks that wait or run. */
  pending = 0;
  running = 0;
  /** Checks that failed while this object existed: from the first pending check to the last one. */
  failed = 0;
  private readonly waiting: (() => void)[] = [];

  /** Resolves when a check has ended or another one may start. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  wakeNext(): void {
    this.waiting.shift()?.();
  }

  wakeAll(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}

/**
 * Limits how many wrong passwords can be tried (OWASP Authentication Cheat Sheet, "Account Lockout").
 *
 * A failure is counted after its check, so that a correct password costs no write. If that fails, it is counted before
 * the next check of the user or from the client address, which is refused while that fails too. So that parallel checks do
 * not exceed the limit, a process runs at most as many checks of one user as failures remain; further checks wait.
 *
 * With `countsFirst` each check is counted for the user before it runs, and the count ends if it succeeds. Then nothing is
 * checked while counts can be read but not written: an attacker may cause that, with guesses for many users. The client
 * address is counted after a failure alone, because no success ends its count.
 */
export class LoginThrottle implements AttemptThrottle {
  private readonly users = new Map<string, UserChecks>();
  private readonly uncounted: UncountedAttempts;

  constructor(
    private readonly attempts: AttemptCounter,
    private readonly limits: Pick<AttemptLimits, 'failures'>,
    /** How long a caller waits for the response, in milliseconds. */
    private readonly timeoutMs: number,
    private readonly countsFirst = false,
  ) {
    this.uncounted = new UncountedAttempts(attempts);
  }

  /**
   * Runs a check of a password, which returns whether the password is right; a wrong one is counted. Left:
   * `too_many_attempts` without running it. A check that throws is not counted. Throws a Fault `overloaded` if the
   * check can't start within the timeout, and that of the counter if an earlier or this failure can't be counted.
   */
  async run(attempt: Attempt, check: () => Promise<boolean>): Promise<Either<Failure<'too_many_attempts'>, boolean>> {
    const checks = this.checksOf(attempt.user);
    checks.pending++;
    try {
      const status = await this.start(attempt, checks);
      if (status.blockedForMs > 0) {
        checks.wakeAll();
        return left({ code: 'too_many_attempts', retryAfterSeconds: Math.ceil(status.blockedForMs / 1000) });
      }
      try {
        if (this.countsFirst) await this.countFirst(attempt.user, checks);
        const isRight = await check();
        if (!isRight) await this.countWrong(attempt, checks);
        else if (this.countsFirst || status.failures > 0) await this.attempts.reset(attempt.user);
        return right(isRight);
      } finally {
        checks.running--;
      }
    } finally {
      checks.wakeNext();
      checks.pending--;
      if (checks.pending === 0) this.users.delete(attempt.user);
    }
  }

  /** Resolves with a line for operators when failures can be counted and all of them are; throws a Fault otherwise. */
  async check(): Promise<string> {
    await this.uncounted.countAll();
    return this.attempts.check();
  }

  private checksOf(user: string): UserChecks {
    const checks = this.users.get(user) ?? new UserChecks();
    this.users.set(user, checks);
    return checks;
  }

  /** Waits until the check may start, and counts it as running, or until the user or client is blocked. */
  private async start(attempt: Attempt, checks: UserChecks): Promise<AttemptStatus> {
    const deadline = performance.now() + this.timeoutMs;
    for (;;) {
      if (performance.now() > deadline)
        throw new Fault('overloaded', 'too many password checks of one user are waiting');
      const { failed } = checks;
      if (this.uncounted.isAny) await this.uncounted.count(attempt);
      const status = await this.attempts.status(attempt);
      if (status.blockedForMs > 0) return status;
      // A check failed after the status was read.
      if (checks.failed !== failed) continue;
      const limit = Math.max(1, Math.min(maxConcurrentChecks, this.limits.failures - status.failures));
      if (checks.running < limit) {
        checks.running++;
        if (checks.running < limit) checks.wakeNext();
        return status;
      }
      await checks.wait();
    }
  }

  private async countFirst(user: string, checks: UserChecks): Promise<void> {
    await this.attempts.recordFailure({ user, client: undefined }).finally(() => checks.failed++);
  }

  private async countWrong(attempt: Attempt, checks: UserChecks): Promise<void> {
    const { client } = attempt;
    if (!this.countsFirst) await this.recordFailure(attempt, checks);
    // Not for the user another time: no key of one is the address of a client.
    else if (client !== undefined) await this.recordFailure({ user: client, client }, checks);
  }

  private async recordFailure(attempt: Attempt, checks: UserChecks): Promise<void> {
    try {
      await this.attempts.recordFailure(attempt);
    } catch (error) {
      this.uncounted.add(attempt);
      throw error;
    } finally {
      checks.failed++;
    }
  }
}
