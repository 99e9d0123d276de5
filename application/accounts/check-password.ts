import { type Either, map } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { Caller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface CheckPassword extends Caller {
  readonly type: 'CheckPassword';
}

export type CheckPasswordResult = Either<Failure<PasswordFailure>, 'accepted'>;

declare module '../bus.ts' {
  interface Queries {
    readonly CheckPassword: UseCase<CheckPassword, CheckPasswordResult>;
  }
}

const accepted = map(() => 'accepted' as const);

/** Checks the password of a user, and returns nothing of the user. */
export class CheckPasswordHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly authorizer: PasswordAuthorizer,
  ) {}

  async handle(query: CheckPassword): Promise<CheckPasswordResult> {
    return accepted(await this.authorizer.authorize(await this.users.find(query.key), query));
  }
}
