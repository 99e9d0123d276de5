import { isOfRecord } from '../fault.ts';
import { type Attempt, AttemptCounter, type AttemptCounters, type AttemptStatus } from '../ports/attempt-counter.ts';
import { keysOf, type StoredUser } from '../ports/user-store.ts';

/** From this number on, everything must be counted before the next check. It bounds the memory, and what a restart loses. */
const maxUncounted = 1_000;

/** Counted to find out whether failures can be counted. No address equals it. */
const probe: Attempt = { user: 'check', client: undefined };

interface UncountedAttempt {
  readonly attempt: Attempt;
  /** The write in progress, which concurrent checks share. */
  counting: Promise<void> | undefined;
}

/**
 * The failures of this process that could not be counted. Each is counted before the next check of its user or from its
 * client address, so that a counter that can be read but not written allows no further guess.
 */
export class UncountedAttempts {
  private readonly failures = new Set<UncountedAttempt>();

  constructor(private readonly attempts: AttemptCounter) {}

  get isAny(): boolean {
    return this.failures.size > 0;
  }

  add(attempt: Attempt): void {
    this.failures.add({ attempt, counting: undefined });
  }

  /** Counts the failures of the user and of the client address of an attempt; throws the Fault if that fails. */
  async count({ user, client }: Attempt): Promise<void> {
    for (const failure of this.failures) {
      const isSameClient = client !== undefined && failure.attempt.client === client;
      const isDue = failure.attempt.user === user || isSameClient || this.failures.size >= maxUncounted;
      if (isDue) await this.countOnce(failure);
    }
  }

  /** Counts all of them; throws the Fault if that fails. */
  async countAll(): Promise<void> {
    if (!this.isAny) return;
    // Before the others: a write whose reply is lost may have been applied, and repeating that of a user could block them.
    await this.attempts.recordFailure(probe);
    for (const failure of this.failures) await this.countOnce(failure);
  }

  private countOnce(failure: UncountedAttempt): Promise<void> {
    failure.counting ??= this.attempts
      .recordFailure(failure.attempt)
      .then(() => void this.failures.delete(failure))
      .catch((error: unknown) => {
        // No password is checked with a damaged count, and it must not keep the others from being counted.
        if (isOfRecord(error)) this.failures.delete(failure);
        throw error;
      })
      .finally(() => {
        failure.counting = undefined;
      });
    return failure.counting;
  }
}

/** Counts attempts of another kind than wrong passwords with a counter of the store, apart from all others. */
export class PrefixedAttempts extends AttemptCounter {
  constructor(
    private readonly prefix: string,
    private readonly counter: AttemptCounter,
  ) {
    super();
  }

  status({ user, client }: Attempt): Promise<AttemptStatus> {
    return this.counter.status(this.prefixed({ user, client }));
  }

  recordFailure({ user, client }: Attempt): Promise<void> {
    return this.counter.recordFailure(this.prefixed({ user, client }));
  }

  reset(user: string): Promise<void> {
    return this.counter.reset(this.subject(user));
  }

  check(): Promise<string> {
    return this.counter.check();
  }

  close(): Promise<void> {
    return this.counter.close();
  }

  private prefixed({ user, client }: Attempt): Attempt {
    return { user: this.subject(user), client: client === undefined ? undefined : this.subject(client) };
  }

  /** No address contains a space. */
  private subject(user: string): string {
    return `${this.prefix} ${user}`;
  }
}

/** What forgets counts; undefined where nothing is counted. */
export type ForgottenCounts = Readonly<
  Partial<Record<keyof AttemptCounters, Pick<AttemptCounter, 'reset'> | undefined>>
>;

/** Forgets the failures that were counted for a user, under whichever key, which ends every block of the user. */
export const forgetFailures = async (counters: ForgottenCounts, user: StoredUser): Promise<void> => {
  const keys = keysOf(user);
  await Promise.all(Object.values(counters).flatMap((counter) => keys.map((key) => counter?.reset(key))));
};
