import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { CustomProperties, PropertyRules } from '../../domain/custom-properties.ts';
import type { EmailAddress } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { create, type User } from '../../domain/user.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { Clock } from '../ports/clock.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { UseCase } from '../use-case.ts';
import { refusalOf } from '../users/acceptance.ts';
import type { DomainEvents } from '../users/domain-events.ts';

export interface CreateUser {
  readonly type: 'CreateUser';
  readonly address: EmailAddress;
  readonly password: string;
  readonly properties: CustomProperties;
}

export type CreateUserCase = UseCase<CreateUser, Either<Failure, User>>;

/** Stores a new, unverified user. Left: `user_exists`, `invalid_properties`, `unsuitable_password`, `user_too_large`. */
export class CreateUserHandler {
  constructor(
    private readonly users: UserStore,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly rules: PropertyRules | null,
    private readonly announcements: DomainEvents,
  ) {}

  async handle({ address, password, properties }: CreateUser): Promise<Either<Failure, User>> {
    const refused = refusalOf(properties, this.rules);
    if (refused !== undefined) return left(refused);
    const stored = await this.passwords.toStore(password);
    if (isLeft(stored)) return stored;
    const created = create(address, stored.right, properties, this.clock.now());
    if (isLeft(created)) return created;
    const user = created.right;
    const written = await this.users.insert(user, this.announcements.of('user.created', user));
    if (written === 'taken') return left(failure('user_exists'));
    this.announcements.written();
    return right(user);
  }
}
