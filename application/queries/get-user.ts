import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import { type User, visibleUser } from '../../domain/user.ts';
import type { Authorizer, Caller, PasswordFailure } from '../passwords/authorizer.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { Reservations } from '../users/reservations.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
  /** Whether no earlier write may be applied after a result that is a user or `user_not_found`. */
  readonly settled?: boolean;
}

export type GetUserResult<Code extends FailureCode = PasswordFailure> = Either<Failure<Code>, User>;

declare module '../bus.ts' {
  interface Queries {
    readonly GetUser: UseCase<GetUser, GetUserResult>;
  }
  interface Administration {
    readonly GetUser: UseCase<GetUser, GetUserResult<'user_not_found'>>;
  }
}

/** Reads a user. */
export class GetUserHandler<Code extends FailureCode> {
  constructor(
    private readonly users: UserStore,
    private readonly reservations: Reservations,
    private readonly authorizer: Authorizer<Code>,
  ) {}

  async handle(query: GetUser): Promise<GetUserResult<Code>> {
    const { key, settled = false } = query;
    const decide = (user: User | undefined) => this.authorizer.authorize(user, query);
    return settled ? this.reservations.settle(key, decide) : decide(visibleUser((await this.users.find(key))?.user));
  }
}
