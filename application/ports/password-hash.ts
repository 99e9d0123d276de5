/**
 * What an algorithm makes of a stored form, from its shape alone: `current` is as it would store a password now,
 * `outdated` is its own with other costs or in an older shape, `expensive` is an outdated one that takes more memory or
 * time to verify than a new hash takes to make, and `foreign` is none that it would check.
 */
export type Recognition = 'current' | 'outdated' | 'expensive' | 'foreign';

/** How passwords are stored and compared (specification, section 1, `passwordHash.algorithm`). */
export abstract class PasswordHash {
  /** Whether the algorithm tells this password from every other one. One that it doesn't must not be hashed. */
  abstract suits(password: string): boolean;

  /** The stored form of a password that suits. Throws a Fault `overloaded` when the work would have to wait too long. */
  abstract hash(password: string): Promise<string>;

  /**
   * Whether a password is the one behind a stored form. A stored form that is malformed, or that would cost more
   * than the algorithm's bound, matches nothing. Throws a Fault `overloaded` as `hash` does.
   */
  abstract verify(stored: string, password: string): Promise<boolean>;

  /** Tells whose a stored form is. An algorithm that leaves this out counts as reading every form, and as content with it. */
  recognise?(stored: string): Recognition;
}

/** Whether passwords can be checked against a stored form: by this algorithm, or by one that it accepts beside its own. */
export const isAccepted = (algorithm: PasswordHash, stored: string): boolean =>
  algorithm.recognise?.(stored) !== 'foreign';
