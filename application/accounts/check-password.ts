import type { Either } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { Caller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface CheckPassword extends Caller {
  readonly type: 'CheckPassword';
}

export type CheckPasswordResult = Either<Failure<PasswordFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckPassword: UseCase<CheckPassword, CheckPasswordResult>;
  }
}

/** Checks the password of a user. */
export class CheckPasswordHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly authorizer: PasswordAuthorizer,
  ) {}

  async handle(query: CheckPassword): Promise<CheckPasswordResult> {
    return this.authorizer.authorize(await this.users.find(query.key), query);
  }
}
