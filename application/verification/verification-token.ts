import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../../domain/failure.ts';
import { isDisabled } from '../../domain/user-state.ts';
import { isTokenExpired } from '../../domain/verification.ts';
import { sameText } from '../constant-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Authorization } from '../writing/authorization.ts';

/** The options of verification links. */
export interface LinkPolicy {
  /** Whether an unknown user is refused like a wrong token. */
  readonly hideUnknownUsers: boolean;
  /** How long a token verifies; null if it never expires. */
  readonly tokenLifetimeMs: number | null;
}

/** Why a verification token does not authorize a change. */
export type TokenFailure = 'user_not_found' | 'token_mismatch' | 'token_expired';

/** As long as a token, but never equal to one. */
const decoyToken = '-'.repeat(36);

/** Authorizes callers by the outstanding verification token. If there is none, every token is a `token_mismatch`. */
export const authorizeByToken =
  (token: string, { hideUnknownUsers, tokenLifetimeMs }: LinkPolicy, clock: Clock): Authorization<TokenFailure> =>
  async (stored) => {
    const outstanding = stored?.user.email.verificationToken ?? null;
    // Always compare, so that the duration does not reveal whether the user or a token exists.
    const matches = sameText(outstanding ?? decoyToken, token);
    if (stored === undefined) return left(failure(hideUnknownUsers ? 'token_mismatch' : 'user_not_found'));
    // Check the token before its age: only its holder may learn that it has expired.
    if (!matches || outstanding === null) return left(failure('token_mismatch'));
    const now = clock.now();
    // Only a caller with the right password may learn the state of a user.
    if (isDisabled(stored.user, now)) return left(failure('token_mismatch'));
    const expired = tokenLifetimeMs !== null && isTokenExpired(stored.user, tokenLifetimeMs, now);
    return expired ? left(failure('token_expired')) : right(stored);
  };
