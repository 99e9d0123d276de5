import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { checkSpelling } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { createUser, type NewUser } from '../../domain/user-update.ts';
import type { DomainEvents } from '../outgoing/domain-events.ts';
import type { PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface CreateUser extends NewUser {
  readonly type: 'CreateUser';
}

export type CreateUserResult = Either<
  Failure<
    | 'user_exists'
    | 'unsuitable_address'
    | 'invalid_properties'
    | 'unsuitable_password'
    | 'weak_password'
    | 'user_too_large'
  >,
  StoredUser
>;

declare module '../bus.ts' {
  interface Commands {
    readonly CreateUser: UseCase<CreateUser, CreateUserResult>;
  }
}

/** Stores a new, unverified user. */
export class CreateUserHandler {
  constructor(
    private readonly users: SettlingStore,
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    private readonly events: DomainEvents,
  ) {}

  async handle(command: CreateUser, startedMs: number): Promise<CreateUserResult> {
    const { address, password, properties } = command;
    const spelt = checkSpelling(address);
    if (isLeft(spelt)) return spelt;
    const allowed = this.limits.checkProperties(properties);
    if (isLeft(allowed)) return allowed;
    const hash = await this.passwords.storedHash(password, [address]);
    if (isLeft(hash)) return hash;
    const created = this.limits.checkSize(createUser(command, hash.right, this.clock.now()));
    if (isLeft(created)) return created;
    const user = created.right;
    const written = await this.users.insert(user, this.events.prepare(['user.created'], user), startedMs);
    return written === 'taken' ? left(failure('user_exists')) : right(written);
  }
}
