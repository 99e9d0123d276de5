import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { Authorizer, Caller, PasswordFailure } from '../passwords/authorizer.ts';
import { type StoredUser, type UserStore, visible } from '../ports/user-store.ts';
import type { Reservations } from '../users/reservations.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
  /** Whether no earlier write may be applied after a result that is a user or `user_not_found`. */
  readonly settled?: boolean;
}

export type GetUserResult<Code extends FailureCode = PasswordFailure> = Either<Failure<Code>, StoredUser>;

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
    const decide = (stored: StoredUser | undefined) => this.authorizer.authorize(stored, query);
    return settled ? this.reservations.settle(key, decide) : decide(visible(await this.users.find(key)));
  }
}
