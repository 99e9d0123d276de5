import { right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import { requirePasswordChange } from '../../domain/user-state.ts';
import { anyCaller } from '../passwords/authorizer.ts';
import type { Clock } from '../ports/clock.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';
import type { UserStateResult } from './disable-user.ts';

export interface RequirePasswordChange {
  readonly type: 'RequirePasswordChange';
  readonly key: EmailKey;
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

  handle({ key }: RequirePasswordChange): Promise<UserStateResult> {
    return this.updates.apply<'user_not_found' | 'contended'>({
      key,
      authorize: anyCaller,
      transition: (user) => right(requirePasswordChange(user, this.clock.now())),
      events: ['user.updated'],
      whenContended: 'contended',
    });
  }
}
