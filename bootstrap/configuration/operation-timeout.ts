import { isLeft, map, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, optional } from '../../adapters/kit/option-block.ts';
import { duration } from '../../adapters/kit/option-codecs.ts';
import { isMapping, member } from './document.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

/** The operation timeout when the file names none, in milliseconds (specification, section 8). */
export const defaultOperationTimeout = 30_000;

/** The block `options`, and the block that `operationTimeout` can be. */
export const timeoutBlock = block({
  operationTimeout: optional(duration, 'How long an operation of the service may take; 30s by default.'),
});

const fromBlock = (given: unknown, context: t.Context): t.Validation<number | null> =>
  map(({ operationTimeout }: { readonly operationTimeout: number | null }) => operationTimeout)(
    timeoutBlock.validate(given ?? {}, context),
  );

const fromEither = (given: unknown, context: t.Context): t.Validation<number | null> => {
  if (given === undefined) return right(null);
  return isMapping(given) ? fromBlock(given, context) : duration.validate(given, context);
};

/**
 * Decodes the timeout of an operation, in milliseconds: `options.operationTimeout`, or a top-level `operationTimeout`
 * that is a duration or a block that holds one. Two that differ are an error.
 */
export const decodeOperationTimeout = (document: unknown, context: t.Context): t.Validation<number> => {
  const options = fromBlock(member(document, 'options'), below(context, 'options'));
  const top = fromEither(member(document, 'operationTimeout'), below(context, 'operationTimeout'));
  if (isLeft(options)) return alsoFailing(options, isLeft(top) ? top.left : []);
  if (isLeft(top)) return top;
  const differ = options.right !== null && top.right !== null && options.right !== top.right;
  return alsoFailing(
    right(options.right ?? top.right ?? defaultOperationTimeout),
    differ ? [problemAt(below(context, 'operationTimeout'), 'differs from options.operationTimeout; keep one')] : [],
  );
};
