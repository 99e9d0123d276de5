import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { Authorizer, Caller } from '../passwords/passwords.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { UseCase } from '../use-case.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
}

export type GetUserCase = UseCase<GetUser, Either<Failure, User>>;

/** Reads a user. Left: `user_not_found`, `wrong_password`, `too_many_attempts`. */
export class GetUserHandler {
  constructor(
    private readonly users: UserStore,
    private readonly gates: Authorizer,
  ) {}

  async handle(asked: GetUser): Promise<Either<Failure, User>> {
    const stored = await this.users.find(asked.key);
    return await this.gates.admit(stored?.user, asked);
  }
}
