/** What a request of the model does. */
export type Action = 'login' | 'wrong password' | 'update' | 'sign-up';

/** A request of the model. */
export interface Arrival {
  /** When it is sent, in milliseconds after the start of the day. */
  readonly atMs: number;
  /** The hour of the day, 0 to 23. */
  readonly hour: number;
  readonly action: Action;
  /** The number of the user, from 0. */
  readonly user: number;
}

/** The parameters of the model. */
export interface LoginDay {
  readonly users: number;
  /** The duration of the whole day. Its 24 hours are equally long. */
  readonly durationMs: number;
  /** The requests per second in the busiest hour. */
  readonly peakPerSecond: number;
  /** The exponent of Zipf's law: the user of rank r is active in proportion to 1 / r^exponent. */
  readonly exponent: number;
}

/** The load of each hour relative to the busiest: quiet nights, and a peak in the evening. */
export const hourlyShare: readonly number[] = [
  0.25, 0.15, 0.1, 0.08, 0.08, 0.12, 0.25, 0.45, 0.6, 0.65, 0.65, 0.68, 0.72, 0.7, 0.65, 0.65, 0.7, 0.78, 0.88, 0.96, 1,
  0.92, 0.7, 0.45,
];

/** The busiest hour. */
export const peakHour = hourlyShare.indexOf(1);

/** The share of each action. Most requests are logins, because callers check the password at every call. */
const shareOf: Readonly<Record<Exclude<Action, 'login'>, number>> = {
  'wrong password': 0.03,
  update: 0.015,
  'sign-up': 0.005,
};

/** The share of logins of the user of each rank, from the most active one. */
export const zipfShares = (users: number, exponent: number): readonly number[] => {
  const weights = Array.from({ length: users }, (_, rank) => 1 / (rank + 1) ** exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** Draws ranks with the probability of their shares. */
const sampler = (shares: readonly number[], random: () => number): (() => number) => {
  const ends: number[] = [];
  let end = 0;
  for (const share of shares) {
    end += share;
    ends.push(end);
  }
  return () => {
    const drawn = random() * end;
    let [low, high] = [0, ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
};

/** A number of a user that is not near those of the next ranks: active users are not neighbours in an index. */
const userOfRank = (rank: number, users: number): number => Number((BigInt(rank) * 2_654_435_761n) % BigInt(users));

const actionOf = (drawn: number): Action => {
  let end = 0;
  for (const action of ['wrong password', 'update', 'sign-up'] as const) {
    end += shareOf[action];
    if (drawn < end) return action;
  }
  return 'login';
};

/**
 * The requests of a day in their order: independent arrivals (a Poisson process whose rate follows `hourlyShare`),
 * users by Zipf's law. `random` returns numbers from 0 to below 1.
 */
export const loginDay = (day: LoginDay, random: () => number = Math.random): readonly Arrival[] => {
  const { users, durationMs, peakPerSecond, exponent } = day;
  const rankOf = sampler(zipfShares(users, exponent), random);
  const hourMs = durationMs / hourlyShare.length;
  const arrivals: Arrival[] = [];
  // Candidates at the highest rate, each kept with the share of its hour (thinning).
  for (let atMs = 0; ; ) {
    atMs += (-Math.log(1 - random()) * 1_000) / peakPerSecond;
    if (atMs >= durationMs) return arrivals;
    const hour = Math.floor(atMs / hourMs);
    if (random() >= (hourlyShare[hour] ?? 0)) continue;
    arrivals.push({ atMs, hour, action: actionOf(random()), user: userOfRank(rankOf(), users) });
  }
};

/**
 * The share of logins for which a cache holds the user, if an entry ends `ttlSeconds` after its first login and the
 * cache has room for all: of 1 + n logins, where n are expected while the entry lasts, n find it.
 */
export const expectedHits = (shares: readonly number[], loginsPerSecond: number, ttlSeconds: number): number =>
  shares.reduce((hits, share) => {
    const perEntry = loginsPerSecond * share * ttlSeconds;
    return hits + (share * perEntry) / (1 + perEntry);
  }, 0);
