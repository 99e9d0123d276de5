import { type Attempt, AttemptCounter, type AttemptStatus } from '../ports/attempt-counter.ts';

/** Counts attempts of another kind than wrong passwords with a counter of the store, apart from all others. */
export class PrefixedAttempts extends AttemptCounter {
  constructor(
    private readonly prefix: string,
    private readonly counter: AttemptCounter,
  ) {
    super();
  }

  status({ user, client }: Attempt): Promise<AttemptStatus> {
    return this.counter.status({ user: this.subject(user), client });
  }

  recordFailure({ user, client }: Attempt): Promise<void> {
    return this.counter.recordFailure({ user: this.subject(user), client });
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

  /** No address contains a space. */
  private subject(user: string): string {
    return `${this.prefix} ${user}`;
  }
}
