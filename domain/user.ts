import type { Either } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { type EmailAddress, keyOf } from './email-address.ts';
import type { Failure } from './failure.ts';

interface CustomPropertiesBrand {
  readonly CustomProperties: unique symbol;
}

/**
 * The custom properties of a user, exactly as the client wrote them. The domain does not look inside: text keeps every
 * number and the order of names, whatever the encoding of a store.
 */
export type CustomProperties = t.Branded<string, CustomPropertiesBrand>;

/**
 * The email record of a user (specification, section 2). Responses omit the two times, which are in milliseconds since
 * the epoch and absent where unknown: nothing has happened yet, or the store did not keep them.
 */
export interface Email {
  readonly address: EmailAddress;
  readonly verified: boolean;
  readonly verificationToken: string | null;
  /** When the outstanding token was set, by a command or by the body of an update. */
  readonly tokenTime?: number;
  /** When a verification mail was last requested, whichever address the user had then. */
  readonly mailTime?: number;
}

/** A user account. Times are in milliseconds since the epoch; `password` is the stored hash. */
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

/** What an update changes. Omitted members keep their value, except that a new address resets the verification. */
export interface UserUpdate {
  readonly address: EmailAddress;
  readonly verified?: boolean | undefined;
  readonly verificationToken?: string | null | undefined;
  readonly properties: CustomProperties;
}

/** The maximum size of a user, in UTF-8 bytes of its compact JSON (specification, section 2). */
export const maxUserBytes = 350 * 1024;

/** The limits of every stored user. They depend on how a user is written, which the domain does not know. */
export interface UserLimits {
  /** Checks custom properties by themselves, before anything is read or hashed. */
  checkProperties(properties: CustomProperties): Either<Failure<'user_too_large' | 'invalid_properties'>, unknown>;
  /** Right: the same user. */
  checkSize(user: User): Either<Failure<'user_too_large'>, User>;
}

/** The time of a change. It is later than the previous one even if the clock went back. */
export const updateTime = (user: User, now: number): number => Math.max(now, user.lastUpdateTime + 1);

/** A new, unverified user. */
export const createUser = (
  address: EmailAddress,
  password: string,
  properties: CustomProperties,
  now: number,
): User => ({
  email: { address, verified: false, verificationToken: null },
  password,
  creationTime: now,
  lastUpdateTime: now,
  properties,
});

/**
 * The email record after an update. A new address starts unverified and without a token. `mailTime` stays, because
 * otherwise changing the address away and back would lift the interval between two mails.
 */
const updateEmail = (email: Email, { address, verified, verificationToken }: UserUpdate, now: number): Email => {
  const sameAddress = keyOf(address) === keyOf(email.address);
  const kept: Omit<Email, 'address'> = sameAddress ? email : { verified: false, verificationToken: null };
  const token = verificationToken === undefined ? kept.verificationToken : verificationToken;
  const tokenTime = token === kept.verificationToken ? kept.tokenTime : now;
  return {
    address,
    verified: verified ?? kept.verified,
    verificationToken: token,
    ...(token !== null && tokenTime !== undefined && { tokenTime }),
    ...(email.mailTime !== undefined && { mailTime: email.mailTime }),
  };
};

/** The user after an update; `password` is its stored hash from now on. */
export const updateUser = (user: User, update: UserUpdate, password: string, now: number): User => ({
  email: updateEmail(user.email, update, now),
  password,
  creationTime: user.creationTime,
  lastUpdateTime: updateTime(user, now),
  properties: update.properties,
});

/** The user with the same password in another stored hash. */
export const withPassword = (user: User, password: string, now: number): User => ({
  ...user,
  password,
  lastUpdateTime: updateTime(user, now),
});
