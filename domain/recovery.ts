import { isExpired, type OneTimeToken } from './one-time-token.ts';
import type { User } from './user.ts';
import { isDisabled } from './user-state.ts';
import { updateTime, withoutRequiredChange, withPassword, withVerified } from './user-update.ts';

/**
 * The user with an outstanding token, which replaces the former one. `lastUpdateTime` stays, because clients see no
 * change.
 */
export const issueRecovery = (user: User, digest: string, now: number): User => ({
  ...user,
  recovery: { digest, time: now },
});

/** The user with an outstanding invitation, which replaces the former one. */
export const inviteUser = (user: User, invitation: Required<OneTimeToken>, now: number): User => ({
  ...user,
  invitation,
  lastUpdateTime: updateTime(user, now),
});

/** The fields with a token that sets a password. Tokens of one never stand for those of the other. */
export type PasswordTokenField = 'recovery' | 'invitation';

/** The digest of the outstanding token; undefined without one, and for a disabled user, who cannot use it. */
export const tokenDigestOf = (user: User, field: PasswordTokenField, now: number): string | undefined =>
  isDisabled(user, now) ? undefined : user[field]?.digest;

/** Whether the outstanding token is too old. */
export const isPasswordTokenExpired = (
  user: User,
  field: PasswordTokenField,
  lifetimeMs: number,
  now: number,
): boolean => {
  const { [field]: token } = user;
  return token === undefined || isExpired(token.time, lifetimeMs, now);
};

/**
 * The user with another password, whose stored hash is `password`: verified, because the token was sent to the mailbox,
 * and with neither a token, an invitation nor a required change.
 */
export const recoverPassword = (user: User, password: string, now: number): User =>
  withVerified(withoutRequiredChange(withPassword(user, password, now)), true);
