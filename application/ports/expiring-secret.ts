/** A secret of a configuration. Two of them are valid at the same time while clients change from one to the other. */
export interface ExpiringSecret {
  /** The time from which it is refused, in milliseconds since the epoch; null if it does not expire. */
  readonly expires: number | null;
}

/** Whether a secret is still valid at a time, in milliseconds since the epoch. */
export const isValidAt = ({ expires }: ExpiringSecret, now: number): boolean => expires === null || now < expires;

/** What one of the two secrets of a key has been used for since the start, so that operators know when to remove it. */
export interface SecretUse {
  /** Where the secret is in the configuration, such as `auth.keys[0].secrets[1]`. */
  readonly option: string;
  requests: number;
  /** The time of the last request, in milliseconds since the epoch; 0 before the first one. */
  lastMs: number;
}

/** The uses of the secrets at these places of the configuration; null for one that is alone, which has no other to tell it from. */
export const usesOf = (options: readonly string[]): readonly (SecretUse | null)[] =>
  options.map((option) => (options.length < 2 ? null : { option, requests: 0, lastMs: 0 }));
