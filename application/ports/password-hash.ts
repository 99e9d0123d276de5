/**
 * What the shape of a stored hash says about it. `current`: the algorithm and costs of a new hash. `outdated`:
 * verifiable, but with other costs or in an older format. `expensive`: outdated, and verifying it takes more memory or
 * time than making a new hash. `foreign`: not a hash of this algorithm; it matches no password.
 */
export type HashStatus = 'current' | 'outdated' | 'expensive' | 'foreign';

/** Verifies stored hashes. Hashes of other systems have only this part of an algorithm (`passwordHash.accept`). */
export abstract class HashVerifier {
  /**
   * Whether a stored hash was made from this password. A hash that is malformed, or exceeds the cost limit of the
   * algorithm, matches no password. Throws the Fault `overloaded` when too many hashes are waiting.
   */
  abstract verify(stored: string, password: string): Promise<boolean>;

  /**
   * Classifies a stored hash without verifying it. `current` for every text if stored hashes have no recognizable
   * format.
   */
  abstract inspect(stored: string): HashStatus;
}

/** A password hashing algorithm (docs/configuration.md, `passwordHash.algorithm`). */
export abstract class PasswordHash extends HashVerifier {
  /** Whether the algorithm uses all of this password, so that no other password gets the same hash. */
  abstract canHash(password: string): boolean;

  /**
   * Hashes a password for storage. Throws a RangeError for a password that `canHash` rejects, and the Fault
   * `overloaded` when too many hashes are waiting.
   */
  abstract hash(password: string): Promise<string>;
}
