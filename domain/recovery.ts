import { isExpired } from './one-time-token.ts';
import type { User } from './user.ts';
import { isDisabled } from './user-state.ts';
import { updateTime, withoutAnyLink, withoutInvitation, withVerified } from './user-update.ts';

/**
 * The user with an outstanding token, which replaces the former one. `lastUpdateTime` stays, because clients see no
 * change.
 */
export const issueRecovery = (user: User, digest: string, now: number): User => ({
  ...user,
  recovery: { digest, time: now },
});

/** The digest of the outstanding token; undefined without one, and for a disabled user, who cannot use it. */
export const recoveryDigestOf = (user: User, now: number): string | undefined =>
  isDisabled(user, now) ? undefined : user.recovery?.digest;

/** Whether the outstanding token is too old. */
export const isRecoveryExpired = ({ recovery }: User, lifetimeMs: number, now: number): boolean =>
  recovery === undefined || isExpired(recovery.time, lifetimeMs, now);

/**
 * The user with another password, whose stored hash is `password`: verified, because the token was sent to the mailbox,
 * and with neither a token, an invitation nor a required change. The link that verifies ends, too: it reads the user, and somebody who
 * had the password may know it.
 */
export const recoverPassword = (user: User, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  const { requiredChangeTime: _, ...others } = withVerified(withoutInvitation(withoutAnyLink(user)), true);
  return {
    ...others,
    password,
    passwordTime: lastUpdateTime,
    lastUpdateTime,
  };
};
