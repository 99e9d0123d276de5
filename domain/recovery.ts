import type { Email, User } from './user.ts';
import { isDisabled } from './user-state.ts';
import { updateTime, withoutRequirement, withPasswordTime } from './user-update.ts';

/** The largest difference to expect between the clocks of two instances. */
const clockDriftMs = 1_000;

/** The limits of a recovery. */
export interface RecoveryLimits {
  /** How long a token is valid. */
  readonly lifetimeMs: number;
  /** The minimum interval between two tokens of a user. */
  readonly resendIntervalMs: number;
}

/**
 * How many milliseconds remain until another token may be issued; 0 if it may be issued now. A time in the future was
 * recorded before the clock was set back; it is ignored, because the time that passed since then is unknown.
 */
export const msUntilNextToken = ({ email }: User, { resendIntervalMs }: RecoveryLimits, now: number): number => {
  const { recoveryTime } = email;
  if (recoveryTime === undefined || recoveryTime - now > clockDriftMs) return 0;
  return Math.max(0, Math.min(resendIntervalMs, recoveryTime + resendIntervalMs - now));
};

/** Whether a token was issued after `time`. A time in the future is ignored, as above. */
export const wasIssuedAfter = ({ email: { recoveryTime } }: User, time: number, now: number): boolean =>
  recoveryTime !== undefined && recoveryTime > time && recoveryTime - now <= clockDriftMs;

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
export const isRecoveryExpired = ({ email }: User, { lifetimeMs }: RecoveryLimits, now: number): boolean =>
  email.recoveryTime === undefined || now - email.recoveryTime >= lifetimeMs;

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
