import { type Either, isLeft, left } from 'fp-ts/lib/Either.js';
import type { PropertyRules } from '../../domain/custom-properties.ts';
import type { Failure } from '../../domain/failure.ts';
import { type Revision, revise, type User } from '../../domain/user.ts';
import type { Caller, Passwords } from '../passwords/passwords.ts';
import type { Clock } from '../ports/clock.ts';
import type { UseCase } from '../use-case.ts';
import { refusalOf } from '../users/acceptance.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface UpdateUser extends Caller {
  readonly type: 'UpdateUser';
  readonly revision: Revision;
  /** The password that the user shall have; undefined keeps the one that is stored. */
  readonly newPassword: string | undefined;
}

export type UpdateUserCase = UseCase<UpdateUser, Either<Failure, User>>;

/**
 * Replaces a user, also under a new address.
 * Left: `user_not_found`, `wrong_password`, `too_many_attempts`, `address_taken`, `conflict`, `invalid_properties`, `unsuitable_password`, `user_too_large`.
 */
export class UpdateUserHandler {
  constructor(
    private readonly change: OptimisticUpdate,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly rules: PropertyRules | null,
    /** Whether a body may set the verification members, or the service alone does. */
    private readonly verificationOnUpdate: 'body' | 'server',
  ) {}

  async handle({ key, supplied, client, revision, newPassword }: UpdateUser): Promise<Either<Failure, User>> {
    const refused = refusalOf(revision.properties, this.rules);
    if (refused !== undefined) return left(refused);
    const { address, properties } = revision;
    const allowed = this.verificationOnUpdate === 'server' ? { address, properties } : revision;
    const storedForm = this.passwords.revision(newPassword, supplied);
    return this.change.apply({
      key,
      gate: this.passwords.gate({ key, supplied, client }),
      transition: async (user) => {
        const password = await storedForm(user.password);
        return isLeft(password) ? password : revise(user, allowed, password.right, this.clock.now());
      },
      event: 'user.updated',
      whenContended: 'conflict',
    });
  }
}
