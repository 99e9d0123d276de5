import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, type FieldError, failure, type PasswordRule } from './failure.ts';
import type { CustomProperties, User, UserId } from './user.ts';
import { type UniqueProperty, uniqueErrors } from './user-name.ts';

/** The maximum size of a user, in UTF-8 bytes of its compact JSON (docs/api.md, "User"). */
export const maxUserBytes = 350 * 1024;

/** The latest time that a JavaScript Date can represent, in milliseconds since the epoch. */
export const maxTime = 8.64e15;

/** The latest time of a change that an import accepts: each later change has a later time, at most `maxTime`. */
export const maxImportedChangeTime = 8e15;

/** The maximum size of a password that the header carries, in bytes of UTF-8: what proxies accept by default in a line. */
export const maxHeaderPasswordBytes = 8 * 1024;

const headerMessages = {
  outerSpaces: 'must not start or end with a space or a tab, which HTTP removes from a header',
  controlCharacters: 'must not contain line breaks or other control characters',
  tooManyBytes: `must have at most ${maxHeaderPasswordBytes} bytes of UTF-8, to fit into a header`,
} as const satisfies Partial<Record<PasswordRule, string>>;

/** Why the `password` header cannot carry a new password (RFC 9110, section 5.5). */
export const headerError = (rule: keyof typeof headerMessages): FieldError => ({
  path: 'password',
  message: headerMessages[rule],
  rule,
});

/** The limits of every stored user. They depend on how a user is written, which the domain does not know. */
export interface UserLimits {
  /** Checks custom properties by themselves, before anything is read or hashed. */
  checkProperties(properties: CustomProperties): Either<Failure<'user_too_large' | 'invalid_properties'>, unknown>;
  /**
   * Checks the values of unique properties, except those that `previous` has already: they are left to `latchkey reindex`,
   * so that they do not make other changes fail.
   */
  checkUnique(
    user: Pick<User, 'properties'>,
    previous?: User,
  ): Either<Failure<'invalid_properties'>, Pick<User, 'properties'>>;
  /** The user with an id, which takes the place of a custom property called `id`. */
  withId(user: User, id: UserId): User;
  /** Whether a new password can be sent in the header in which later requests need it. */
  checkPassword(password: string): Either<Failure<'unsuitable_password'>, unknown>;
  /** Right: the same user. */
  checkSize(user: User): Either<Failure<'user_too_large'>, User>;
}

/** The types that a rule can name (docs/configuration.md, `properties`); any other name accepts every value. */
const types: Readonly<Record<string, { readonly is: (value: unknown) => boolean; readonly name: string }>> = {
  string: { is: (value) => typeof value === 'string', name: 'a string' },
  // As in the OpenAPI document, so that generated clients can read the property.
  integer: { is: (value) => Number.isSafeInteger(value), name: 'an integer, within ±9007199254740991' },
  double: { is: (value) => Number.isFinite(value), name: 'a number' },
  boolean: { is: (value) => typeof value === 'boolean', name: 'a boolean' },
  list: { is: (value) => Array.isArray(value), name: 'a list' },
  map: { is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), name: 'a map' },
};

export interface PropertyRule {
  readonly name: string;
  readonly type: string;
  /** Whether no two users have the same value. */
  readonly unique?: boolean;
}

/** Which custom properties a user may and must have. */
export interface PropertyRules {
  /** Whether users may lack some of `allowed`. */
  readonly allowSubset: boolean;
  /** Whether users may have further properties. */
  readonly allowSuperset: boolean;
  readonly allowed: readonly PropertyRule[];
}

/** Checks the values of custom properties. Returns at most one error per property, none if all rules are kept. */
export const propertyErrors = (
  { allowed, allowSubset, allowSuperset }: PropertyRules,
  properties: Readonly<Record<string, unknown>>,
): readonly FieldError[] => {
  const values = new Map(Object.entries(properties));
  const errors: FieldError[] = [];
  for (const { name, type } of allowed) {
    const expected = Object.hasOwn(types, type) ? types[type] : undefined;
    if (!values.has(name)) {
      if (!allowSubset) errors.push({ path: name, message: 'is required' });
    } else if (expected !== undefined && !expected.is(values.get(name))) {
      errors.push({ path: name, message: `must be ${expected.name}` });
    }
  }
  if (!allowSuperset) {
    const names = new Set(allowed.map(({ name }) => name));
    for (const name of values.keys()) {
      if (!names.has(name)) errors.push({ path: name, message: 'is not an allowed property' });
    }
  }
  return errors;
};

/** The limits with those of unique properties. */
export const withUnique = (limits: UserLimits, unique: readonly UniqueProperty[]): UserLimits => {
  if (unique.length === 0) return limits;
  const checkUnique: UserLimits['checkUnique'] = (user, previous) => {
    const errors = uniqueErrors(user, unique, previous);
    return errors.length > 0 ? left(failure('invalid_properties', errors)) : right(user);
  };
  return { ...limits, checkUnique };
};
