import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js';

/** The result of a success; throws on a failure. */
export const rightOf = <A>(outcome: Either<unknown, A>): A => {
  if (isLeft(outcome)) throw new Error(`expected a success, not ${JSON.stringify(outcome.left)}`);
  return outcome.right;
};

/** The failure; throws on a success. */
export const leftOf = <E>(outcome: Either<E, unknown>): E => {
  if (isRight(outcome)) throw new Error('expected a refusal');
  return outcome.left;
};
