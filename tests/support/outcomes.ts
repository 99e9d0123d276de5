import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js';

/** What succeeded; throws when it did not. */
export const rightOf = <A>(outcome: Either<unknown, A>): A => {
  if (isLeft(outcome)) throw new Error(`expected a success, not ${JSON.stringify(outcome.left)}`);
  return outcome.right;
};

/** What was refused; throws when it succeeded. */
export const leftOf = <E>(outcome: Either<E, unknown>): E => {
  if (isRight(outcome)) throw new Error('expected a refusal');
  return outcome.left;
};
