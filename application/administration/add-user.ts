import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../../domain/failure.ts';
import type { CreateUser, CreateUserHandler, CreateUserResult } from '../accounts/create-user.ts';
import type { Invitations } from '../invitations/invite-user.ts';
import type { StoredHash } from '../passwords/password-update.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { ByAdministrator } from './administrator.ts';

export interface AddUser extends ByAdministrator, Omit<CreateUser, 'type' | 'password'> {
  readonly type: 'AddUser';
  /** Undefined for a user who is invited to choose one. */
  readonly password?: string | undefined;
}

declare module '../bus.ts' {
  interface Commands {
    readonly AddUser: OptionalUseCase<AddUser, CreateUserResult>;
  }
}

/**
 * Creates a user for an administrator. Without a password the user gets a random one of 122 bits, which is not kept, and
 * a mail with an invitation; where none are sent, that is refused.
 */
export class AddUserHandler {
  constructor(
    private readonly users: Pick<CreateUserHandler, 'handle' | 'invite'>,
    private readonly algorithm: Pick<PasswordHash, 'hash'>,
    private readonly invitations: Pick<Invitations, 'prepare'> | undefined,
  ) {}

  async handle(command: AddUser, startedMs: number): Promise<CreateUserResult> {
    const { type: _, by: __, password, ...user } = command;
    if (password !== undefined) return this.users.handle({ ...user, password, type: 'CreateUser' }, startedMs);
    if (this.invitations === undefined)
      return left(failure('unsuitable_password', [{ path: 'password', message: 'is required without invitations' }]));
    const hashOf = async (): Promise<StoredHash> => right(await this.algorithm.hash(crypto.randomUUID()));
    return this.users.invite(user, hashOf, this.invitations.prepare(), startedMs);
  }
}
