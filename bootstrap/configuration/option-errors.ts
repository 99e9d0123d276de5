import { getSemigroup } from 'fp-ts/lib/Array.js';
import { getApplicativeValidation, isLeft, left } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isMapping } from '../../adapters/kit/option-block.ts';

/** A mapping with only these keys. Any other value is returned unchanged, so that its codec can refuse it. */
export const pick = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key))) : value;

/** A mapping without these keys. Any other value is returned unchanged, so that its codec can refuse it. */
export const omit = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value;

/** Combines validations and keeps the errors of all of them. */
export const everyError = getApplicativeValidation(getSemigroup<t.ValidationError>());

/** The context of a key, and of keys inside it, for the path of an error. */
export const below = (context: t.Context, ...keys: readonly string[]): t.Context =>
  keys.reduce((inner, key) => t.appendContext(inner, key, t.unknown), context);

/** An error at a place of the file. The message must not repeat a value. */
export const problemAt = (context: t.Context, message: string): t.ValidationError => ({
  value: undefined,
  context,
  message,
});

/** Adds errors to a validation, which then fails if there are any. */
export const withErrors = <A>(validation: t.Validation<A>, errors: t.Errors): t.Validation<A> => {
  if (errors.length === 0) return validation;
  return left(isLeft(validation) ? [...validation.left, ...errors] : errors);
};
