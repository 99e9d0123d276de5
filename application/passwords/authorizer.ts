import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { hasState, stateFailure } from '../../domain/user-state.ts';
import type { AttemptThrottle } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { type Authorization, about, onEntityTag } from '../writing/authorization.ts';
import type { CheckPolicy, PasswordCheck, PasswordOptions } from './password-check.ts';
import { type Supplied, withoutPassword } from './without-password.ts';

/** The caller's credentials. */
export interface Caller {
  /** The key of the user, who may not exist. */
  readonly key: UserKey;
  readonly supplied: Supplied;
  /** The address from which the password comes, if wrong passwords are counted per address. */
  readonly client?: string | undefined;
  /** Whether the caller sets a new password: the only operation for a user who must change the password. */
  readonly changesPassword?: boolean;
}

/** The caller of a change. */
export interface ChangeCaller extends Caller {
  /** The user must have one of these entity tags; undefined for any. */
  readonly ifMatch?: readonly string[] | undefined;
}

/** The failures of an authorization by password. */
export type PasswordFailure =
  | 'user_not_found'
  | 'wrong_password'
  | 'too_many_attempts'
  | 'user_disabled'
  | 'password_change_required';

/** The configuration of the authorization. Without `headerCheck`, every password counts as right. */
export type AuthorizerPolicy = Pick<CheckPolicy, 'hideUnknownUsers'> & Pick<PasswordOptions, 'headerCheck'>;

/** Authorizes callers by the password of the user. */
export class PasswordAuthorizer {
  constructor(
    private readonly check: PasswordCheck,
    private readonly policy: AuthorizerPolicy,
    private readonly throttle: AttemptThrottle,
    private readonly clock: Clock,
  ) {}

  /**
   * Decides once. `too_many_attempts` is decided without a check, so that it does not reveal whether the user exists.
   * The state of the user is checked last: only callers with the right password may learn it, and it does not count as
   * a wrong password.
   */
  async authorize(
    stored: StoredUser | undefined,
    caller: Caller,
  ): Promise<Either<Failure<PasswordFailure>, StoredUser>> {
    const { key, supplied, client } = caller;
    if (!this.policy.headerCheck || supplied === withoutPassword) {
      // Where no password is checked there is no wrong one: the caller may read every user, and an unknown one is not found.
      return stored === undefined ? left(failure('user_not_found')) : this.checkState(stored, caller);
    }
    const { hideUnknownUsers } = this.policy;
    // Under one key by whichever a user is found, unless that would tell which keys are those of one user.
    const user = stored === undefined || hideUnknownUsers ? key : keyOf(stored.user.email.address);
    const checked = await this.throttle.run({ user, client }, () => this.check.matches(stored?.user, supplied));
    if (isLeft(checked)) return about(key, stored, checked);
    if (stored === undefined) return left(failure(hideUnknownUsers ? 'wrong_password' : 'user_not_found'));
    return checked.right ? this.checkState(stored, caller) : about(key, stored, left(failure('wrong_password')));
  }

  /** Refuses a user whose state does not allow the operation. */
  private checkState(
    stored: StoredUser,
    { key, changesPassword = false }: Caller,
  ): Either<Failure<PasswordFailure>, StoredUser> {
    if (!hasState(stored.user)) return right(stored);
    const refused = stateFailure(stored.user, this.clock.now(), changesPassword);
    return refused === null ? right(stored) : about(key, stored, left(refused));
  }

  /**
   * Decides for an optimistic update, which may read the user several times: a stored hash that has been verified is
   * not verified again.
   */
  authorizationOf(caller: ChangeCaller): Authorization<PasswordFailure | 'stale_user'> {
    let verified: string | undefined;
    return onEntityTag(caller.ifMatch, async (stored) => {
      if (stored !== undefined && stored.user.password === verified) return this.checkState(stored, caller);
      const authorized = await this.authorize(stored, caller);
      if (isRight(authorized)) verified = authorized.right.user.password;
      return authorized;
    });
  }
}
