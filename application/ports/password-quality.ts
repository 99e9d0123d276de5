/** Passwords that attackers try first, such as those of data breaches. */
export abstract class KnownPasswords {
  /** Whether a password is on the list. May be true for a small share of other passwords. */
  abstract has(password: string): boolean;
}

/** Estimates how many guesses an attacker needs for a password. */
export abstract class PasswordStrength {
  /**
   * The score of a password: 0 (fewer than 10^3 guesses), 1 (10^6), 2 (10^8), 3 (10^10) or 4 (more). `related` are
   * texts that an attacker knows, such as the address of the user. Throws the Fault `overloaded` when too many
   * passwords wait.
   */
  abstract score(password: string, related: readonly string[]): Promise<number>;

  abstract close(): Promise<void>;
}
