import { type Either, isLeft, left } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import { Fault } from '../fault.ts';
import type { Attempt, AttemptCounter, AttemptLimits, AttemptStatus } from '../ports/attempt-counter.ts';

/** How many passwords of one user are checked at once in this process: what several processes may check too many. */
const mostAtOnce = 4;

/** The checks of one user's password in this process. */
class Checks {
  /** Those who wait for their check, or are in it. */
  present = 0;
  running = 0;
  /** How many failed since somebody came. */
  failed = 0;
  private readonly waiting: (() => void)[] = [];

  /** Resolves when a check ended, or there is room for another one. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  next(): void {
    this.waiting.shift()?.();
  }

  everybody(): void {
    for (const proceed of this.waiting.splice(0)) proceed();
  }
}

/**
 * Bounds how many wrong passwords can be tried (OWASP Authentication Cheat Sheet, "Account Lockout").
 *
 * A failure is counted after its check, so that a right password costs no write, however many callers use it at once.
 * In between a process lets no more checks of one user begin than there are failures left, and the others wait.
 */
export class LoginThrottle {
  private readonly users = new Map<EmailKey, Checks>();

  constructor(
    private readonly attempts: AttemptCounter,
    private readonly limits: Pick<AttemptLimits, 'failures'>,
    /** After how many milliseconds nobody waits for an answer any more. */
    private readonly patience: number,
  ) {}

  /**
   * What comes of a check of a password. Left: `too_many_attempts` without a check, or what the check refuses, which
   * counts as a failure. A check that throws counts as none. Throws a Fault `overloaded` when its turn comes too late.
   */
  async admit<Admitted>(
    attempt: Attempt,
    check: () => Promise<Either<Failure, Admitted>>,
  ): Promise<Either<Failure, Admitted>> {
    const checks = this.checksOf(attempt.user);
    checks.present++;
    try {
      const standing = await this.begin(attempt, checks);
      if (standing.blockedFor > 0) {
        checks.everybody();
        return left({ code: 'too_many_attempts', retryAfterSeconds: Math.ceil(standing.blockedFor / 1000) });
      }
      return await this.counted(attempt, standing, checks, check);
    } finally {
      checks.next();
      checks.present--;
      if (checks.present === 0) this.users.delete(attempt.user);
    }
  }

  private checksOf(user: EmailKey): Checks {
    const known = this.users.get(user) ?? new Checks();
    this.users.set(user, known);
    return known;
  }

  /** Waits until a check may begin, which it then has to, or until none may. */
  private async begin(attempt: Attempt, checks: Checks): Promise<AttemptStatus> {
    const deadline = performance.now() + this.patience;
    for (;;) {
      if (performance.now() > deadline)
        throw new Fault('overloaded', 'too many passwords of one user wait for their check');
      const { failed } = checks;
      const standing = await this.attempts.statusOf(attempt);
      if (standing.blockedFor > 0) return standing;
      // What was read is older than a failure that was counted meanwhile.
      if (checks.failed !== failed) continue;
      const room = Math.max(1, Math.min(mostAtOnce, this.limits.failures - standing.counted));
      if (checks.running < room) {
        checks.running++;
        if (checks.running < room) checks.next();
        return standing;
      }
      await checks.turn();
    }
  }

  private async counted<Admitted>(
    attempt: Attempt,
    { counted }: AttemptStatus,
    checks: Checks,
    check: () => Promise<Either<Failure, Admitted>>,
  ): Promise<Either<Failure, Admitted>> {
    try {
      const outcome = await check();
      if (isLeft(outcome)) {
        await this.attempts.failed(attempt);
        checks.failed++;
      } else if (counted > 0) await this.attempts.forget(attempt.user);
      return outcome;
    } finally {
      checks.running--;
    }
  }
}
