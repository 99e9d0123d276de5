import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import { createUser, type NewUser, type User, type UserLimits } from '../../domain/user.ts';
import type { NewPassword } from '../passwords/new-password.ts';
import type { Clock } from '../ports/runtime.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { DomainEvents } from '../users/domain-events.ts';

export interface CreateUser extends NewUser {
  readonly type: 'CreateUser';
}

export type CreateUserResult = Either<
  Failure<'user_exists' | 'invalid_properties' | 'unsuitable_password' | 'user_too_large'>,
  User
>;

/** Stores a new, unverified user. */
export class CreateUserHandler {
  constructor(
    private readonly users: UserStore,
    private readonly newPassword: NewPassword,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    private readonly events: DomainEvents | null,
  ) {}

  async handle(command: CreateUser): Promise<CreateUserResult> {
    const allowed = this.limits.checkProperties(command.properties);
    if (isLeft(allowed)) return allowed;
    const stored = await this.newPassword.storedHash(command.password);
    if (isLeft(stored)) return stored;
    const created = this.limits.checkSize(createUser(command, stored.right, this.clock.now()));
    if (isLeft(created)) return created;
    const user = created.right;
    const written = await this.users.insert(user, this.events?.prepare('user.created', user));
    if (written === 'taken') return left(failure('user_exists'));
    this.events?.committed();
    return right(user);
  }
}
