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
