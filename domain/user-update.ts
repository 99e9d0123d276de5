import type { EmailAddress } from './email-address.ts';
import type { Failure } from './failure.ts';
import { resendFailure } from './one-time-token.ts';
import type { Email, User, UserId, Verification } from './user.ts';
import { fieldOf, userFields, type ValuesSetBy } from './user-fields.ts';

/** The fields that a client sets in a new user; the password as the client sent it. */
export type NewUser = ValuesSetBy<'requests'>;

const unverified: Verification = { verified: false, token: null };

/** A new, unverified user; `hash` is the stored hash of its password. Does not compile while it ignores a field. */
export const createUser = (
  { address, properties, password: _, ...rest }: NewUser,
  hash: string,
  now: number,
  id?: UserId,
): User => {
  rest satisfies Record<string, never>;
  return {
    ...(id !== undefined && { id }),
    email: { address, verification: unverified },
    password: hash,
    creationTime: now,
    lastUpdateTime: now,
    properties,
  };
};

/** What an update changes. Omitted members keep their value, except that another mailbox resets the verification. */
export type UserUpdate = Pick<NewUser, 'address' | 'properties'> & {
  readonly [Name in Exclude<keyof ValuesSetBy<'requests' | 'updates'>, 'address' | 'properties' | 'password'>]?:
    | ValuesSetBy<'requests' | 'updates'>[Name]
    | undefined;
};

/**
 * Whether a mail to either address arrives in the same mailbox for certain: they differ at most in the case of ASCII
 * letters. Others with the same key may be other mailboxes: no standard folds other letters of a local part, and both
 * forms of the small sigma are valid in the names of hosts (IDNA 2008).
 */
export const isSameMailbox = (one: EmailAddress, other: EmailAddress): boolean => {
  const folded = (address: string): string => address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return folded(one) === folded(other);
};

/** The time of a change. It is later than the previous one even if the clock went back. */
export const updateTime = (user: User, now: number): number =>
  // A damaged or imported time can be the last one that stores keep exactly.
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(now, user.lastUpdateTime + 1));

/**
 * The user without outstanding links, except the one that verifies. The times of the tokens for a password stay, so that
 * a change does not shorten the wait for the next mail, and an invited user stays one.
 */
export const withoutLinks = ({ addressMove: _, recovery, invitation, ...user }: User): User => ({
  ...user,
  ...(recovery !== undefined && { recovery: { time: recovery.time } }),
  ...(invitation !== undefined && { invitation: { time: invitation.time } }),
});

/** The user who has a password, so that an invitation ends. */
const withoutInvitation = ({ invitation: _, ...user }: User): User => user;

/**
 * The user without any outstanding link, for changes after which another person may have one. It includes the link that
 * verifies, because that also reads the user.
 */
export const withoutAnyLink = (user: User): User => {
  const { email } = user;
  return {
    ...withoutLinks(user),
    email: { ...email, verification: { verified: email.verification.verified, token: null } },
  };
};

/** The user whose address is verified or not. The outstanding token stays. */
export const withVerified = (user: User, verified: boolean): User => ({
  ...user,
  email: { ...user.email, verification: { ...user.email.verification, verified } },
});

export const withoutRequiredChange = ({ requiredChangeTime: _, ...user }: User): User => user;

/** An unverified address for which an update supplied this token, or removed it. */
const withToken = (token: string | null, now: number): Verification =>
  token === null ? unverified : { verified: false, token, tokenTime: now };

/**
 * The email record after an update. Another mailbox starts unverified and without a token. `mailTime` stays, because
 * otherwise changing the address away and back would lift the interval between two mails.
 */
const updateEmail = (email: Email, update: Omit<UserUpdate, 'properties'>, now: number): Email => {
  const { address, verified, verificationToken: token, ...rest } = update;
  rest satisfies Record<string, never>;
  const current = isSameMailbox(address, email.address) ? email.verification : unverified;
  const next = token === undefined || token === current.token ? current : withToken(token, now);
  return { ...email, address, verification: { ...next, verified: verified ?? current.verified } };
};

/** The user after an update; `password` is the new stored hash. A different hash fulfils a required password change. */
export const updateUser = (user: User, { properties, ...update }: UserUpdate, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  const keepsPassword = password === user.password;
  const keepsLinks = keepsPassword && isSameMailbox(update.address, user.email.address);
  const current = keepsLinks ? user : withoutLinks(user);
  return {
    ...(keepsPassword
      ? current
      : { ...withoutInvitation(withoutRequiredChange(current)), passwordTime: lastUpdateTime }),
    email: updateEmail(user.email, update, now),
    password,
    lastUpdateTime,
    properties,
  };
};

/**
 * The user with another address. Another mailbox is not verified, and ends what was mailed to the former one; the same
 * object if nothing changes.
 */
export const withAddress = (user: User, address: EmailAddress, now: number): User => {
  if (address === user.email.address) return user;
  const kept = isSameMailbox(address, user.email.address) ? user : withoutLinks(user);
  return { ...kept, email: updateEmail(user.email, { address }, now), lastUpdateTime: updateTime(user, now) };
};

/** `next`, or `user` itself if they differ in nothing but `lastUpdateTime`. */
export const unlessUnchanged = (user: User, next: User): User =>
  userFields.every((field) => field.name === 'lastUpdateTime' || fieldOf(user, field) === fieldOf(next, field))
    ? user
    : next;

/**
 * The user with another password, whose stored hash is `password`, set by an administrator or with a link. The link
 * that verifies ends, too: it reads the user, and a person who had the former password may have it.
 */
export const withPassword = (user: User, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  return { ...withoutInvitation(withoutAnyLink(user)), password, passwordTime: lastUpdateTime, lastUpdateTime };
};

/** The same with a password that is not known to anyone. An invited user stays invited, and can be invited again. */
export const withUnknownPassword = (user: User, hash: string, now: number): User => {
  const { invitation } = withoutLinks(user);
  return { ...withPassword(user, hash, now), ...(invitation !== undefined && { invitation }) };
};

/**
 * The user with the same password in another stored hash. `lastUpdateTime` stays, because no caller changed the user.
 * `formerHashDigest` is that of the present hash, if it has to be recognized.
 */
export const withRehashedPassword = (user: User, password: string, formerHashDigest?: string): User => {
  const { formerHashDigest: _, ...others } = user;
  return { ...others, ...(formerHashDigest !== undefined && { formerHashDigest }), password };
};

/** `next`, with the time of the first change after which the address was verified no more. */
export const withFormerVerification = (previous: User, next: User): User =>
  previous.email.verification.verified && !next.email.verification.verified && next.unverifiedTime === undefined
    ? { ...next, unverifiedTime: next.lastUpdateTime }
    : next;

/** Why no mail that verifies or confirms an address, or answers a sign-up, may be sent; see `resendFailure`. */
export const mailFailure = (
  { email, lastUpdateTime }: User,
  intervalMs: number | null,
  now: number,
  requestedTime?: number,
): Failure<'resend_too_soon'> | null => {
  const { token, tokenTime } = email.verification;
  // A token without a time comes from a store that keeps no times: the last update stands in for both.
  const last = email.mailTime ?? (token !== null && tokenTime === undefined ? lastUpdateTime : undefined);
  // An update is no mail, so that it answers no request.
  return resendFailure(last, intervalMs, now, email.mailTime === undefined ? undefined : requestedTime);
};

/** The user to whom a mail is sent. `lastUpdateTime` stays, because clients see no change. */
export const withMailTime = (user: User, now: number): User => ({ ...user, email: { ...user.email, mailTime: now } });

/** The user as if no mail had been requested. `lastUpdateTime` stays, because clients see no change. */
export const withoutMailTime = (user: User): User => {
  const { mailTime, ...email } = user.email;
  return mailTime === undefined ? user : { ...user, email };
};
