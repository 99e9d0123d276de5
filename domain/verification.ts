import { isExpired, msUntilNext } from './one-time-token.ts';
import type { Email, User } from './user.ts';
import { updateTime, withoutAnyLink } from './user-update.ts';

const withEmail = (user: User, email: Email, now: number): User =>
  user.email.verified === email.verified &&
  user.email.verificationToken === email.verificationToken &&
  user.email.pending === email.pending &&
  user.email.recoveryDigest === email.recoveryDigest
    ? user
    : { ...user, email, lastUpdateTime: updateTime(user, now) };

/** The unverified user with a new outstanding token. */
export const issueToken = (user: User, token: string, now: number): User => {
  const email = { ...user.email, verified: false, verificationToken: token, tokenTime: now, mailTime: now };
  return withEmail(user, email, now);
};

/** The verified user. The token stays, so that a link works twice. Returns the same object if nothing changes. */
export const confirmVerification = (user: User, now: number): User =>
  withEmail(user, { ...user.email, verified: true }, now);

/**
 * The unverified user without outstanding links. Returns the same object if nothing changes. `mailTime` and
 * `recoveryTime` stay, so that a reset does not shorten the wait for the next mail.
 */
export const resetVerification = (user: User, now: number): User =>
  withEmail(user, { ...withoutAnyLink(user.email), verified: false }, now);

/**
 * Whether the outstanding token is too old. The token of a verified user never expires. If the store
 * has no `tokenTime`, the token is as old as the last update, which is never earlier.
 */
export const isTokenExpired = ({ email, lastUpdateTime }: User, lifetimeMs: number, now: number): boolean =>
  !email.verified && isExpired(email.tokenTime ?? lastUpdateTime, lifetimeMs, now);

/** How many milliseconds remain until the next mail may be sent; see `msUntilNext`. */
export const msUntilNextMail = ({ email, lastUpdateTime }: User, intervalMs: number | null, now: number): number => {
  const { verificationToken, tokenTime, mailTime } = email;
  // A token without a time comes from a store that keeps no times: the last update stands in for both.
  const last = mailTime ?? (verificationToken !== null && tokenTime === undefined ? lastUpdateTime : undefined);
  return msUntilNext(last, intervalMs, now);
};

/** The user as if no mail had been requested. `lastUpdateTime` stays, because clients see no change. */
export const withoutMailTime = (user: User): User => {
  const { mailTime, ...email } = user.email;
  return mailTime === undefined ? user : { ...user, email };
};
