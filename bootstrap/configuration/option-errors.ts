import { isLeft, left, mapLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { isMapping } from '../../adapters/kit/option-block.ts';
import type { Codec, Decoded, Refusal } from '../../adapters/kit/option-codecs.ts';

/** A mapping with only these keys. Any other value is returned unchanged, so that its codec can refuse it. */
export const pick = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key))) : value;

/** A mapping without these keys. Any other value is returned unchanged, so that its codec can refuse it. */
export const omit = (value: unknown, keys: readonly string[]): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value;

/** The context of a key, and of keys inside it, for the path of an error. */
export const below = (context: t.Context, ...keys: readonly string[]): t.Context =>
  keys.reduce((inner, key) => t.appendContext(inner, key, t.unknown), context);

/** An error at a place of the file. The message must not repeat a value. */
export const problemAt = (context: t.Context, message: string): t.ValidationError => ({
  value: undefined,
  context,
  message,
});

/** The outcome of a codec whose value stands at a place of the file. The name of a codec holds no value. */
export const decodedAt = <A>(decoded: Decoded<A>, context: t.Context, name: string): t.Validation<A> =>
  mapLeft((refusals: readonly Refusal[]) =>
    refusals.map(({ context: inner = [], message }) => {
      const keys = inner.map(({ key }) => key).filter((key) => key !== '');
      return problemAt(below(context, ...keys), message ?? `expected ${inner.at(-1)?.type?.name ?? name}`);
    }),
  )(decoded);

/** Decodes a value at a place of the file. */
export const validate = <A>(codec: Codec<A, unknown>, value: unknown, context: t.Context): t.Validation<A> =>
  decodedAt(codec.decode(value), context, codec.name);

/** A codec of options whose `decode` says what is wrong with a value, at its place in the file. */
export const optionCodec = <A, W = A>(
  name: string,
  is: (value: unknown) => value is A,
  decode: t.Validate<unknown, A>,
): Codec<A, W> => new t.Type<A, unknown, unknown>(name, is, decode, t.identity);

/** Adds errors to a validation, which then fails if there are any. */
export const withErrors = <A>(validation: t.Validation<A>, errors: t.Errors): t.Validation<A> => {
  if (errors.length === 0) return validation;
  return left(isLeft(validation) ? [...validation.left, ...errors] : errors);
};
