import { right } from 'fp-ts/lib/Either.js';
import { requirePasswordChange } from '../../domain/user-state.ts';
import { type ChangeCaller, unrestricted } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';
import type { UserStateResult } from './disable-user.ts';

export interface RequirePasswordChange extends ChangeCaller {
  readonly type: 'RequirePasswordChange';
}

declare module '../bus.ts' {
  interface Administration {
    readonly RequirePasswordChange: UseCase<RequirePasswordChange, UserStateResult>;
  }
}

/** Refuses every operation of a user until the user sets another password. */
export class RequirePasswordChangeHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
  ) {}

  handle(command: RequirePasswordChange): Promise<UserStateResult> {
    return this.updates.apply<'user_not_found' | 'stale_user' | 'contended'>({
      key: command.key,
      authorize: unrestricted.authorizationOf(command),
      transition: (user) => right(requirePasswordChange(user, this.clock.now())),
      events: ['user.updated'],
      whenContended: 'contended',
    });
  }
}
