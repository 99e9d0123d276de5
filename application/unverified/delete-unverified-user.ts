import { type Either, map, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import { isUnverifiedTooLong, type UnverifiedPolicy } from '../../domain/unverified.ts';
import type { Clock } from '../ports/clock.ts';
import { anyCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface DeleteUnverifiedUser {
  readonly type: 'DeleteUnverifiedUser';
  readonly key: EmailKey;
}

/** Right: whether the user was removed. */
export type DeleteUnverifiedUserResult = Either<Failure<'user_not_found' | 'contended'>, boolean>;

declare module '../bus.ts' {
  interface Commands {
    readonly DeleteUnverifiedUser: OptionalUseCase<DeleteUnverifiedUser, DeleteUnverifiedUserResult>;
  }
}

/**
 * Removes a user whose time to verify is over. That is decided for the version that is removed: a verification that is
 * stored first keeps the user, and one that comes later finds none.
 */
export class DeleteUnverifiedUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly clock: Clock,
    private readonly policy: UnverifiedPolicy,
  ) {}

  async handle({ key }: DeleteUnverifiedUser, startedMs: number): Promise<DeleteUnverifiedUserResult> {
    let isRemoved = false;
    const updated = await this.updates.apply<'user_not_found' | 'contended'>(
      {
        key,
        authorize: anyCaller,
        transition: (user) => {
          isRemoved = isUnverifiedTooLong(user, this.policy, this.clock.now());
          return right(isRemoved ? 'removed' : user);
        },
        events: ['user.deleted'],
        reason: 'unverified',
        whenContended: 'contended',
      },
      startedMs,
    );
    return map(() => isRemoved)(updated);
  }
}
