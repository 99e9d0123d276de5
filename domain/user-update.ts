import type { EmailAddress } from './email-address.ts';
import { type Email, type FieldSetBy, fieldOf, type User, userFields } from './user.ts';

/** What an update changes. Omitted members keep their value, except that another mailbox resets the verification. */
export type UserUpdate = Pick<Email & User, 'address' | 'properties'> & {
  readonly [Name in Exclude<FieldSetBy<'requests' | 'updates'>, 'address' | 'properties' | 'password'>]?:
    | (Email & User)[Name]
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

/** The email record without a change of address that waits for its confirmation. */
export const withoutPending = ({
  pending: _,
  pendingTime: __,
  pendingDigest: ___,
  cancelDigest: ____,
  ...email
}: Email): Email => email;

/**
 * The email record without outstanding links, except the one that verifies. `recoveryTime` stays, so that a change does
 * not shorten the wait for the next mail.
 */
export const withoutLinks = (email: Email): Email => {
  const { recoveryDigest: _, ...others } = withoutPending(email);
  return others;
};

/**
 * The email record without any outstanding link. The one that verifies also reads the user, so that it must end where
 * somebody else may know it.
 */
export const withoutAnyLink = (email: Email): Email => {
  const { tokenTime: _, ...others } = withoutLinks(email);
  return { ...others, verificationToken: null };
};

/** The email record after a user or an administrator set another password: outstanding links end. */
export const withPasswordTime = (email: Email, passwordTime: number): Email => ({
  ...withoutLinks(email),
  passwordTime,
});

/**
 * The email record after an update. Another mailbox starts unverified and without a token. `mailTime` stays, because
 * otherwise changing the address away and back would lift the interval between two mails.
 */
const updateEmail = (email: Email, update: Omit<UserUpdate, 'properties'>, now: number): Email => {
  const { address, verified, verificationToken, ...rest } = update;
  rest satisfies Record<string, never>;
  const keepsMailbox = isSameMailbox(address, email.address);
  const current: Omit<Email, 'address'> = keepsMailbox ? email : { verified: false, verificationToken: null };
  const token = verificationToken === undefined ? current.verificationToken : verificationToken;
  const tokenTime = token === current.verificationToken ? current.tokenTime : now;
  const { tokenTime: _, ...others } = keepsMailbox ? email : withoutLinks(email);
  return {
    ...others,
    address,
    verified: verified ?? current.verified,
    verificationToken: token,
    ...(token !== null && tokenTime !== undefined && { tokenTime }),
  };
};

export const withoutRequirement = ({ changeRequiredTime: _, ...email }: Email): Email => email;

/** The user after an update; `password` is the new stored hash. A different hash fulfils a required password change. */
export const updateUser = (user: User, { properties, ...update }: UserUpdate, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  const email =
    password === user.password ? user.email : withPasswordTime(withoutRequirement(user.email), lastUpdateTime);
  return {
    ...user,
    email: updateEmail(email, update, now),
    password,
    lastUpdateTime,
    properties,
  };
};

/** `next`, or `user` itself if they differ in nothing but `lastUpdateTime`. */
export const unlessUnchanged = (user: User, next: User): User =>
  userFields.every((field) => field.name === 'lastUpdateTime' || fieldOf(user, field) === fieldOf(next, field))
    ? user
    : next;

/**
 * The user with another password, whose stored hash is `password`, set by an administrator: also without the link that
 * verifies, because somebody who had the former password may know it.
 */
export const withPassword = (user: User, password: string, now: number): User => {
  const lastUpdateTime = updateTime(user, now);
  const email = withPasswordTime(withoutAnyLink(user.email), lastUpdateTime);
  return { ...user, email, password, lastUpdateTime };
};

/**
 * The user with the same password in another stored hash. `lastUpdateTime` stays, because nobody changed the user.
 * `formerHashDigest` is that of the present hash, if it has to be recognized.
 */
export const withRehashedPassword = (user: User, password: string, formerHashDigest?: string): User => {
  const { formerHashDigest: _, ...email } = user.email;
  return { ...user, email: { ...email, ...(formerHashDigest !== undefined && { formerHashDigest }) }, password };
};
