import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../../domain/failure.ts';
import { isExpired } from '../../domain/verification.ts';
import { sameText } from '../constant-time.ts';
import type { Authorization } from '../passwords/passwords.ts';
import type { Clock } from '../ports/clock.ts';

/** What the configuration says of verification links. */
export interface LinkRules {
  /** What is said of a link to a user whom nobody knows: that, or where it is hidden what is said of a wrong token. */
  readonly whenUnknown: 'user_not_found' | 'token_mismatch';
  /** For how many milliseconds a token verifies; null is for ever. */
  readonly tokenLifetime: number | null;
}

/** As long as a token, and none. */
const nobodysToken = '-'.repeat(36);

/**
 * Lets those act on a user who hold the verification token that was sent last. Left: `token_mismatch`, also when none is
 * outstanding, `token_expired` after its lifetime, and `whenUnknown` for no user.
 */
export const authorizeByToken =
  (token: string, { whenUnknown, tokenLifetime }: LinkRules, clock: Clock): Authorization =>
  async (user) => {
    const outstanding = user?.email.verificationToken ?? null;
    // Compared in any case: the time does not tell whether there is a user, or a token.
    const matches = sameText(outstanding ?? nobodysToken, token);
    if (user === undefined) return left(failure(whenUnknown));
    // Before its age, which is nothing to those who don't hold it.
    if (!matches || outstanding === null) return left(failure('token_mismatch'));
    const expired = tokenLifetime !== null && isExpired(user, tokenLifetime, clock.now());
    return expired ? left(failure('token_expired')) : right(user);
  };
