import { isExpired } from './one-time-token.ts';
import type { User } from './user.ts';
import { updateTime, withoutAnyLink, withVerified } from './user-update.ts';

/** `next` with the time of the change; `user` itself if they have the same verification and the same links outstanding. */
const changed = (user: User, next: User, now: number): User =>
  user.email.verification.verified === next.email.verification.verified &&
  user.email.verification.token === next.email.verification.token &&
  user.addressMove?.to === next.addressMove?.to &&
  user.recovery?.digest === next.recovery?.digest &&
  user.invitation?.digest === next.invitation?.digest
    ? user
    : { ...next, lastUpdateTime: updateTime(user, now) };

/** The unverified user with a new outstanding token. */
export const issueToken = (user: User, token: string, now: number): User => {
  const verification = { verified: false, token, tokenTime: now };
  return changed(user, { ...user, email: { ...user.email, verification, mailTime: now } }, now);
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
 * Whether the outstanding token is older than its lifetime, null for ever. That of a verified user never expires, unless it
 * `endsAlways`. If the store has no `tokenTime`, the token is as old as the last update, which is never earlier.
 */
export const isVerificationTokenExpired = (
  { email, lastUpdateTime }: User,
  lifetimeMs: number | null,
  now: number,
  endsAlways = false,
): boolean =>
  lifetimeMs !== null &&
  (endsAlways || !email.verification.verified) &&
  isExpired(email.verification.tokenTime ?? lastUpdateTime, lifetimeMs, now);
