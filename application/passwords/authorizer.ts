import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { Authorization } from '../users/optimistic-update.ts';
import type { LoginThrottle } from './login-throttle.ts';
import type { PasswordCheck } from './password-check.ts';

/** The caller's credentials. */
export interface Caller {
  /** The key of the user, who may not exist. */
  readonly key: EmailKey;
  /** The `password` header. */
  readonly supplied: string | undefined;
  /** The address from which the password comes, if wrong passwords are counted per address. */
  readonly client?: string | undefined;
}

/** Authorizes callers to act on users. */
export interface Authorizer<Code extends FailureCode> {
  /** Decides once. */
  authorize(stored: StoredUser | undefined, caller: Caller): Promise<Either<Failure<Code>, StoredUser>>;
  /** Decides for an optimistic update, which may read the user several times. */
  authorizationOf(caller: Caller): Authorization<Code>;
}

/** Allows every existing user. */
export const anyCaller: Authorization<'user_not_found'> = async (stored) =>
  stored === undefined ? left(failure('user_not_found')) : right(stored);

/** Allows every caller, for callers that were authorized by other means. */
export const unrestricted: Authorizer<'user_not_found'> = { authorize: anyCaller, authorizationOf: () => anyCaller };

/** Why a caller may not act on a user. */
export type PasswordFailure = 'user_not_found' | 'wrong_password' | 'too_many_attempts';

/** Authorizes callers by the password of the user. */
export class PasswordAuthorizer implements Authorizer<PasswordFailure> {
  constructor(
    private readonly check: PasswordCheck,
    /** Whether an unknown user is refused like a wrong password. */
    private readonly hideUnknownUsers: boolean,
    /** Null if wrong passwords are not limited. */
    private readonly throttle: LoginThrottle | null,
  ) {}

  /** `too_many_attempts` is decided without a check, so it does not tell whether the user exists. */
  authorize(
    stored: StoredUser | undefined,
    { key, supplied, client }: Caller,
  ): Promise<Either<Failure<PasswordFailure>, StoredUser>> {
    if (this.throttle === null) return this.decide(stored, supplied);
    return this.throttle.run({ user: key, client }, () => this.decide(stored, supplied));
  }

  private async decide(
    stored: StoredUser | undefined,
    supplied: string | undefined,
  ): Promise<Either<Failure<PasswordFailure>, StoredUser>> {
    const matches = await this.check.matches(stored?.user, supplied);
    if (stored === undefined) return left(failure(this.hideUnknownUsers ? 'wrong_password' : 'user_not_found'));
    return matches ? right(stored) : left(failure('wrong_password'));
  }

  /** A stored hash that has been verified is not verified again when the update reads the user another time. */
  authorizationOf(caller: Caller): Authorization<PasswordFailure> {
    let verified: string | undefined;
    return async (stored) => {
      if (stored !== undefined && stored.user.password === verified) return right(stored);
      const authorized = await this.authorize(stored, caller);
      if (isRight(authorized)) verified = authorized.right.user.password;
      return authorized;
    };
  }
}
