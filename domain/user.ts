import { type Decoder, guarded } from './codec.ts';
import type { EmailAddress } from './email-address.ts';
import type { OneTimeToken } from './one-time-token.ts';

declare const brand: unique symbol;

/** An id of a user, which never changes. */
export type UserId = string & { readonly [brand]: 'UserId' };

// Not `.` or `..`, which clients remove from the path of a URL.
const isUserId = (value: unknown): value is UserId =>
  typeof value === 'string' && /^[\w\-.:]{1,64}$/.test(value) && !/^\.+$/.test(value);

/** Why a value is no id. */
export const invalidUserId = 'must have 1 to 64 characters: ASCII letters, digits, and _ - . :, not only dots';

/**
 * UserId for codecs that contain it.
 * @internal
 */
export const userIdType = guarded('UserId', isUserId, invalidUserId);

/** Decodes an id: 1 to 64 ASCII letters, digits and `_ - . :`, not only dots. */
export const UserId: Decoder<UserId> = userIdType;

/**
 * The custom properties of a user, exactly as the client wrote them. The domain does not look inside: text keeps every
 * number and the order of names, regardless of how a store encodes them.
 */
export type CustomProperties = string & { readonly [brand]: 'CustomProperties' };

const isProperties = (value: unknown): value is CustomProperties =>
  typeof value === 'string' && value.startsWith('{') && value.endsWith('}');

/**
 * Decodes the text of a JSON object. Its syntax is not checked: it comes from the JSON reader or a store.
 * @internal
 */
export const CustomProperties = guarded('CustomProperties', isProperties);

/**
 * Whether an address is verified, and the token of the link that verifies it. The token stays afterwards, so that a link
 * works twice; a reset ends it.
 */
export type Verification =
  | { readonly verified: boolean; readonly token: null; readonly tokenTime?: undefined }
  | {
      readonly verified: boolean;
      readonly token: string;
      /** When a command or the body of an update set the token; absent if the store did not keep it. */
      readonly tokenTime?: number;
    };

/** The address of a user, and its state. */
export interface Email {
  readonly address: EmailAddress;
  readonly verification: Verification;
  /** When a mail to verify or confirm an address was last requested, whichever one the user had then; absent if unknown. */
  readonly mailTime?: number;
}

/** That an administrator has disabled the user: since when, and until when unless for good. */
export interface Disablement {
  readonly since: number;
  readonly until?: number;
  /** Absent if the user was imported without one. */
  readonly reason?: string;
}

/** A new address that waits for its confirmation, with the digests of the tokens that confirm and cancel it. */
export interface WaitingMove {
  readonly to: EmailAddress;
  readonly since: number;
  readonly confirmDigest: string;
  readonly cancelDigest: string;
}

/** The digest of a link that was used, so that a second press of its button can be told from a wrong token. */
type UsedLink = { readonly to?: undefined; readonly since: number } & (
  | { readonly confirmDigest: string; readonly cancelDigest?: undefined }
  | { readonly cancelDigest: string; readonly confirmDigest?: undefined }
);

/** A change to another address that the new mailbox confirms: it waits, or it was confirmed or cancelled. */
export type AddressMove = WaitingMove | UsedLink;

/**
 * A user account. Each optional part is absent for most users, or complete. Times are in milliseconds since the epoch.
 */
export interface User {
  /** Absent where users have no ids, and until `latchkey ids` gives one. */
  readonly id?: UserId;
  readonly email: Email;
  /** The stored hash. */
  readonly password: string;
  /** When a user or an administrator last set another password; absent if that was when the user was created. */
  readonly passwordTime?: number;
  /** The digest of the expensive hash that the present one of the same password replaced. */
  readonly formerHashDigest?: string;
  readonly creationTime: number;
  readonly lastUpdateTime: number;
  readonly properties: CustomProperties;
  readonly disablement?: Disablement;
  /** Since when the user has to set another password before anything else. */
  readonly requiredChangeTime?: number;
  /** The token with which a forgotten password is replaced. */
  readonly recovery?: OneTimeToken;
  readonly addressMove?: AddressMove;
  /** That the person has not set a first password yet, and the token with which that is done. */
  readonly invitation?: OneTimeToken;
  /** When the password was last right, to the precision that the configuration asks for; absent if that is not recorded. */
  readonly lastCheckTime?: number;
  /** When the user was imported; absent for others, and if the import was by a former version. */
  readonly importTime?: number;
  /** When a verified address was first reset or replaced by one that was not; absent for users who never were verified. */
  readonly unverifiedTime?: number;
  /** The entity tag from before bookkeeping, and the `lastUpdateTime` that it belongs to (domain/entity-tag.ts). */
  readonly keptTag?: string;
}

/** When the password of a user was set, in milliseconds since the epoch; a new hash of the same password does not count. */
export const passwordTimeOf = ({ passwordTime, creationTime }: User): number => passwordTime ?? creationTime;

/** The values of the custom properties of a user, by their names. */
export const propertyValues = ({ properties }: Pick<User, 'properties'>): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(JSON.parse(properties)));

/** A custom property of a user; undefined for one without it. */
export const propertyOf = ({ properties }: Pick<User, 'properties'>, name: string): unknown => {
  const values: Readonly<Record<string, unknown>> = JSON.parse(properties);
  return Object.hasOwn(values, name) ? values[name] : undefined;
};
