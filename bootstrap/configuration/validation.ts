import { getSemigroup } from 'fp-ts/lib/Array.js';
import { getApplicativeValidation, isLeft, left } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

/** Combines validations so that the errors of all of them are kept. */
export const everyError = getApplicativeValidation(getSemigroup<t.ValidationError>());

/** The context of a key, and of keys below it, for the path of an error. */
export const below = (context: t.Context, ...keys: readonly string[]): t.Context =>
  keys.reduce((inner, key) => t.appendContext(inner, key, t.unknown), context);

/** An error at a place of the file. The message never repeats a value. */
export const problemAt = (context: t.Context, message: string): t.ValidationError => ({
  value: undefined,
  context,
  message,
});

/** A validation that fails also for errors found elsewhere. */
export const alsoFailing = <A>(validation: t.Validation<A>, errors: t.Errors): t.Validation<A> => {
  if (errors.length === 0) return validation;
  return left(isLeft(validation) ? [...validation.left, ...errors] : errors);
};
