import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import { type ChangeCaller, unrestricted } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate, UpdateRequest } from './optimistic-update.ts';

/** Why a change by an administrator is refused, whatever it changes. */
export type AdministratorFailure = 'user_not_found' | 'stale_user' | 'contended';

/** Right: the user after the change. */
export type AdministratorResult<Code extends FailureCode = never> = Either<
  Failure<AdministratorFailure | Code>,
  StoredUser
>;

/**
 * Changes a user for an administrator, who needs no password of the user. `startedMs` is when the operation started, as
 * for `OptimisticUpdate.apply`.
 */
export const updateForAdministrator = <Code extends FailureCode = never>(
  updates: OptimisticUpdate,
  caller: ChangeCaller,
  change: Pick<UpdateRequest<AdministratorFailure | Code>, 'transition' | 'events'>,
  startedMs: number,
): Promise<AdministratorResult<Code>> =>
  updates.apply<AdministratorFailure | Code>(
    { key: caller.key, authorize: unrestricted.authorizationOf(caller), whenContended: 'contended', ...change },
    startedMs,
  );
