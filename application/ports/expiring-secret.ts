import type { Clock } from './clock.ts';

/** A secret of a configuration. Two of them are valid at the same time while clients change from one to the other. */
export interface ExpiringSecret {
  /** The time from which it is refused, in milliseconds since the epoch; null if it does not expire. */
  readonly expires: number | null;
}

/** Whether a secret is still valid at a time, in milliseconds since the epoch. */
export const isValidAt = ({ expires }: ExpiringSecret, now: number): boolean => expires === null || now < expires;

/** How often a secret was used. */
export interface UseCount {
  requests: number;
  /** The time of the last request, in milliseconds since the epoch; 0 before the first one. */
  lastMs: number;
}

/** What one of the two secrets of a key has been used for since the start, so that operators know when to remove it. */
export interface SecretUse {
  /** Where the secret is in the configuration, such as `auth.keys[0].secrets[1]`. */
  readonly option: string;
  /** Identifies the secret of the key, wherever it is in the configuration. */
  readonly id: string;
  /** Shared with the same secret of the former configuration. */
  count: UseCount;
  readonly clock: Clock;
}

/** The uses of the secrets of a key; null for the only secret of a key, whose uses need not be told apart. */
export const usesOf = (secrets: readonly Omit<SecretUse, 'count'>[]): readonly (SecretUse | null)[] =>
  secrets.map((secret) => (secrets.length < 2 ? null : { ...secret, count: { requests: 0, lastMs: 0 } }));

/** Continues the counts of secrets that the former configuration has, too, possibly in other places. */
export const continueCounts = (uses: readonly SecretUse[], former: readonly SecretUse[]): void => {
  for (const use of uses) use.count = former.find(({ id }) => id === use.id)?.count ?? use.count;
};
