import { type Either, right } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { Authorizer, Caller } from '../passwords/passwords.ts';
import type { UseCase } from '../use-case.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface DeleteUser extends Caller {
  readonly type: 'DeleteUser';
}

export type DeleteUserCase = UseCase<DeleteUser, Either<Failure, User>>;

/** Removes a user and returns exactly what was removed. Left: `user_not_found`, `wrong_password`, `too_many_attempts`, `contended`. */
export class DeleteUserHandler {
  constructor(
    private readonly change: OptimisticUpdate,
    private readonly gates: Authorizer,
  ) {}

  handle({ key, supplied, client }: DeleteUser): Promise<Either<Failure, User>> {
    return this.change.apply({
      key,
      gate: this.gates.gate({ key, supplied, client }),
      transition: () => right('removed'),
      event: 'user.deleted',
      whenContended: 'contended',
    });
  }
}
