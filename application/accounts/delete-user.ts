import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { Authorizer, ChangeCaller } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface DeleteUser extends ChangeCaller {
  readonly type: 'DeleteUser';
}

export type DeleteUserResult<Code extends FailureCode = PasswordFailure> = Either<
  Failure<Code | 'user_not_found' | 'contended' | 'stale_user'>,
  StoredUser
>;

declare module '../bus.ts' {
  interface Commands {
    readonly DeleteUser: UseCase<DeleteUser, DeleteUserResult>;
  }
  interface Administration {
    readonly DeleteUser: UseCase<DeleteUser, DeleteUserResult<'user_not_found'>>;
  }
}

/** Removes a user. Right: exactly the user that was removed. */
export class DeleteUserHandler<Code extends FailureCode> {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: Authorizer<Code>,
  ) {}

  handle(command: DeleteUser, startedMs: number): Promise<DeleteUserResult<Code>> {
    return this.updates.apply<Code | 'contended' | 'stale_user'>(
      {
        key: command.key,
        authorize: this.authorizer.authorizationOf(command),
        transition: () => right('removed'),
        events: ['user.deleted'],
        whenContended: 'contended',
      },
      startedMs,
    );
  }
}
