import { after, type Email, type User } from './user.ts';

const withEmail = (user: User, email: Email, now: number): User =>
  user.email.verified === email.verified && user.email.verificationToken === email.verificationToken
    ? user
    : { ...user, email, lastUpdateTime: after(user, now) };

/** The user with a verification outstanding: unverified until the token comes back. */
export const issueToken = (user: User, token: string, now: number): User => {
  const { address } = user.email;
  const email = { address, verified: false, verificationToken: token, tokenTime: now, mailTime: now };
  return withEmail(user, email, now);
};

/** The verified user. The token stays, so that a link can be followed twice; a user who is verified already is returned as is. */
export const confirm = (user: User, now: number): User => withEmail(user, { ...user.email, verified: true }, now);

/**
 * The unverified user with no token outstanding; one who is so already is returned as is. When a mail was asked for is
 * still known: a reset is no way to have the next one sooner.
 */
export const reset = (user: User, now: number): User => {
  const { tokenTime: _, ...email } = user.email;
  return withEmail(user, { ...email, verified: false, verificationToken: null }, now);
};

/**
 * Whether the outstanding token is older than a lifetime in milliseconds. The token of a verified user is not: what it
 * was for is done. A token of which nobody knows when it was set is as old as the last update, which is never earlier.
 */
export const isExpired = ({ email, lastUpdateTime }: User, lifetime: number, now: number): boolean =>
  !email.verified && now - (email.tokenTime ?? lastUpdateTime) >= lifetime;

/** By how much the clocks of several instances may differ, in milliseconds. */
const clockDrift = 1_000;

/**
 * How many milliseconds are left of an interval since the last mail was asked for; 0 when the next one may be. A mail
 * of the future was asked for before the clock was put back, and counts for nothing: nobody knows how long ago.
 */
export const pauseBeforeMail = ({ email, lastUpdateTime }: User, interval: number, now: number): number => {
  const { verificationToken, tokenTime, mailTime } = email;
  // A token without a time comes from a store that keeps none: there the last update stands in for both.
  const last = mailTime ?? (verificationToken !== null && tokenTime === undefined ? lastUpdateTime : undefined);
  if (last === undefined || last - now > clockDrift) return 0;
  return Math.max(0, Math.min(interval, last + interval - now));
};

/** The user as if no mail had been asked for; nothing that a caller sees changes, `lastUpdateTime` included. */
export const withoutMail = (user: User): User => {
  const { mailTime, ...email } = user.email;
  return mailTime === undefined ? user : { ...user, email };
};
