import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js';
import type { EmailKey } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { LoginThrottle } from './login-throttle.ts';
import { type CheckAids, type CheckPolicy, PasswordCheck } from './password-check.ts';

/** What the use cases are told about passwords. */
export interface PasswordPolicy extends CheckPolicy {
  readonly serverSideHash: boolean;
}

/** The options of the block `passwordHash` that don't depend on the algorithm. */
export type PasswordOptions = Omit<PasswordPolicy, 'hideUnknownUsers'>;

/** Who asks to act on a user: what they give for it. */
export interface Caller {
  /** The user, who may be unknown. */
  readonly key: EmailKey;
  /** The `password` header. */
  readonly supplied: string | undefined;
  /** The address from which the password comes, where failures are counted for addresses. */
  readonly client?: string | undefined;
}

/** Whether the caller may act on what was read, a user or none: the user, or why not. */
export type Authorization = (user: User | undefined) => Promise<Either<Failure, User>>;

/** Lets everyone act on a user who is there. */
export const anyone: Authorization = async (user) =>
  user === undefined ? left(failure('user_not_found')) : right(user);

/** Who may read and change a user. */
export interface Authorizer {
  /** The user on whom the caller may act. Left: `user_not_found`, `wrong_password`, `too_many_attempts`. */
  admit(user: User | undefined, caller: Caller): Promise<Either<Failure, User>>;
  /** `admit` for a change that may be tried several times. */
  gate(caller: Caller): Authorization;
}

/** Lets everyone in who was let in by other means. */
export const unrestricted: Authorizer = { admit: anyone, gate: () => anyone };

/** Everything that the use cases ask about passwords. */
export class Passwords implements Authorizer {
  private readonly check: PasswordCheck;

  constructor(
    private readonly algorithm: PasswordHash,
    private readonly policy: PasswordPolicy,
    /** How long a caller waits for an answer, in milliseconds. */
    patience = Number.POSITIVE_INFINITY,
    aids: CheckAids = {},
    /** Bounds the wrong passwords that can be tried; undefined where nothing does. */
    private readonly throttle: LoginThrottle | undefined = undefined,
  ) {
    this.check = new PasswordCheck(algorithm, policy, patience, aids);
  }

  /**
   * The user on whom the caller may act. Left: `wrong_password`, `user_not_found` where that is not hidden, and
   * `too_many_attempts` without a check, which does not tell whether there is such a user either.
   */
  admit(user: User | undefined, { key, supplied, client }: Caller): Promise<Either<Failure, User>> {
    if (this.throttle === undefined) return this.decide(user, supplied);
    return this.throttle.admit({ user: key, client }, () => this.decide(user, supplied));
  }

  private async decide(user: User | undefined, supplied: string | undefined): Promise<Either<Failure, User>> {
    const matches = await this.check.passes(user, supplied);
    if (user === undefined) return left(failure(this.policy.hideUnknownUsers ? 'wrong_password' : 'user_not_found'));
    return matches ? right(user) : left(failure('wrong_password'));
  }

  /** `admit` for a change that may be tried several times: a stored form that passed once is not checked again. */
  gate(caller: Caller): Authorization {
    let passed: string | undefined;
    return async (user) => {
      if (user !== undefined && user.password === passed) return right(user);
      const admitted = await this.admit(user, caller);
      if (isRight(admitted)) passed = admitted.right.password;
      return admitted;
    };
  }

  /** The form in which a new password is stored; Left when the algorithm would not read all of it. */
  async toStore(password: string): Promise<Either<Failure, string>> {
    // Also what a client hashed itself: nothing that does not suit would ever match.
    if (!this.algorithm.canHash(password)) return left(failure('unsuitable_password'));
    if (!this.policy.serverSideHash) return right(password);
    return right(await this.algorithm.hash(password));
  }

  /**
   * Whether the password of an update is the one that is stored: its stored form itself, an exact match, never a near
   * one, or an earlier form of the password that the caller supplied.
   */
  private async isUnchanged(stored: string, password: string, supplied: string | undefined): Promise<boolean> {
    if (password === stored || (await this.algorithm.verify(stored, password))) return true;
    return this.check.isFormer(password, stored, supplied);
  }

  /**
   * The stored form that an update leaves, given the one that is stored: the same for no password or an unchanged one.
   * `supplied` is the `password` header.
   * A change that is tried again asks again, and pays for a slow hash only when the stored form is another by then.
   */
  revision(
    given: string | undefined,
    supplied: string | undefined,
  ): (stored: string) => Promise<Either<Failure, string>> {
    let known: { readonly stored: string; readonly outcome: Either<Failure, string> } | undefined;
    return async (stored) => {
      if (known?.stored !== stored) {
        const unchanged = given === undefined || (await this.isUnchanged(stored, given, supplied));
        known = { stored, outcome: unchanged ? right(stored) : await this.toStore(given) };
      }
      return known.outcome;
    };
  }
}
