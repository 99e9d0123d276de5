import { left, right } from 'fp-ts/lib/Either.js';
import { failure } from '../../domain/failure.ts';
import type { CreateUser, CreateUserHandler, CreateUserResult, PreparedInvitation } from '../accounts/create-user.ts';
import type { PasswordUpdate, StoredHash } from '../passwords/password-update.ts';
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
 * Creates a user for an administrator, who may enter a password in clear also where clients hash passwords. Without one
 * the user gets a random one of 122 bits, which is not kept, and a mail with an invitation; where none are sent, that
 * is refused.
 */
export class AddUserHandler {
  constructor(
    private readonly users: Pick<CreateUserHandler, 'add'>,
    private readonly passwords: Pick<PasswordUpdate, 'storedHashOf'>,
    private readonly algorithm: Pick<PasswordHash, 'hash'>,
    /** Makes an invitation; undefined where none are sent. */
    private readonly invite: () => PreparedInvitation | undefined,
  ) {}

  async handle(command: AddUser, startedMs: number): Promise<CreateUserResult> {
    const { type: _, by: __, password, ...others } = command;
    const user = { ...others, password: '' };
    if (password !== undefined)
      return this.users.add(user, () => this.passwords.storedHashOf(password, [user.address]), startedMs);
    const invitation = this.invite();
    if (invitation === undefined)
      return left(failure('unsuitable_password', [{ path: 'password', message: 'is required without invitations' }]));
    const hashOf = async (): Promise<StoredHash> => right(await this.algorithm.hash(crypto.randomUUID()));
    return this.users.add(user, hashOf, startedMs, invitation);
  }
}
