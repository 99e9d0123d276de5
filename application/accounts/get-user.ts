import type { Either } from 'fp-ts/lib/Either.js';
import type { EmailAddress } from '../../domain/email-address.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { PasswordFailure } from '../passwords/authorizer.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { Authorizer, Caller } from '../writing/authorization.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface GetUser extends Caller {
  readonly type: 'GetUser';
  /**
   * If no earlier write of the address may be applied after a result that is a user or `user_not_found`: the client that
   * asks, empty for one without a name.
   */
  readonly settled?: { readonly address: EmailAddress; readonly client: string } | undefined;
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
    private readonly users: SettlingStore,
    private readonly authorizer: Authorizer<Code>,
  ) {}

  async handle(query: GetUser): Promise<GetUserResult<Code>> {
    const { key, settled } = query;
    const decide = (stored: StoredUser | undefined) => this.authorizer.authorize(stored, query);
    return settled === undefined
      ? decide(await this.users.find(key))
      : this.users.settle(settled.address, decide, settled.client);
  }
}
