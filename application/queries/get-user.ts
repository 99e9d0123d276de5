import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import { type User, visibleUser } from '../../domain/user.ts';
import type { Authorizer, Caller, PasswordFailure } from '../passwords/authorizer.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { Reservations } from '../users/reservations.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
  /** Whether no earlier write of the user may be applied after this query. */
  readonly settled?: boolean;
}

export type GetUserResult<Code extends FailureCode = PasswordFailure> = Either<Failure<Code>, User>;

/** Reads a user. */
export class GetUserHandler<Code extends FailureCode> {
  constructor(
    private readonly users: UserStore,
    private readonly reservations: Reservations,
    private readonly authorizer: Authorizer<Code>,
  ) {}

  async handle(query: GetUser): Promise<GetUserResult<Code>> {
    const { key, settled = false } = query;
    const user = settled ? await this.reservations.findSettled(key) : visibleUser((await this.users.find(key))?.user);
    return await this.authorizer.authorize(user, query);
  }
}
