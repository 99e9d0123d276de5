import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { Caller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
  /** Whether no earlier write of the user may be applied after a result that is a user or `user_not_found`. */
  readonly isSettled?: boolean;
}

/** The same with the password of a body. */
export interface CheckPassword extends Omit<GetUser, 'type'> {
  readonly type: 'CheckPassword';
}

export type GetUserResult = Either<Failure<PasswordFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly GetUser: UseCase<GetUser, GetUserResult>;
    readonly CheckPassword: UseCase<CheckPassword, GetUserResult>;
  }
}

/** Reads a user. */
export class GetUserHandler {
  constructor(
    private readonly users: SettlingStore,
    private readonly authorizer: PasswordAuthorizer,
  ) {}

  handle(query: GetUser | CheckPassword): Promise<GetUserResult> {
    const { key, isSettled = false } = query;
    const decide = (stored: StoredUser | undefined) => this.authorizer.authorize(stored, query);
    return isSettled ? this.users.settle(key, decide) : this.users.find(key).then(decide);
  }
}
