import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type EmailAddress, keyOf } from './email-address.ts';
import { type Failure, failure } from './failure.ts';
import { type CustomProperties, noProperties } from './properties.ts';

/** The email record of a user (specification, section 2). */
export interface Email {
  readonly address: EmailAddress;
  readonly verified: boolean;
  readonly verificationToken: string | null;
}

/** A user account. Times are milliseconds since the epoch; `password` is in its stored form. */
export interface User {
  readonly email: Email;
  readonly password: string;
  readonly creationTime: number;
  readonly lastUpdateTime: number;
  readonly properties: CustomProperties;
}

/** What an update asks for. What is omitted stays, except that a new address resets the verification. */
export interface Revision {
  readonly address: EmailAddress;
  readonly verified?: boolean | undefined;
  readonly verificationToken?: string | null | undefined;
  readonly properties: CustomProperties;
}

/** The largest user that is stored, in UTF-8 bytes of its compact JSON: DynamoDB's limit of 400 KB less what surrounds it. */
export const largestUser = 350 * 1024;

/** The compact JSON of a user: the fixed fields, then the custom properties in the order in which they were sent. */
export const userJson = ({ email, password, creationTime, lastUpdateTime, properties }: User): string => {
  const token = email.verificationToken === null ? 'null' : JSON.stringify(email.verificationToken);
  const head = `{"email":{"address":${JSON.stringify(email.address)},"verified":${email.verified},"verificationToken":${token}},"password":${JSON.stringify(password)},"creationTime":${creationTime},"lastUpdateTime":${lastUpdateTime}`;
  return properties === noProperties ? `${head}}` : `${head},${properties.slice(1)}`;
};

const withinLimit = (user: User): Either<Failure, User> => {
  const json = userJson(user);
  // A character takes at most three bytes, so that most users need no count.
  return json.length * 3 > largestUser && Buffer.byteLength(json) > largestUser
    ? left(failure('user_too_large'))
    : right(user);
};

/** The time of a change: it passes the previous one even when the clock went back. */
const after = (user: User, now: number): number => Math.max(now, user.lastUpdateTime + 1);

/** A new, unverified user. */
export const create = (
  address: EmailAddress,
  password: string,
  properties: CustomProperties,
  now: number,
): Either<Failure, User> =>
  withinLimit({
    email: { address, verified: false, verificationToken: null },
    password,
    creationTime: now,
    lastUpdateTime: now,
    properties,
  });

/** The user after an update; `password` is the stored form that it shall have from now on. */
export const revise = (user: User, revision: Revision, password: string, now: number): Either<Failure, User> => {
  const { verified, verificationToken }: Pick<Email, 'verified' | 'verificationToken'> =
    keyOf(revision.address) === keyOf(user.email.address) ? user.email : { verified: false, verificationToken: null };
  return withinLimit({
    email: {
      address: revision.address,
      verified: revision.verified ?? verified,
      verificationToken: revision.verificationToken === undefined ? verificationToken : revision.verificationToken,
    },
    password,
    creationTime: user.creationTime,
    lastUpdateTime: after(user, now),
    properties: revision.properties,
  });
};

const withEmail = (user: User, verified: boolean, verificationToken: string | null, now: number): User =>
  user.email.verified === verified && user.email.verificationToken === verificationToken
    ? user
    : {
        ...user,
        email: { address: user.email.address, verified, verificationToken },
        lastUpdateTime: after(user, now),
      };

/** The user with a verification outstanding: unverified until the token comes back. */
export const issueToken = (user: User, token: string, now: number): User => withEmail(user, false, token, now);

/** The verified user. The token stays, so that a link can be followed twice; a user who is verified already is returned as is. */
export const confirm = (user: User, now: number): User => withEmail(user, true, user.email.verificationToken, now);

/** The unverified user with no token outstanding; one who is so already is returned as is. */
export const reset = (user: User, now: number): User => withEmail(user, false, null, now);
