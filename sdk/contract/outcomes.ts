import { type Either, isLeft, isRight } from 'fp-ts/lib/Either.js';
import { Fault } from '../../application/fault.ts';
import type { Reservation, StoredUser, Taken } from '../../application/ports/user-store.ts';
import type { User } from '../../domain/user.ts';

/** The value of a success; throws for a failure. */
export const rightOf = <A>(outcome: Either<unknown, A>): A => {
  if (isLeft(outcome)) throw new Error(`expected a success, not ${JSON.stringify(outcome.left)}`);
  return outcome.right;
};

/** The user of a success; throws for a failure. */
export const userIn = (outcome: Either<unknown, StoredUser>): User => rightOf(outcome).user;

/** The value of a failure; throws for a success. */
export const leftOf = <E>(outcome: Either<E, unknown>): E => {
  if (isRight(outcome)) throw new Error('expected a failure');
  return outcome.left;
};

/** Whether a write was made. */
export const isWritten = (outcome: StoredUser | Taken | string): outcome is StoredUser =>
  typeof outcome === 'object' && 'version' in outcome;

/** The user as it was written; throws if the write was refused. */
export const written = (outcome: StoredUser | Taken | string): StoredUser => {
  if (!isWritten(outcome)) throw new Error(`a write was refused: ${JSON.stringify(outcome)}`);
  return outcome;
};

/** A reservation that was made; throws if a user has the key. */
export const reserved = (outcome: Reservation | 'taken'): Reservation => {
  if (outcome === 'taken') throw new Error('a user has a key that was to be reserved');
  return outcome;
};

/** The error that a promise rejects with; throws when it resolves. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, resolved with ${JSON.stringify(value)}`);
};

/** The Fault that a promise rejects with; throws any other error. */
export const faultOf = async (promise: Promise<unknown>): Promise<Fault> => {
  const error = await rejection(promise);
  if (error instanceof Fault) return error;
  throw error;
};
