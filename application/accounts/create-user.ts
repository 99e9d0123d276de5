import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { checkSpelling } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserId } from '../../domain/user-id.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { isUserName, nameOfId } from '../../domain/user-name.ts';
import { createUser, type NewUser } from '../../domain/user-update.ts';
import type { DomainEvents } from '../outgoing/domain-events.ts';
import type { PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import { isTaken, type StoredUser, type Taken } from '../ports/user-store.ts';
import { nameTaken } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface CreateUser extends NewUser {
  readonly type: 'CreateUser';
  /** Chosen by the caller; undefined for one by the service, if users have ids. */
  readonly id?: UserId | undefined;
}

export type CreateUserResult = Either<
  Failure<
    | 'user_exists'
    | 'id_taken'
    | 'property_taken'
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
    /** Returns a new id; undefined where users have no ids. */
    private readonly newId: (() => UserId) | undefined,
  ) {}

  async handle(command: CreateUser, startedMs: number): Promise<CreateUserResult> {
    const { address, password, properties } = command;
    const spelt = checkSpelling(address);
    if (isLeft(spelt)) return spelt;
    const allowed = this.limits.checkProperties(properties);
    if (isLeft(allowed)) return allowed;
    const unique = this.limits.checkUnique(command);
    if (isLeft(unique)) return unique;
    const hash = await this.passwords.storedHash(password, [address]);
    if (isLeft(hash)) return hash;
    const id = this.newId === undefined ? undefined : (command.id ?? this.newId());
    const created = this.limits.checkSize(createUser(command, hash.right, this.clock.now(), id));
    if (isLeft(created)) return created;
    const user = created.right;
    const written = await this.users.insert(user, this.events.prepare(['user.created'], user), startedMs);
    return isTaken(written) ? left(await this.failureOf(written, user)) : right(written);
  }

  /** With `sameId`, a caller who has chosen the id knows whether an earlier request without a reply created the user. */
  private async failureOf(
    { taken }: Taken,
    { id }: User,
  ): Promise<Failure<'user_exists' | 'id_taken' | 'property_taken'>> {
    if (isUserName(taken)) return nameTaken(taken);
    if (id === undefined) return failure('user_exists');
    // Whatever its address is now: the user may have moved since.
    return { ...failure('user_exists'), sameId: (await this.users.find(nameOfId(id))) !== undefined };
  }
}
