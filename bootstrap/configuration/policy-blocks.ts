import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import {
  below,
  block,
  isMapping,
  member,
  problemAt,
  required,
  type Values,
  withDefault,
  withErrors,
} from '../../adapters/kit/option-block.ts';
import { duration, flag, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { fixedFields } from '../../adapters/kit/user-json.ts';
import type { PropertyRules } from '../../domain/user-limits.ts';

/** The block `privacy`. */
export const privacyBlock = block({
  hideUnknownUsers: withDefault(
    flag,
    false,
    'Whether the service answers requests about unknown users as it answers wrong passwords, and verification links of unknown users as wrong tokens.',
  ),
  hidePasswords: withDefault(flag, false, 'Whether responses omit the stored hash of the password.'),
});

export type Privacy = Values<typeof privacyBlock.options>;

export const decodePrivacy = (given: unknown, context: t.Context): t.Validation<Privacy> =>
  privacyBlock.validate(given ?? {}, context);

/** The error of hiding unknown users although no password is checked. */
export const hidingWithoutCheck = ({ hideUnknownUsers }: Privacy, headerCheck: boolean): t.Errors =>
  hideUnknownUsers && !headerCheck
    ? [
        problemAt(
          below([], 'privacy', 'hideUnknownUsers'),
          'needs passwordHash.headerCheck: true; write it, or hideUnknownUsers: false',
        ),
      ]
    : [];

/** An entry of `properties.allowed`. */
export const allowedBlock = block({
  name: required(
    refine(text, (name) => !fixedFields.has(name), 'is a field of every user, not a custom property'),
    'The name of the property.',
  ),
  type: required(
    text,
    'string, integer, double, boolean, list or map; any other word, such as object, accepts every value.',
  ),
});

/** The block `properties` (specification, section 1). */
export const propertiesBlock = block({
  allowSubset: withDefault(flag, true, 'Whether allowed properties may be absent from a user.'),
  allowSuperset: withDefault(flag, true, 'Whether a user may have other properties than the allowed ones.'),
  allowed: withDefault(list(allowedBlock), [], 'The allowed properties, each with its type.'),
});

/** Decodes the block. Without it the result is null, and properties are not checked. */
export const decodeProperties = (given: unknown, context: t.Context): t.Validation<PropertyRules | null> =>
  given === undefined ? right(null) : propertiesBlock.validate(given, context);

/** The block `options`, and the block that `operationTimeout` may be. */
export const timeoutBlock = block({
  operationTimeout: withDefault(duration, '30s', 'The timeout of an operation of the service.'),
});

export const defaultOperationTimeoutMs = timeoutBlock.options.operationTimeout.fallback.value;

/** The timeout in a block; null if it has none. */
const timeoutIn = (given: unknown, context: t.Context): t.Validation<number | null> =>
  map(({ operationTimeout }: Values<typeof timeoutBlock.options>) =>
    member(given, 'operationTimeout') === undefined ? null : operationTimeout,
  )(timeoutBlock.validate(given ?? {}, context));

/**
 * Decodes the operation timeout of a document, in milliseconds: `options.operationTimeout`, or a top-level
 * `operationTimeout` that is a duration or a block with one. Two different values are an error.
 */
export const decodeOperationTimeout = (document: unknown): t.Validation<number> => {
  const written = member(document, 'operationTimeout');
  const at = below([], 'operationTimeout');
  const options = timeoutIn(member(document, 'options'), below([], 'options'));
  const top = written === undefined || isMapping(written) ? timeoutIn(written, at) : duration.validate(written, at);
  if (isLeft(options)) return withErrors(options, isLeft(top) ? top.left : []);
  if (isLeft(top)) return top;
  const differ = options.right !== null && top.right !== null && options.right !== top.right;
  return withErrors(
    right(options.right ?? top.right ?? defaultOperationTimeoutMs),
    differ ? [problemAt(at, 'differs from options.operationTimeout; keep one of them')] : [],
  );
};
