import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../domain/failure.ts';
import { sameText } from '../domain/same-text.ts';
import type { Gate } from './passwords.ts';

/** What is said of a link to a user whom nobody knows: that, or where it is hidden what is said of a wrong token. */
export type UnknownByToken = 'user_not_found' | 'token_mismatch';

/** As long as a token, and none. */
const nobodysToken = '-'.repeat(36);

/**
 * Lets those act on a user who hold the verification token that was sent last. Left: `token_mismatch`, also when none is
 * outstanding, and `whenUnknown` for no user.
 */
export const tokenGate =
  (token: string, whenUnknown: UnknownByToken): Gate =>
  async (user) => {
    const outstanding = user?.email.verificationToken ?? null;
    // Compared in any case: the time does not tell whether there is a user, or a token.
    const matches = sameText(outstanding ?? nobodysToken, token);
    if (user === undefined) return left(failure(whenUnknown));
    return matches && outstanding !== null ? right(user) : left(failure('token_mismatch'));
  };
