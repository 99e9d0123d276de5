import { hash } from 'node:crypto';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Fault, unlessDamaged } from '../../application/fault.ts';
import {
  type Attempt,
  AttemptCounter,
  type AttemptLimits,
  type AttemptStatus,
} from '../../application/ports/attempt-counter.ts';
import type { Log } from '../../application/ports/log.ts';
import type { StorePorts } from '../../application/ports/user-store.ts';

/** The options that the limiters of all databases share. Durations are in seconds, with fractions. */
export interface LimiterOptions {
  readonly keyPrefix: string;
  readonly points: number;
  readonly duration: number;
  readonly blockDuration: number;
}

/** Where limiters keep their counts. */
export interface LimiterStorage {
  limiter(options: LimiterOptions): RateLimiterAbstract;
  /** Runs calls of the limiters within a timeout, and throws their errors as Faults. */
  call<Result>(work: () => Promise<Result>): Promise<Result>;
  check(): Promise<string>;
  close(): Promise<void>;
}

/** The limiter blocks a count above its points, but here the failure that reaches the limit must block. */
const optionsOf = (
  keyPrefix: string,
  failures: number,
  { windowMs, blockMs }: Pick<AttemptLimits, 'windowMs' | 'blockMs'>,
): LimiterOptions => ({
  keyPrefix,
  points: failures - 1,
  duration: windowMs / 1000,
  blockDuration: blockMs / 1000,
});

/** A key of fixed length that hides the user or address. */
const digest = (text: string): string => hash('sha256', text, 'base64url');

const remainingMs = (limiter: RateLimiterAbstract, found: RateLimiterRes | null | undefined): number =>
  found && found.consumedPoints > limiter.points ? Math.max(0, found.msBeforeNext) : 0;

/** Counts start at one and expire, except in memory, where an expired one can remain until a timer removes it. */
const isValid = (limiter: RateLimiterAbstract, { consumedPoints, msBeforeNext }: RateLimiterRes): boolean =>
  Number.isSafeInteger(consumedPoints) &&
  consumedPoints >= 0 &&
  Number.isFinite(msBeforeNext) &&
  (msBeforeNext >= 0 || limiter instanceof RateLimiterMemory);

/**
 * Whether a count ends so much later than any can that the clock was set back since it was stored. What has passed since
 * then is unknown. Twice the limit, because the clocks of instances differ.
 */
const isOfLaterClock = (
  { msDuration, msBlockDuration }: RateLimiterAbstract,
  { msBeforeNext }: RateLimiterRes,
): boolean => msBeforeNext > 2 * Math.max(msDuration, msBlockDuration);

/**
 * The count under a key. One from before the clock was set back starts again, because it would block for as long. Throws
 * the Fault `store_rejected` that names `record` for one that another program has damaged: the limiters convert values
 * unchecked, and with NaN no check would ever start.
 */
const read = async (limiter: RateLimiterAbstract, record: string): Promise<RateLimiterRes | null> => {
  let cause: unknown;
  try {
    const found = await limiter.get(digest(record));
    if (found === null) return null;
    if (isValid(limiter, found)) {
      if (!isOfLaterClock(limiter, found)) return found;
      await limiter.delete(digest(record));
      return null;
    }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    cause = error;
  }
  const message = 'a count of wrong passwords is damaged; unblock the user to remove it';
  throw new Fault('store_rejected', message, { record, cause });
};

/** The count of a client address. A damaged one is removed, because it would refuse all users behind the address. */
const readClient = (limiter: RateLimiterAbstract, client: string): Promise<RateLimiterRes | null> =>
  unlessDamaged(read(limiter, client), async () => {
    await limiter.delete(digest(client));
    return null;
  });

/** An expired count can remain until a timer removes it. */
const failuresIn = (found: RateLimiterRes | null): number =>
  found !== null && found.msBeforeNext > 0 ? found.consumedPoints : 0;

const add = async (limiter: RateLimiterAbstract, record: string): Promise<void> => {
  try {
    await limiter.consume(digest(record));
  } catch (error) {
    // The limiter rejects with its result when the limit is reached.
    if (error instanceof RateLimiterRes) return;
    // A damaged count cannot be added to; its Fault names it. A database that is down is not asked again: the call would
    // take twice its timeout.
    if (!(error instanceof Fault && error.code === 'store_unavailable')) await read(limiter, record);
    throw error;
  }
};

/** Counts wrong passwords with the limiters of rate-limiter-flexible, which support many databases. */
export class RateLimitedAttempts extends AttemptCounter {
  private readonly users: RateLimiterAbstract;
  private readonly clients: RateLimiterAbstract | undefined;

  constructor(
    private readonly storage: LimiterStorage,
    limits: AttemptLimits,
  ) {
    super();
    this.users = storage.limiter(optionsOf('user', limits.failures, limits));
    if (limits.clientFailures > 0)
      this.clients = storage.limiter(optionsOf('client', limits.clientFailures, limits.ofClients ?? limits));
  }

  status({ user, client }: Attempt): Promise<AttemptStatus> {
    const { users, clients } = this;
    return this.storage.call(() => {
      const ofClient = client === undefined || clients === undefined ? null : readClient(clients, client);
      return Promise.all([read(users, user), ofClient]).then(([userCount, clientCount]) => {
        const clientMs = clients === undefined ? 0 : remainingMs(clients, clientCount);
        const blockedForMs = Math.max(remainingMs(users, userCount), clientMs);
        return { blockedForMs, failures: failuresIn(userCount) };
      });
    });
  }

  async recordFailure({ user, client }: Attempt): Promise<void> {
    const { users, clients } = this;
    await this.storage.call(async () => {
      const ofClient = client === undefined || clients === undefined ? undefined : add(clients, client);
      // Ends after both: whoever counts a failure again that was refused must not meet the rest of this call.
      const counted = await Promise.allSettled([add(users, user), ofClient]);
      for (const outcome of counted) if (outcome.status === 'rejected') throw outcome.reason;
    });
  }

  async reset(user: string): Promise<void> {
    await this.storage.call(() => this.users.delete(digest(user)));
  }

  check(): Promise<string> {
    return this.storage.check();
  }

  close(): Promise<void> {
    return this.storage.close();
  }
}

/** Counts wrong passwords in the memory of this process. */
export const inMemoryAttempts = (limits: AttemptLimits): AttemptCounter =>
  new RateLimitedAttempts(
    {
      limiter: (options) => new RateLimiterMemory(options),
      call: (work) => work(),
      check: async () => 'wrong passwords are counted in memory',
      close: async () => undefined,
    },
    limits,
  );

/** Opens the attempt counter of a store, or one in the memory of this process if the store has none. */
export const openLimitedAttempts = async (
  { attempts }: StorePorts,
  limits: AttemptLimits,
  log: Log,
): Promise<AttemptCounter> => {
  if (attempts !== undefined) return attempts(limits);
  log.warn({}, 'the database cannot count wrong passwords: each process counts in its memory until it stops');
  return inMemoryAttempts(limits);
};
