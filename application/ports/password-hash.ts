/** How passwords are stored and compared (specification, section 1, `passwordHash.algorithm`). */
export abstract class PasswordHash {
  /** The longest password that the algorithm tells apart, in UTF-8 bytes; Infinity where there is no bound. */
  abstract readonly longestPassword: number;

  /** The stored form of a password. Throws a Fault `overloaded` when the work would have to wait too long. */
  abstract hash(password: string): Promise<string>;

  /**
   * Whether a password is the one behind a stored form. A stored form that is malformed, or that would cost more
   * than the algorithm's bound, matches nothing. Throws a Fault `overloaded` as `hash` does.
   */
  abstract verify(stored: string, password: string): Promise<boolean>;
}
