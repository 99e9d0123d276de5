import { type Either, map } from 'fp-ts/lib/Either.js';
import { withoutMove } from '../../domain/address-move.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { type ChangeCaller, unrestricted } from '../writing/authorization.ts';
import type { OptimisticUpdate, UpdateRequest } from '../writing/optimistic-update.ts';

/** Why a change by an administrator is refused, whatever it changes. */
export type AdministratorFailure = 'user_not_found' | 'stale_user' | 'contended';

/** Right: the user after the change. */
export type AdministratorResult<Code extends FailureCode = never> = Either<
  Failure<AdministratorFailure | Code>,
  StoredUser
>;

/**
 * Changes a user for an administrator, who needs no password of the user. A change also cancels an address move that is
 * not confirmed, because somebody else may have requested it. `startedMs` is when the operation started, as for
 * `OptimisticUpdate.apply`.
 */
export const updateForAdministrator = <Code extends FailureCode = never>(
  updates: OptimisticUpdate,
  caller: ChangeCaller,
  { transition, events }: Pick<UpdateRequest<AdministratorFailure | Code>, 'transition' | 'events'>,
  startedMs: number,
): Promise<AdministratorResult<Code>> =>
  updates.apply<AdministratorFailure | Code>(
    {
      key: caller.key,
      authorize: unrestricted.authorizationOf(caller),
      transition: async (user) =>
        map((next: User | 'removed') => (next === user || next === 'removed' ? next : withoutMove(next)))(
          await transition(user),
        ),
      events,
      whenContended: 'contended',
    },
    startedMs,
  );
