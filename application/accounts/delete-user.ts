import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { ChangeCaller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

export interface DeleteUser extends ChangeCaller {
  readonly type: 'DeleteUser';
}

export type DeleteUserResult = Either<Failure<PasswordFailure | 'contended' | 'stale_user'>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly DeleteUser: UseCase<DeleteUser, DeleteUserResult>;
  }
}

/** Removes a user. Right: exactly the user that was removed. */
export class DeleteUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: PasswordAuthorizer,
  ) {}

  handle(command: DeleteUser, startedMs: number): Promise<DeleteUserResult> {
    return this.updates.apply<PasswordFailure | 'stale_user'>(
      {
        key: command.key,
        authorize: this.authorizer.authorizationOf(command),
        transition: () => right('removed'),
        events: ['user.deleted'],
      },
      startedMs,
    );
  }
}
