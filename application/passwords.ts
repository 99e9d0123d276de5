import { type Either, isRight, left, right } from 'fp-ts/lib/Either.js';
import { intendedPasswords } from '../domain/common-mistakes.ts';
import { type Failure, failure } from '../domain/failure.ts';
import type { User } from '../domain/user.ts';
import type { PasswordHash } from './ports/password-hash.ts';

/** The options of the block `passwordHash` that don't depend on the algorithm. */
export interface PasswordOptions {
  readonly headerCheck: boolean;
  readonly serverSideHash: boolean;
  readonly allowCommonMistakes: boolean;
}

/** What the use cases are told about passwords. */
export interface PasswordPolicy extends PasswordOptions {
  /** Whether an unknown user is refused as a wrong password is. */
  readonly hideUnknownUsers: boolean;
}

/** Whether the caller may act on what was read, a user or none: the user, or why not. */
export type Gate = (user: User | undefined) => Promise<Either<Failure, User>>;

/** Lets everyone act on a user who is there. */
export const anyone: Gate = async (user) => (user === undefined ? left(failure('user_not_found')) : right(user));

/** Who may read and change a user; `supplied` is the `password` header. */
export interface Gatekeeper {
  /** The user on whom the caller may act. Left: `user_not_found`, `wrong_password`. */
  admit(user: User | undefined, supplied: string | undefined): Promise<Either<Failure, User>>;
  /** `admit` for a change that may be tried several times. */
  gate(supplied: string | undefined): Gate;
}

/** Lets everyone in who was let in by other means. */
export const openGates: Gatekeeper = { admit: anyone, gate: () => anyone };

/** Everything that the use cases ask about passwords. */
export class Passwords implements Gatekeeper {
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly algorithm: PasswordHash,
    private readonly policy: PasswordPolicy,
    /** After how many milliseconds nobody waits for an answer any more: no further candidate is tried then. */
    private readonly patience = Number.POSITIVE_INFINITY,
  ) {}

  /**
   * The user on whom the caller may act; `supplied` is the `password` header. Left: `wrong_password`, and
   * `user_not_found` where that is not hidden.
   * No user is refused after the time of a check that fails: its duration does not tell that the user is unknown.
   */
  async admit(user: User | undefined, supplied: string | undefined): Promise<Either<Failure, User>> {
    const matches = await this.passes(user, supplied);
    if (user === undefined) return left(failure(this.policy.hideUnknownUsers ? 'wrong_password' : 'user_not_found'));
    return matches ? right(user) : left(failure('wrong_password'));
  }

  /** `admit` for a change that may be tried several times: a stored form that passed once is not checked again. */
  gate(supplied: string | undefined): Gate {
    let passed: string | undefined;
    return async (user) => {
      if (user !== undefined && user.password === passed) return right(user);
      const admitted = await this.admit(user, supplied);
      if (isRight(admitted)) passed = admitted.right.password;
      return admitted;
    };
  }

  /** The form in which a new password is stored; Left when the algorithm would not read all of it. */
  async toStore(password: string): Promise<Either<Failure, string>> {
    // Also what a client hashed itself: nothing that does not suit would ever match.
    if (!this.algorithm.suits(password)) return left(failure('unsuitable_password'));
    if (!this.policy.serverSideHash) return right(password);
    return right(await this.algorithm.hash(password));
  }

  /** Whether the password of an update is the one that is stored: its stored form itself, or an exact match, never a near one. */
  private async isUnchanged(stored: string, password: string): Promise<boolean> {
    return password === stored || this.algorithm.verify(stored, password);
  }

  /**
   * The stored form that an update leaves, given the one that is stored: the same for no password or an unchanged one.
   * A change that is tried again asks again, and pays for a slow hash only when the stored form is another by then.
   */
  revision(given: string | undefined): (stored: string) => Promise<Either<Failure, string>> {
    let known: { readonly stored: string; readonly outcome: Either<Failure, string> } | undefined;
    return async (stored) => {
      if (known?.stored !== stored) {
        const unchanged = given === undefined || (await this.isUnchanged(stored, given));
        known = { stored, outcome: unchanged ? right(stored) : await this.toStore(given) };
      }
      return known.outcome;
    };
  }

  private async passes(user: User | undefined, supplied: string | undefined): Promise<boolean> {
    if (!this.policy.headerCheck) return true;
    if (supplied === undefined) return false;
    // Where unknown users are hidden it is made for known ones too: the first call would take longer for one of the two.
    const decoy = user === undefined || this.policy.hideUnknownUsers ? await this.decoyForm() : '';
    return this.matches(user?.password ?? decoy, supplied);
  }

  /** Whether a password, or where mistakes are forgiven what may have been meant by it, is the one of a stored form. */
  private async matches(stored: string, supplied: string): Promise<boolean> {
    const started = performance.now();
    if (await this.algorithm.verify(stored, supplied)) return true;
    if (!this.policy.allowCommonMistakes) return false;
    for (const candidate of intendedPasswords(supplied)) {
      if (performance.now() - started > this.patience) return false;
      if (await this.algorithm.verify(stored, candidate)) return true;
    }
    return false;
  }

  /** The stored form of nobody's password, which is checked where there is no user. */
  private decoyForm(): Promise<string> {
    this.decoy ??= this.algorithm.hash('an unknown user').catch((fault) => {
      this.decoy = undefined;
      throw fault;
    });
    return this.decoy;
  }
}
