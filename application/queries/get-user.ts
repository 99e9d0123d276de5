import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { Authorizer, Caller, PasswordFailure } from '../passwords/authorizer.ts';
import type { UserStore } from '../ports/user-store.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
}

export type GetUserResult<Code extends FailureCode = PasswordFailure> = Either<Failure<Code>, User>;

/** Reads a user. */
export class GetUserHandler<Code extends FailureCode> {
  constructor(
    private readonly users: UserStore,
    private readonly authorizer: Authorizer<Code>,
  ) {}

  async handle(query: GetUser): Promise<GetUserResult<Code>> {
    const stored = await this.users.find(query.key);
    return await this.authorizer.authorize(stored?.user, query);
  }
}
