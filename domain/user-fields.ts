import type { EmailAddress } from './email-address.ts';
import type { OneTimeToken, OutstandingToken } from './one-time-token.ts';
import type {
  AddressMove,
  CustomProperties,
  Disablement,
  Email,
  User,
  UserId,
  Verification,
  WaitingMove,
} from './user.ts';

/** The parts of a user whose members are stored as fields; `user` has what is stored of the user itself. */
interface Parts {
  readonly email: Omit<Email, 'verification'>;
  readonly verification: Pick<Verification, keyof Verification>;
  readonly user: Omit<User, 'email' | PartName>;
  readonly disablement: Disablement;
  readonly recovery: OutstandingToken;
  readonly addressMove: WaitingMove;
  readonly invitation: OutstandingToken;
}

type KindOf<Value> = Value extends boolean
  ? 'flag'
  : Value extends number
    ? 'time'
    : Value extends EmailAddress
      ? 'address'
      : Value extends UserId
        ? 'id'
        : Value extends CustomProperties
          ? 'properties'
          : 'text';
type PresenceOf<Value> = undefined extends Value ? 'optional' : null extends Value ? 'nullable' : 'required';
type FieldsOf<Of extends keyof Parts, Name> = {
  [Member in keyof Parts[Of]]-?: {
    /** Where JSON has the field: in the member `email`, or next to it. */
    readonly in: 'email' | 'user';
    /** The name under which stores, exports and responses have the field. */
    readonly name: Name;
    /** The part of the user that has the value, and its name there. */
    readonly of: Of;
    readonly member: Member;
    readonly kind: KindOf<NonNullable<Parts[Of][Member]>>;
    readonly presence: Of extends PartName ? 'optional' : PresenceOf<Parts[Of][Member]>;
  } & (
    | {
        /** Responses leave the field out; stores and exports keep it. */
        readonly isInternal: true;
        /** Administrators see it at most where there is no entity tag, so that it may change without a new one. */
        readonly isBookkeeping?: true;
      }
    | {
        readonly isInternal?: undefined;
        readonly isBookkeeping?: undefined;
        /** See FieldSetBy. */
        readonly setBy: 'requests' | 'updates' | 'service';
      }
  );
}[keyof Parts[Of]];
type FieldNamed<Name> = { [Of in keyof Parts]: FieldsOf<Of, Name> }[keyof Parts];

const required = { presence: 'required' } as const;
const nullable = { presence: 'nullable' } as const;
const ofVerification = { in: 'email', of: 'verification' } as const;
const ofUser = { in: 'user', of: 'user', ...required } as const;
const internal = { in: 'email', presence: 'optional', isInternal: true } as const;
const bookkeeping = { ...internal, isBookkeeping: true } as const;

/**
 * Every stored field of a user. Stores derive their columns, attributes and record members from this list: a field that
 * is `nullable` holds null where it has no value, and one that is `optional` is absent then.
 */
export const userFields = [
  { in: 'email', name: 'address', of: 'email', member: 'address', kind: 'address', ...required, setBy: 'requests' },
  { ...ofVerification, name: 'verified', member: 'verified', kind: 'flag', ...required, setBy: 'updates' },
  { ...ofVerification, name: 'verificationToken', member: 'token', kind: 'text', ...nullable, setBy: 'updates' },
  { ...internal, name: 'tokenTime', of: 'verification', member: 'tokenTime', kind: 'time' },
  { ...bookkeeping, name: 'mailTime', of: 'email', member: 'mailTime', kind: 'time' },
  { ...internal, name: 'disabledTime', of: 'disablement', member: 'since', kind: 'time' },
  { ...internal, name: 'disabledUntil', of: 'disablement', member: 'until', kind: 'time' },
  { ...internal, name: 'disabledReason', of: 'disablement', member: 'reason', kind: 'text' },
  { ...internal, name: 'changeRequiredTime', of: 'user', member: 'requiredChangeTime', kind: 'time' },
  { ...internal, name: 'passwordTime', of: 'user', member: 'passwordTime', kind: 'time' },
  { ...bookkeeping, name: 'recoveryDigest', of: 'recovery', member: 'digest', kind: 'text' },
  { ...bookkeeping, name: 'recoveryTime', of: 'recovery', member: 'time', kind: 'time' },
  { ...internal, name: 'pending', of: 'addressMove', member: 'to', kind: 'address' },
  { ...internal, name: 'pendingTime', of: 'addressMove', member: 'since', kind: 'time' },
  { ...internal, name: 'pendingDigest', of: 'addressMove', member: 'confirmDigest', kind: 'text' },
  { ...internal, name: 'cancelDigest', of: 'addressMove', member: 'cancelDigest', kind: 'text' },
  { ...internal, name: 'invitationDigest', of: 'invitation', member: 'digest', kind: 'text' },
  { ...internal, name: 'invitationTime', of: 'invitation', member: 'time', kind: 'time' },
  { ...bookkeeping, name: 'lastCheckTime', of: 'user', member: 'lastCheckTime', kind: 'time' },
  { ...bookkeeping, name: 'importTime', of: 'user', member: 'importTime', kind: 'time' },
  { ...internal, name: 'unverifiedTime', of: 'user', member: 'unverifiedTime', kind: 'time' },
  { ...internal, name: 'keptTag', of: 'user', member: 'keptTag', kind: 'text' },
  { ...bookkeeping, name: 'formerHashDigest', of: 'user', member: 'formerHashDigest', kind: 'text' },
  { ...internal, name: 'id', of: 'user', member: 'id', kind: 'id' },
  { ...ofUser, name: 'password', member: 'password', kind: 'text', setBy: 'requests' },
  { ...ofUser, name: 'creationTime', member: 'creationTime', kind: 'time', setBy: 'service' },
  { ...ofUser, name: 'lastUpdateTime', member: 'lastUpdateTime', kind: 'time', setBy: 'service' },
  { ...ofUser, name: 'properties', member: 'properties', kind: 'properties', setBy: 'requests' },
] as const satisfies readonly FieldNamed<string>[];

type Listed = (typeof userFields)[number];

/** A stored field of a user. */
export type UserField = FieldNamed<Listed['name']>;

// Does not compile while the list lacks a member of a part, or lets clients set one outside `email`, where they choose the
// names.
type MemberOf<Field> = Field extends { of: infer Of extends string; member: infer Name extends string }
  ? `${Of}.${Name}`
  : never;
true satisfies MemberOf<UserField> extends MemberOf<Listed> ? true : false;
true satisfies FieldSetBy<'requests' | 'updates', 'user'> extends 'password' | 'properties' ? true : false;

/** The value of a field; undefined where an optional one is absent. */
export const fieldOf = (user: User, field: UserField): string | number | boolean | null | undefined => {
  switch (field.of) {
    case 'email':
      return user.email[field.member];
    case 'verification':
      return user.email.verification[field.member];
    case 'user':
      return user[field.member];
    case 'disablement':
      return user.disablement?.[field.member];
    case 'recovery':
      return user.recovery?.[field.member];
    case 'addressMove':
      return user.addressMove?.[field.member];
    case 'invitation':
      return user.invitation?.[field.member];
  }
};

/** The names of the fields that clients set in all requests that store a user, or in updates only. */
export type FieldSetBy<By, In = string> = Extract<Listed, { setBy: By; in: In }>['name'];

type ValueOf<Field> = Field extends { of: infer Of extends keyof Parts; member: infer Member }
  ? Member extends keyof Parts[Of]
    ? Exclude<Parts[Of][Member], undefined>
    : never
  : never;

type ValuesOf<Field extends { readonly name: string }> = { readonly [One in Field as One['name']]: ValueOf<One> };

/** The values of the fields that clients set, by their names. */
export type ValuesSetBy<By> = ValuesOf<Extract<Listed, { setBy: By; presence: 'required' | 'nullable' }>> &
  Partial<ValuesOf<Extract<Listed, { setBy: By; presence: 'optional' }>>>;

type PartName = 'disablement' | 'recovery' | 'addressMove' | 'invitation';

/** The values of the fields of the optional parts of a user, by their names. */
export type PartValues = Partial<ValuesOf<Extract<Listed, { of: PartName }>>>;

const disablementOf = (values: PartValues): Disablement | undefined => {
  const { disabledTime: since, disabledUntil: until, disabledReason: reason } = values;
  if (since === undefined) return undefined;
  return { since, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) };
};

const tokenOf = (digest: string | undefined, time: number | undefined): OneTimeToken | undefined => {
  if (time === undefined) return undefined;
  return digest === undefined ? { time } : { digest, time };
};

const addressMoveOf = (values: PartValues): AddressMove | undefined => {
  const { pending: to, pendingTime: since, pendingDigest: confirmDigest, cancelDigest } = values;
  if (since === undefined) return undefined;
  if (to !== undefined)
    return confirmDigest === undefined || cancelDigest === undefined
      ? undefined
      : { to, since, confirmDigest, cancelDigest };
  if (confirmDigest !== undefined) return { since, confirmDigest };
  return cancelDigest === undefined ? undefined : { since, cancelDigest };
};

/**
 * The user with the parts that have these values. A part that is incomplete, because another program changed it or it is
 * damaged, is absent: it has no effect, and must not keep the user from being read.
 */
export const withParts = (user: User, values: PartValues): User => {
  const [disablement, addressMove] = [disablementOf(values), addressMoveOf(values)];
  const recovery = tokenOf(values.recoveryDigest, values.recoveryTime);
  const invitation = tokenOf(values.invitationDigest, values.invitationTime);
  return {
    ...user,
    ...(disablement !== undefined && { disablement }),
    ...(recovery !== undefined && { recovery }),
    ...(addressMove !== undefined && { addressMove }),
    ...(invitation !== undefined && { invitation }),
  };
};
