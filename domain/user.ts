import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type CustomProperties, noProperties } from './custom-properties.ts';
import { type EmailAddress, keyOf } from './email-address.ts';
import { type Failure, failure } from './failure.ts';

/**
 * The email record of a user (specification, section 2), and two times of its verification that no answer shows, in
 * milliseconds since the epoch. Each is absent where it is not known: nothing happened yet, or the store did not keep it.
 */
export interface Email {
  readonly address: EmailAddress;
  readonly verified: boolean;
  readonly verificationToken: string | null;
  /** When the outstanding token was set, by a command or by the body of an update. */
  readonly tokenTime?: number;
  /** When a verification mail was asked for last, whichever address the user had then. */
  readonly mailTime?: number;
}

/** A user account. Times are milliseconds since the epoch; `password` is in its stored form. */
export interface User {
  readonly email: Email;
  readonly password: string;
  readonly creationTime: number;
  readonly lastUpdateTime: number;
  readonly properties: CustomProperties;
}

type KindOf<Value> = Value extends boolean
  ? 'flag'
  : Value extends number
    ? 'time'
    : Value extends EmailAddress
      ? 'address'
      : Value extends CustomProperties
        ? 'properties'
        : 'text';
type PresenceOf<Value> = undefined extends Value ? 'optional' : null extends Value ? 'nullable' : 'required';
type FieldsOf<Owner, In extends string> = {
  [Name in keyof Owner]-?: {
    readonly in: In;
    readonly name: Name;
    readonly kind: KindOf<NonNullable<Owner[Name]>>;
    readonly presence: PresenceOf<Owner[Name]>;
    /** Whether responses leave the field out; stores and exports keep it. */
    readonly isInternal?: true;
  };
}[keyof Owner];

/** A stored field of a user: a member of the user itself or of its email record. */
export type UserField = FieldsOf<Email, 'email'> | FieldsOf<Omit<User, 'email'>, 'user'>;

/**
 * Every stored field of a user. Stores derive their columns, attributes and record members from this list: a field that
 * is `nullable` holds null where it has no value, and one that is `optional` is absent then.
 */
export const userFields = [
  { in: 'email', name: 'address', kind: 'address', presence: 'required' },
  { in: 'email', name: 'verified', kind: 'flag', presence: 'required' },
  { in: 'email', name: 'verificationToken', kind: 'text', presence: 'nullable' },
  { in: 'email', name: 'tokenTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'mailTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'user', name: 'password', kind: 'text', presence: 'required' },
  { in: 'user', name: 'creationTime', kind: 'time', presence: 'required' },
  { in: 'user', name: 'lastUpdateTime', kind: 'time', presence: 'required' },
  { in: 'user', name: 'properties', kind: 'properties', presence: 'required' },
] as const satisfies readonly UserField[];

// Does not compile while the list lacks a field.
true satisfies UserField['name'] extends (typeof userFields)[number]['name'] ? true : false;

/** The value of a field; undefined where an optional one is absent. */
export const fieldOf = (user: User, field: UserField): string | number | boolean | null | undefined =>
  field.in === 'email' ? user.email[field.name] : user[field.name];

/** What an update asks for. What is omitted stays, except that a new address resets the verification. */
export interface Revision {
  readonly address: EmailAddress;
  readonly verified?: boolean | undefined;
  readonly verificationToken?: string | null | undefined;
  readonly properties: CustomProperties;
}

/** The largest user that is stored, in UTF-8 bytes of its compact JSON: DynamoDB's limit of 400 KB less what surrounds it. */
export const largestUser = 350 * 1024;

const emailJson = ({ address, verified, verificationToken }: Email): string =>
  `{"address":${JSON.stringify(address)},"verified":${verified},"verificationToken":${verificationToken === null ? 'null' : JSON.stringify(verificationToken)}}`;

const timesJson = ({ creationTime, lastUpdateTime }: User): string =>
  `"creationTime":${creationTime},"lastUpdateTime":${lastUpdateTime}`;

/** The end of a user's JSON: the custom properties in the order in which they were sent. */
const ending = (properties: CustomProperties): string =>
  properties === noProperties ? '}' : `,${properties.slice(1)}`;

/** The compact JSON of a user: the fixed fields, then the custom properties in the order in which they were sent. */
export const userJson = (user: User): string =>
  `{"email":${emailJson(user.email)},"password":${JSON.stringify(user.password)},${timesJson(user)}${ending(user.properties)}`;

/** The same without the stored form of the password. */
export const userJsonWithoutPassword = (user: User): string =>
  `{"email":${emailJson(user.email)},${timesJson(user)}${ending(user.properties)}`;

const withinLimit = (user: User): Either<Failure, User> => {
  const json = userJson(user);
  // A character takes at most three bytes, so that most users need no count.
  return json.length * 3 > largestUser && Buffer.byteLength(json) > largestUser
    ? left(failure('user_too_large'))
    : right(user);
};

/** A user who existed elsewhere, as it is; Left when it is too large. */
export const restore = (user: User): Either<Failure, User> => withinLimit(user);

/** The time of a change: it passes the previous one even when the clock went back. */
export const after = (user: User, now: number): number => Math.max(now, user.lastUpdateTime + 1);

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

/**
 * The email record after an update. A new address starts unverified and without a token. The time of the last mail stays
 * with the user, because otherwise changing the address away and back would lift the interval between two mails.
 */
const revisedEmail = (email: Email, { address, verified, verificationToken }: Revision, now: number): Email => {
  const isSame = keyOf(address) === keyOf(email.address);
  const { mailTime } = email;
  const {
    verified: wasVerified,
    verificationToken: outstanding,
    tokenTime,
  }: Omit<Email, 'address'> = isSame ? email : { verified: false, verificationToken: null };
  const token = verificationToken === undefined ? outstanding : verificationToken;
  const time = token === outstanding ? tokenTime : now;
  return {
    address,
    verified: verified ?? wasVerified,
    verificationToken: token,
    ...(token !== null && time !== undefined && { tokenTime: time }),
    ...(mailTime !== undefined && { mailTime }),
  };
};

/** The user after an update; `password` is the stored form that it shall have from now on. */
export const revise = (user: User, revision: Revision, password: string, now: number): Either<Failure, User> =>
  withinLimit({
    email: revisedEmail(user.email, revision, now),
    password,
    creationTime: user.creationTime,
    lastUpdateTime: after(user, now),
    properties: revision.properties,
  });

/** The user with the same password in another stored form. */
export const withPassword = (user: User, password: string, now: number): Either<Failure, User> =>
  withinLimit({ ...user, password, lastUpdateTime: after(user, now) });
