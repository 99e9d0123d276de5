import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { entityTagOf } from '../../domain/entity-tag.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import { isUserName, type UserKey } from '../../domain/user-name.ts';
import type { Supplied } from '../passwords/without-password.ts';
import type { StoredUser } from '../ports/user-store.ts';

/** Decides whether a caller may act on what was read: a user, or undefined if there is none. Right: the user. */
export type Authorization<Code extends FailureCode> = (
  stored: StoredUser | undefined,
) => Promise<Either<Failure<Code>, StoredUser>>;

/** The caller's credentials. */
export interface Caller {
  /** The key of the user, who may not exist. */
  readonly key: UserKey;
  readonly supplied: Supplied;
  /** The address from which the password comes, if wrong passwords are counted per address. */
  readonly client?: string | undefined;
  /** Whether the caller sets a new password: the only operation for a user who must change the password. */
  readonly changesPassword?: boolean;
}

/** The caller of a change. */
export interface ChangeCaller extends Caller {
  /** The entity tags of which the user must have one; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

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
