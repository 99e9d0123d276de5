import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { isChangeRequired } from '../../domain/user-state.ts';
import { type UserUpdate, unlessUnchanged, updateUser } from '../../domain/user-update.ts';
import type { Authorizer, ChangeCaller, PasswordFailure } from '../passwords/authorizer.ts';
import type { NewPasswordFailure, PasswordUpdate } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from './optimistic-update.ts';

/** The options of an edit. */
export interface UpdatePolicy {
  /** Whether the body may set the verification members, or only the service does. */
  readonly verificationOnUpdate: 'body' | 'server';
}

type PropertiesFailure = 'invalid_properties' | 'user_too_large';
type EditFailure =
  | PasswordFailure
  | PropertiesFailure
  | 'address_taken'
  | 'conflict'
  | 'stale_user'
  | NewPasswordFailure;

/** What a caller changes in a user. */
export interface UserEdit extends ChangeCaller {
  /** The new password; undefined keeps the current one. */
  readonly newPassword: string | undefined;
  /** Computed again for each version of the user that is read. */
  readonly updateOf: (user: User) => Either<Failure<PropertiesFailure>, UserUpdate>;
  /** Whether to write nothing, and keep `lastUpdateTime`, if nothing else changes. */
  readonly skipsUnchanged: boolean;
}

/** Right: the user after the edit. */
export type UserEditResult = Either<Failure<EditFailure>, StoredUser>;

/** Edits users for callers who have the password: what an update and a patch have in common. */
export class UserEditor {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: Authorizer<PasswordFailure>,
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    private readonly policy: UpdatePolicy,
  ) {}

  async edit(edit: UserEdit, startedMs: number): Promise<UserEditResult> {
    const { key, supplied, newPassword, updateOf, skipsUnchanged } = edit;
    const storedHash = this.passwords.storedHashAfter(newPassword, supplied);
    return this.updates.apply<EditFailure>(
      {
        key,
        authorize: this.authorizer.authorizationOf({ ...edit, changesPassword: newPassword !== undefined }),
        transition: async (user) => {
          const update = updateOf(user);
          if (isLeft(update)) return update;
          const password = await storedHash(user.password, [user.email.address, update.right.address]);
          if (isLeft(password)) return password;
          const passwords = { supplied, given: newPassword };
          if (isChangeRequired(user) && (await this.passwords.keepsPassword(user.password, password.right, passwords)))
            return left(failure('password_change_required'));
          const next = updateUser(user, this.permitted(update.right), password.right, this.clock.now());
          const written = skipsUnchanged ? unlessUnchanged(user, next) : next;
          return written === user ? right(user) : this.limits.checkSize(written);
        },
        events: ['user.updated', 'password.changed', 'address.changed'],
        whenContended: 'conflict',
        whenTaken: 'address_taken',
      },
      startedMs,
    );
  }

  private permitted(update: UserUpdate): UserUpdate {
    if (this.policy.verificationOnUpdate === 'body') return update;
    const { verified: _, verificationToken: __, ...permitted } = update;
    return permitted;
  }
}
