import { keyPrefix } from '../../domain/email-address.ts';
import { type Failure, type FieldError, failure, type PasswordRule } from '../../domain/failure.ts';
import type { KnownPasswords, PasswordStrength } from '../ports/password-quality.ts';
import type { NewPasswordRules } from './password-update.ts';

/** The limits of new passwords. There are no rules about kinds of characters (NIST SP 800-63B, section 3.1.1.2). */
export interface PasswordLimits {
  /** In Unicode code points. */
  readonly minLength: number;
  readonly maxLength: number;
  /** From 0 to 4; null if passwords are not rated. */
  readonly minScore: number | null;
  /** Whether a password must not contain the address of its user. */
  readonly notAddress: boolean;
}

/** A shorter local part is in many good passwords by chance. */
const minLocalPartLength = 4;

/** The local part of an address, without the quotes and escapes with which it may be written. */
const localPartOf = (address: string): string => {
  const local = address.slice(0, address.lastIndexOf('@'));
  return local.startsWith('"') ? local.slice(1, -1).replaceAll(/\\(.)/g, '$1') : local;
};

/**
 * Whether a password contains an address or its local part, or equals a short local part, regardless of case. Both are
 * folded as addresses are.
 */
const containsAddress = (password: string, address: string): boolean => {
  const folded = keyPrefix(password);
  const local = keyPrefix(localPartOf(address));
  if (folded === local) return true;
  return folded.includes(keyPrefix(address)) || (local.length >= minLocalPartLength && folded.includes(local));
};

/** An address, its local part, and what dots separate in it and in its domain. */
const partsOf = (address: string): readonly string[] => [
  ...new Set([address, localPartOf(address), ...address.split(/[@.]/)]),
];

const broken = (rule: PasswordRule, message: string, limit?: number): FieldError => ({
  path: 'password',
  message,
  rule,
  ...(limit !== undefined && { limit }),
});

/** Without a list of known passwords. */
export const noKnownPasswords: KnownPasswords = { has: () => false };

/** Where passwords are not rated. */
export const unrated: Pick<PasswordStrength, 'score'> = { score: async () => 4 };

/** Checks new passwords that the service receives as plain text. Passwords are not normalized. */
export class PasswordRules implements NewPasswordRules {
  constructor(
    private readonly limits: PasswordLimits,
    private readonly known: KnownPasswords,
    private readonly strength: Pick<PasswordStrength, 'score'>,
  ) {}

  async failureOf(password: string, addresses: readonly string[]): Promise<Failure<'weak_password'> | undefined> {
    const { minLength, maxLength, notAddress } = this.limits;
    // Spreading a string gives its code points.
    const length = [...password].length;
    const errors = [
      length < minLength && broken('tooShort', `must have at least ${minLength} characters`, minLength),
      length > maxLength && broken('tooLong', `must have at most ${maxLength} characters`, maxLength),
      notAddress &&
        addresses.some((address) => containsAddress(password, address)) &&
        broken('containsAddress', 'must not contain the email address, or the part before its @'),
      this.known.has(password) && broken('known', 'is on the list of known passwords'),
      await this.scoreError(password, addresses),
    ].filter((error) => error !== false);
    return errors.length === 0 ? undefined : failure('weak_password', errors);
  }

  private async scoreError(password: string, addresses: readonly string[]): Promise<FieldError | false> {
    const { minScore } = this.limits;
    if (minScore === null) return false;
    const score = await this.strength.score(password, addresses.flatMap(partsOf));
    const message = `is too easy to guess (score ${score} of 4, ${minScore} is required)`;
    return score < minScore && broken('guessable', message);
  }
}
