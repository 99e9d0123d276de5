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
}
