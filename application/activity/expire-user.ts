import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Inactivity, isInactive } from '../../domain/activity.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { AboutUser } from '../administration/administrator.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface ExpireUser extends AboutUser {
  readonly type: 'ExpireUser';
  readonly inactive: Inactivity;
}

/** `stale_user`: the user is not inactive any more. */
export type ExpireUserResult = Either<Failure<'user_not_found' | 'stale_user' | 'contended'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly ExpireUser: OptionalUseCase<ExpireUser, ExpireUserResult>;
  }
}

/** Deletes a user who is still inactive in the version that is deleted. Right: exactly the user that was removed. */
export class ExpireUserHandler {
  /** As the messages of users and administrators that delete a user. */
  readonly label = 'DeleteUser';

  constructor(private readonly updates: OptimisticUpdate) {}

  handle({ key, inactive }: ExpireUser, startedMs: number): Promise<ExpireUserResult> {
    return this.updates.apply<'user_not_found' | 'stale_user' | 'contended'>(
      {
        key,
        authorize: async (stored) => {
          const found = await anyCaller(stored);
          return isLeft(found) || isInactive(found.right.user, inactive) ? found : left(failure('stale_user'));
        },
        transition: () => right('removed'),
        events: ['user.deleted'],
        reason: 'inactive',
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}
