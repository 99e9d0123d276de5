import { createHash } from 'node:crypto';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import {
  type Attempt,
  AttemptCounter,
  type AttemptLimits,
  type AttemptStatus,
} from '../../application/ports/attempt-counter.ts';
import type { EmailKey } from '../../domain/email-address.ts';

/** What a limiter of any database is made with. Durations are in seconds, fractions included. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
  readonly blockDuration: number;
}

/** Where the counts are kept. */
export interface CountingPlace {
  limiter(options: LimiterOptions): RateLimiterAbstract;
  /** Runs calls of the limiters: bounds them in time, and throws a Fault for what they throw. */
  call<Result>(work: () => Promise<Result>): Promise<Result>;
  check(): Promise<string>;
  close(): Promise<void>;
}

/** A limiter blocks what goes beyond its points, and the failure that reaches the limit is the one that blocks. */
const optionsOf = (keyPrefix: string, failures: number, { window, block }: AttemptLimits): LimiterOptions => ({
  keyPrefix,
  points: failures - 1,
  duration: window / 1000,
  blockDuration: block / 1000,
});

/** A key of one length, which does not show whom it stands for. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const remaining = (limiter: RateLimiterAbstract, found: RateLimiterRes | null | undefined): number =>
  found && found.consumedPoints > limiter.points ? Math.max(0, found.msBeforeNext) : 0;

/** What is over may still be there for a moment, until a timer removes it. */
const counted = (found: RateLimiterRes | null): number =>
  found !== null && found.msBeforeNext > 0 ? found.consumedPoints : 0;

const add = async (limiter: RateLimiterAbstract, key: string): Promise<void> => {
  try {
    await limiter.consume(key);
  } catch (error) {
    // That the limit is reached is no failure of the count.
    if (!(error instanceof RateLimiterRes)) throw error;
  }
};

/** Failed attempts as the limiters of rate-limiter-flexible count them, over any of its databases. */
export class LimitedAttempts extends AttemptCounter {
  private readonly users: RateLimiterAbstract;
  private readonly clients: RateLimiterAbstract | undefined;

  constructor(
    private readonly place: CountingPlace,
    limits: AttemptLimits,
  ) {
    super();
    this.users = place.limiter(optionsOf('user', limits.failures, limits));
    if (limits.clientFailures > 0) this.clients = place.limiter(optionsOf('client', limits.clientFailures, limits));
  }

  statusOf({ user, client }: Attempt): Promise<AttemptStatus> {
    const { users, clients } = this;
    return this.place.call(async () => {
      const [ofUser, ofClient] = await Promise.all([
        users.get(digest(user)),
        client === undefined ? undefined : clients?.get(digest(client)),
      ]);
      const blockedFor = Math.max(remaining(users, ofUser), clients === undefined ? 0 : remaining(clients, ofClient));
      return { blockedFor, counted: counted(ofUser) };
    });
  }

  async failed({ user, client }: Attempt): Promise<void> {
    const { users, clients } = this;
    await this.place.call(() =>
      Promise.all([
        add(users, digest(user)),
        client === undefined || clients === undefined ? undefined : add(clients, digest(client)),
      ]),
    );
  }

  async forget(user: EmailKey): Promise<void> {
    await this.place.call(() => this.users.delete(digest(user)));
  }

  check(): Promise<string> {
    return this.place.check();
  }

  close(): Promise<void> {
    return this.place.close();
  }
}
