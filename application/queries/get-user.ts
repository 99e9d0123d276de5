import type { Either } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UseCase } from '../bus.ts';
import type { Gatekeeper } from '../passwords.ts';
import type { UserStore } from '../ports/user-store.ts';

export interface GetUser {
  readonly type: 'GetUser';
  readonly key: EmailKey;
  /** The `password` header. */
  readonly supplied: string | undefined;
}

export type GetUserCase = UseCase<GetUser, Either<Failure, User>>;

/** Reads a user. Left: `user_not_found`, `wrong_password`. */
export class GetUserHandler {
  constructor(
    private readonly users: UserStore,
    private readonly gates: Gatekeeper,
  ) {}

  async handle({ key, supplied }: GetUser): Promise<Either<Failure, User>> {
    const stored = await this.users.find(key);
    return this.gates.admit(stored?.user, supplied);
  }
}
