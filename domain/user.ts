import type * as t from 'io-ts';
import { EmailAddress } from './email-address.ts';

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
  /** A new address that waits for its confirmation (domain/address-move.ts), and since when. */
  readonly pending?: EmailAddress;
  readonly pendingTime?: number;
  /** The digests of the tokens that confirm and cancel the change to it. */
  readonly pendingDigest?: string;
  readonly cancelDigest?: string;
  /** The entity tag from before bookkeeping, and the `lastUpdateTime` that it belongs to (domain/entity-tag.ts). */
  readonly keptTag?: string;
  /** The digest of the expensive hash that the present one of the same password replaced. */
  readonly formerHashDigest?: string;
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
  } & (
    | {
        /** Responses leave the field out; stores and exports keep it. */
        readonly isInternal: true;
        /** Administrators do not see it either, so that it may change without a new entity tag. */
        readonly isBookkeeping?: true;
      }
    | {
        readonly isInternal?: undefined;
        readonly isBookkeeping?: undefined /** See FieldSetBy. */;
        readonly setBy: 'requests' | 'updates' | 'service';
      }
  );
}[keyof Owner];

/** A stored field of a user: a member of the user itself or of its email record. */
export type UserField = FieldsOf<Email, 'email'> | FieldsOf<Omit<User, 'email'>, 'user'>;

/**
 * Every stored field of a user. Stores derive their columns, attributes and record members from this list: a field that
 * is `nullable` holds null where it has no value, and one that is `optional` is absent then.
 */
export const userFields = [
  { in: 'email', name: 'address', kind: 'address', presence: 'required', setBy: 'requests' },
  { in: 'email', name: 'verified', kind: 'flag', presence: 'required', setBy: 'updates' },
  { in: 'email', name: 'verificationToken', kind: 'text', presence: 'nullable', setBy: 'updates' },
  { in: 'email', name: 'tokenTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'mailTime', kind: 'time', presence: 'optional', isInternal: true, isBookkeeping: true },
  { in: 'email', name: 'disabledTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'disabledUntil', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'disabledReason', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'changeRequiredTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'passwordTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'recoveryDigest', kind: 'text', presence: 'optional', isInternal: true, isBookkeeping: true },
  { in: 'email', name: 'recoveryTime', kind: 'time', presence: 'optional', isInternal: true, isBookkeeping: true },
  { in: 'email', name: 'pending', kind: 'address', presence: 'optional', isInternal: true },
  { in: 'email', name: 'pendingTime', kind: 'time', presence: 'optional', isInternal: true },
  { in: 'email', name: 'pendingDigest', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'cancelDigest', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'keptTag', kind: 'text', presence: 'optional', isInternal: true },
  { in: 'email', name: 'formerHashDigest', kind: 'text', presence: 'optional', isInternal: true, isBookkeeping: true },
  { in: 'user', name: 'password', kind: 'text', presence: 'required', setBy: 'requests' },
  { in: 'user', name: 'creationTime', kind: 'time', presence: 'required', setBy: 'service' },
  { in: 'user', name: 'lastUpdateTime', kind: 'time', presence: 'required', setBy: 'service' },
  { in: 'user', name: 'properties', kind: 'properties', presence: 'required', setBy: 'requests' },
] as const satisfies readonly UserField[];

// Does not compile while the list lacks a field, or lets clients set one outside `email`, where they choose the names.
true satisfies UserField['name'] extends (typeof userFields)[number]['name'] ? true : false;
true satisfies FieldSetBy<'requests' | 'updates', 'user'> extends 'password' | 'properties' ? true : false;

/** The value of a field; undefined where an optional one is absent. */
export const fieldOf = (user: User, field: UserField): string | number | boolean | null | undefined =>
  field.in === 'email' ? user.email[field.name] : user[field.name];

/** The names of the fields that clients set in all requests that store a user, or in updates only. */
export type FieldSetBy<By, In = string> = Extract<(typeof userFields)[number], { setBy: By; in: In }>['name'];

/** The fields that a client sets in a new user; the password as the client sent it. */
export type NewUser = Pick<Email & User, FieldSetBy<'requests'>>;

/** A new, unverified user; `hash` is the stored hash of its password. Does not compile while it ignores a field. */
export const createUser = ({ address, properties, password: _, ...rest }: NewUser, hash: string, now: number): User => {
  rest satisfies Record<string, never>;
  return {
    email: { address, verified: false, verificationToken: null },
    password: hash,
    creationTime: now,
    lastUpdateTime: now,
    properties,
  };
};

/** Whether a stored user only reserves its address: no password of a user is empty. */
export const isReservation = ({ password }: User): boolean => password === '';

/**
 * The addresses, which are nobody's (RFC 2606, section 2), of the reservations that record all others in their properties.
 */
export const reservationPages: readonly EmailAddress[] = Array.from(
  { length: 16 },
  (_, index) => `reservations-${index}@latchkey.invalid`,
).filter(EmailAddress.is);

const pageAddresses: ReadonlySet<string> = new Set(reservationPages);

/** Whether a user is a reservation that records others. */
export const isReservationPage = (user: User): boolean => isReservation(user) && pageAddresses.has(user.email.address);
