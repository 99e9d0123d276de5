import { type Either, isLeft } from 'fp-ts/lib/Either.js';
import type { Failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { type UserUpdate, updateUser } from '../../domain/user-update.ts';
import type { Authorizer, Caller, PasswordFailure } from '../passwords/authorizer.ts';
import type { PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { OptimisticUpdate } from '../users/optimistic-update.ts';

export interface UpdateUser extends Caller {
  readonly type: 'UpdateUser';
  readonly update: UserUpdate;
  /** The new password; undefined keeps the current one. */
  readonly newPassword: string | undefined;
}

export type UpdateUserResult = Either<
  Failure<
    PasswordFailure | 'address_taken' | 'conflict' | 'invalid_properties' | 'unsuitable_password' | 'user_too_large'
  >,
  User
>;

/** The options of an update. */
export interface UpdatePolicy {
  /** Whether the body may set the verification members, or only the service does. */
  readonly verificationOnUpdate: 'body' | 'server';
}

declare module '../bus.ts' {
  interface Commands {
    readonly UpdateUser: UseCase<UpdateUser, UpdateUserResult>;
  }
}

/** Replaces a user, possibly under a new address. */
export class UpdateUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: Authorizer<PasswordFailure>,
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    private readonly policy: UpdatePolicy,
  ) {}

  async handle({ key, supplied, client, update, newPassword }: UpdateUser): Promise<UpdateUserResult> {
    const allowed = this.limits.checkProperties(update.properties);
    if (isLeft(allowed)) return allowed;
    const { verified: _, verificationToken: __, ...withoutVerification } = update;
    const applied = this.policy.verificationOnUpdate === 'server' ? withoutVerification : update;
    const storedHash = this.passwords.storedHashAfter(newPassword, supplied);
    return this.updates.apply<
      PasswordFailure | 'address_taken' | 'conflict' | 'unsuitable_password' | 'user_too_large'
    >({
      key,
      authorize: this.authorizer.authorizationOf({ key, supplied, client }),
      transition: async (user) => {
        const password = await storedHash(user.password);
        if (isLeft(password)) return password;
        return this.limits.checkSize(updateUser(user, applied, password.right, this.clock.now()));
      },
      events: ['user.updated', 'password.changed', 'address.changed'],
      whenContended: 'conflict',
      whenTaken: 'address_taken',
    });
  }
}
