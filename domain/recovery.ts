import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { withoutMove } from './address-move.ts';
import { type Failure, failure } from './failure.ts';
import { type OutstandingToken, outstanding, resendFailure } from './one-time-token.ts';
import type { User } from './user.ts';
import { isDisabled, isInvited } from './user-state.ts';
import { updateTime, withoutRequiredChange, withPassword, withVerified } from './user-update.ts';

/**
 * The user with an outstanding token, which replaces the former one. `lastUpdateTime` stays, because clients see no
 * change.
 */
export const issueRecovery = (user: User, digest: string, now: number): User => ({
  ...user,
  recovery: { digest, time: now },
});

/**
 * The invited user with another invitation, which replaces the former one. The interval counts from an outstanding one
 * only: one that ended with a corrected address or a disablement does not delay the next one. As any change by an
 * administrator, it cancels an address move.
 */
export const inviteUser = (
  user: User,
  invitation: OutstandingToken,
  resendIntervalMs: number | null,
  now: number,
): Either<Failure<'not_invited' | 'user_disabled' | 'resend_too_soon'>, User> => {
  if (!isInvited(user)) return left(failure('not_invited'));
  if (isDisabled(user, now)) return left(failure('user_disabled'));
  const refusal = resendFailure(outstanding(user.invitation)?.time, resendIntervalMs, now);
  return refusal === null
    ? right({ ...withoutMove(user), invitation, lastUpdateTime: updateTime(user, now) })
    : left(refusal);
};

/** The fields with a token that sets a password. Tokens of one never stand for those of the other. */
export type PasswordTokenField = 'recovery' | 'invitation';

/** The outstanding token, which may have expired; undefined without one, and for a disabled user, who cannot use it. */
export const passwordTokenOf = (user: User, field: PasswordTokenField, now: number): OutstandingToken | undefined =>
  isDisabled(user, now) ? undefined : outstanding(user[field]);

/**
 * The user with another password, whose stored hash is `password`: verified, because the token was sent to the mailbox,
 * and with neither a token, an invitation nor a required change.
 */
export const recoverPassword = (user: User, password: string, now: number): User =>
  withVerified(withoutRequiredChange(withPassword(user, password, now)), true);
