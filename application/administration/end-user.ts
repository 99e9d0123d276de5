import { type Either, map, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { AboutUser } from './administrator.ts';

/** Deletes a user for whom a time is over. */
export interface EndUser extends AboutUser {
  readonly type: 'EndUser';
  /** What `user.deleted` says. */
  readonly reason: 'inactive' | 'unverified';
  readonly isOver: (user: User) => boolean;
}

/** Right: whether the user was removed. */
export type EndUserResult = Either<Failure<'user_not_found' | 'contended'>, boolean>;

declare module '../bus.ts' {
  interface Commands {
    readonly EndUser: OptionalUseCase<EndUser, EndUserResult>;
  }
}

/**
 * Decides for the version that is removed: a sign-in or a verification that is stored first keeps the user, and one that
 * comes later finds none.
 */
export class EndUserHandler {
  /** As the messages of users and administrators that delete a user. */
  readonly label = 'DeleteUser';

  constructor(private readonly updates: OptimisticUpdate) {}

  async handle({ key, reason, isOver }: EndUser, startedMs: number): Promise<EndUserResult> {
    let isRemoved = false;
    const updated = await this.updates.apply<'user_not_found'>(
      {
        key,
        authorize: anyCaller,
        transition: (user) => {
          isRemoved = isOver(user);
          return right(isRemoved ? 'removed' : user);
        },
        events: ['user.deleted'],
        reason,
      },
      startedMs,
    );
    return map(() => isRemoved)(updated);
  }
}
