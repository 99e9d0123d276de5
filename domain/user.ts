import type * as t from 'io-ts';
import type { EmailAddress } from './email-address.ts';

/**
 * The custom properties of a user, exactly as the client wrote them. The domain does not look inside: text keeps every
 * number and the order of names, regardless of how a store encodes them.
 */
export type CustomProperties = t.Branded<string, { readonly CustomProperties: unique symbol }>;

/**
 * The email record of a user (specification, section 2), the only one whose names are not free for custom properties.
 * Responses omit the optional members. Times are in milliseconds since the epoch and absent where unknown: nothing has
 * happened yet, or the store did not keep them.
 */
export interface Email {
  readonly address: EmailAddress;
  readonly verified: boolean;
  readonly verificationToken: string | null;
  /** When the outstanding token was set, by a command or by the body of an update. */
  readonly tokenTime?: number;
  /** When a verification mail was last requested, whichever address the user had then. */
  readonly mailTime?: number;
  /** What an administrator decided about the user (domain/user-state.ts); times again, and a reason. */
  readonly disabledTime?: number;
  readonly disabledUntil?: number;
  readonly disabledReason?: string;
  readonly changeRequiredTime?: number;
  /** When a user or an administrator last set another password; absent if that was when the user was created. */
  readonly passwordTime?: number;
  /** The digest of the outstanding token with which a forgotten password is replaced. */
  readonly recoveryDigest?: string;
  /** When such a token was last issued, also after it was used. */
  readonly recoveryTime?: number;
  /** A new address that waits for its confirmation (domain/address-change.ts), and since when. */
  readonly pending?: EmailAddress;
  readonly pendingTime?: number;
  /** The digests of the tokens that confirm and cancel the change to it. */
  readonly pendingDigest?: string;
  readonly cancelDigest?: string;
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
  { in: 'email', name: 'disabledTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'disabledUntil', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'disabledReason', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'changeRequiredTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'passwordTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'recoveryDigest', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'recoveryTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'pending', kind: 'address', presence: 'optional', isInternal: true },
  { in: 'email', name: 'pendingTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'pendingDigest', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'cancelDigest', kind: 'text', presence: 'optional', isInternal: true },
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

/** The fields that a client sets in a new user. */
export interface NewUser {
  readonly address: EmailAddress;
  /** As the client sent it. */
  readonly password: string;
  readonly properties: CustomProperties;
}

/** A new, unverified user; `password` is its stored hash. */
export const createUser = ({ address, properties }: NewUser, password: string, now: number): User => ({
  email: { address, verified: false, verificationToken: null },
  password,
  creationTime: now,
  lastUpdateTime: now,
  properties,
});

/** Whether a stored user only reserves its address: no password of a user is empty. */
export const isReservation = ({ password }: User): boolean => password === '';
