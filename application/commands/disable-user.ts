import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import { type Disablement, disableUser, enableUser } from '../../domain/user-state.ts';
import { type ChangeCaller, unrestricted } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface DisableUser extends ChangeCaller, Disablement {
  readonly type: 'DisableUser';
}

export interface EnableUser extends ChangeCaller {
  readonly type: 'EnableUser';
}

/** Right: the user after a decision of an administrator. */
export type UserStateResult = Either<Failure<'user_not_found' | 'stale_user' | 'contended'>, StoredUser>;

declare module '../bus.ts' {
  interface Administration {
    readonly DisableUser: UseCase<DisableUser, UserStateResult>;
    readonly EnableUser: UseCase<EnableUser, UserStateResult>;
  }
}

/** Refuses every operation of a user for good or until a time. Changes nothing for a user who is disabled so already. */
export class DisableUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: DisableUser, startedMs: number): Promise<UserStateResult> {
    return this.updates.apply<'user_not_found' | 'stale_user' | 'contended'>(
      {
        key: command.key,
        authorize: unrestricted.authorizationOf(command),
        transition: (user) => right(disableUser(user, command, this.clock.now())),
        events: ['user.disabled'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}

/** Ends the state of a disabled user. */
export class EnableUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: EnableUser, startedMs: number): Promise<UserStateResult> {
    return this.updates.apply<'user_not_found' | 'stale_user' | 'contended'>(
      {
        key: command.key,
        authorize: unrestricted.authorizationOf(command),
        transition: (user) => right(enableUser(user, this.clock.now())),
        events: ['user.enabled'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}
