import { left, right } from 'fp-ts/lib/Either.js';
import { type FieldError, failure } from '../../../domain/failure.ts';
import type { User } from '../../../domain/user.ts';
import { fieldOf } from '../../../domain/user-fields.ts';
import {
  headerError,
  maxHeaderPasswordBytes,
  maxUserBytes,
  type PropertyRules,
  propertyErrors,
  type UserLimits,
} from '../../../domain/user-limits.ts';
import { responseFields, userJson } from './user-writer.ts';

const textFields = responseFields.filter(({ kind }) => kind === 'text' || kind === 'address');
const maxOtherBytes = responseFields.reduce((sum, { name }) => sum + name.length + 24, 20);

/**
 * Serializes only users that may be too large: a character takes at most 3 bytes of JSON, or 6 where it may be escaped.
 */
const isTooLarge = (user: User): boolean => {
  let maxBytes = maxOtherBytes + 3 * user.properties.length;
  for (const field of textFields) maxBytes += 6 * String(fieldOf(user, field) ?? '').length;
  return maxBytes > maxUserBytes && Buffer.byteLength(userJson(user)) > maxUserBytes;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header cannot carry
const controlCharacters = /[\0-\x08\x0a-\x1f\x7f]/;

/** Why the `password` header cannot carry a text as it is, one error for each reason. */
const headerErrors = (password: string): readonly FieldError[] => {
  const errors = [
    /^[\t ]|[\t ]$/.test(password) && headerError('outerSpaces'),
    controlCharacters.test(password) && headerError('controlCharacters'),
    Buffer.byteLength(password) > maxHeaderPasswordBytes && headerError('tooManyBytes'),
  ];
  return errors.filter((error) => error !== false);
};

/**
 * The limits of stored users: the maximum size, the configured rules for custom properties, if any, and whether new
 * passwords must fit into a header.
 */
export const userLimits = (rules: PropertyRules | null, headerSafe = false): UserLimits => ({
  checkProperties: (properties) => {
    if (Buffer.byteLength(properties) > maxUserBytes) return left(failure('user_too_large'));
    const errors = rules === null ? [] : propertyErrors(rules, JSON.parse(properties));
    return errors.length > 0 ? left(failure('invalid_properties', errors)) : right(properties);
  },
  checkPassword: (password) => {
    const errors = headerSafe ? headerErrors(password) : [];
    return errors.length > 0 ? left(failure('unsuitable_password', errors)) : right(password);
  },
  checkSize: (user) => (isTooLarge(user) ? left(failure('user_too_large')) : right(user)),
});
