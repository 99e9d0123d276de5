import type * as t from 'io-ts';
import type { FieldError } from '../../domain/failure.ts';

const pathOf = (context: t.Context): string =>
  context
    .map(({ key }) => key)
    // The members of an intersection stand in the context as numbers.
    .filter((key) => key !== '' && !/^\d+$/.test(key))
    .join('.');

/** What a codec says about the fields of an object, one entry for each field, without any value. */
export const fieldErrors = (errors: t.Errors): readonly FieldError[] => {
  const all = errors.map(({ value, context, message }) => ({
    path: pathOf(context),
    message: value === undefined ? 'is required' : (message ?? 'must be an object'),
  }));
  // Both halves of an intersection report what is wrong with the whole of it.
  return all.filter(({ path }, index) => all.findIndex((other) => other.path === path) === index);
};
