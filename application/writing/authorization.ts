import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { entityTagOf } from '../../domain/entity-tag.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import { isUserName, type UserKey } from '../../domain/user-name.ts';
import type { StoredUser } from '../ports/user-store.ts';

/** Decides whether a caller may act on what was read: a user, or undefined if there is none. Right: the user. */
export type Authorization<Code extends FailureCode> = (
  stored: StoredUser | undefined,
) => Promise<Either<Failure<Code>, StoredUser>>;

/** An outcome whose refusal names the user that was found by `key`, if the request may not say its address and its id. */
export const about = <Refused extends Failure, Result>(
  key: UserKey,
  stored: StoredUser | undefined,
  outcome: Either<Refused, Result>,
): Either<Refused, Result> => {
  if (stored === undefined || !isLeft(outcome)) return outcome;
  const { id, email } = stored.user;
  if (id === undefined && !isUserName(key)) return outcome;
  return left({ ...outcome.left, about: { key: keyOf(email.address), id } });
};

/** Allows every existing user. */
export const anyCaller: Authorization<'user_not_found'> = async (stored) =>
  stored === undefined ? left(failure('user_not_found')) : right(stored);

/**
 * Allows a change if the user has one of the entity tags. `stale_user` tells only authorized callers that it does not.
 */
export const onEntityTag = <Code extends FailureCode>(
  entityTags: readonly string[] | undefined,
  authorize: Authorization<Code>,
): Authorization<Code | 'stale_user'> => {
  if (entityTags === undefined) return authorize;
  return async (stored) => {
    const authorized = await authorize(stored);
    if (isLeft(authorized)) return authorized;
    return entityTags.includes(entityTagOf(authorized.right)) ? authorized : left(failure('stale_user'));
  };
};

/** Allows bookkeeping as long as the password has this stored hash. */
export const whilePasswordIs =
  (hash: string): Authorization<'user_not_found'> =>
  async (stored) =>
    stored?.user.password === hash ? right(stored) : left(failure('user_not_found'));
