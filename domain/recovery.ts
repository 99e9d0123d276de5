import { isExpired } from './one-time-token.ts';
import type { Email, User } from './user.ts';
import { isDisabled } from './user-state.ts';
import { updateTime, withoutRequirement, withPasswordTime } from './user-update.ts';

/**
 * The user with an outstanding token, which replaces the former one. `lastUpdateTime` stays, because clients see no
 * change.
 */
export const issueRecovery = (user: User, recoveryDigest: string, now: number): User => ({
  ...user,
  email: { ...user.email, recoveryDigest, recoveryTime: now },
});

/** The digest of the outstanding token; undefined without one, and for a disabled user, who cannot use it. */
export const recoveryDigestOf = (user: User, now: number): string | undefined =>
  isDisabled(user, now) ? undefined : user.email.recoveryDigest;

/** Whether the outstanding token is too old. */
export const isRecoveryExpired = ({ email }: User, lifetimeMs: number, now: number): boolean =>
  email.recoveryTime === undefined || isExpired(email.recoveryTime, lifetimeMs, now);

/**
 * The user with another password, whose stored hash is `password`: verified, because the token was sent to the mailbox,
 * and with neither a token nor a required change. The link that verifies ends, too: it reads the user, and somebody who
 * had the password may know it.
 */
export const recoverPassword = (user: User, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  const { tokenTime: _, ...others } = withPasswordTime(withoutRequirement(user.email), lastUpdateTime);
  const email: Email = { ...others, verified: true, verificationToken: null };
  return { ...user, email, password, lastUpdateTime };
};
