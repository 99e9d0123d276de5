import { isExpired, msUntilNext } from './one-time-token.ts';
import type { User } from './user.ts';
import { updateTime, withoutAnyLink } from './user-update.ts';

/** `next` with the time of the change; `user` itself if they have the same verification and the same links outstanding. */
const changed = (user: User, next: User, now: number): User =>
  user.email.verified === next.email.verified &&
  user.email.verificationToken === next.email.verificationToken &&
  user.addressMove?.to === next.addressMove?.to &&
  user.recovery?.digest === next.recovery?.digest
    ? user
    : { ...next, lastUpdateTime: updateTime(user, now) };

const withVerified = (user: User, verified: boolean): User => ({ ...user, email: { ...user.email, verified } });

/** The unverified user with a new outstanding token. */
export const issueToken = (user: User, token: string, now: number): User => {
  const email = { ...user.email, verified: false, verificationToken: token, tokenTime: now, mailTime: now };
  return changed(user, { ...user, email }, now);
};

/** The verified user. The token stays, so that a link works twice. Returns the same object if nothing changes. */
export const confirmVerification = (user: User, now: number): User => changed(user, withVerified(user, true), now);

/**
 * The unverified user without outstanding links. Returns the same object if nothing changes. The
 * times of the last mails stay, so that a reset does not shorten the wait for the next mail.
 */
export const resetVerification = (user: User, now: number): User =>
  changed(user, withVerified(withoutAnyLink(user), false), now);

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
