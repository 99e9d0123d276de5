import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { PasswordCheck } from './password-check.ts';

/** The stored form of a new password. Left: the algorithm would ignore part of the password. */
export type StoredForm = Either<Failure<'unsuitable_password'>, string>;

/** Turns new passwords into their stored form. */
export class NewPassword {
  constructor(
    private readonly algorithm: PasswordHash,
    /** False if clients send the stored form. */
    private readonly serverSideHash: boolean,
  ) {}

  /** Throws a Fault `overloaded` as the algorithm does. */
  async storedForm(password: string): Promise<StoredForm> {
    // A form that the client hashed must suit as well: otherwise nothing would ever match it.
    if (!this.algorithm.canHash(password)) return left(failure('unsuitable_password'));
    return right(this.serverSideHash ? await this.algorithm.hash(password) : password);
  }
}

/** Decides what an update stores as the password. */
export class PasswordUpdate {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly check: PasswordCheck,
    private readonly newPassword: NewPassword,
  ) {}

  /**
   * The stored form after an update, given the current one: the same if the update has no password or an unchanged one.
   * `supplied` is the `password` header. The result is kept while the current form stays the same, so that a repeated
   * attempt of the update does not pay for another slow hash.
   */
  storedFormAfter(given: string | undefined, supplied: string | undefined): (stored: string) => Promise<StoredForm> {
    let last: { readonly stored: string; readonly outcome: StoredForm } | undefined;
    return async (stored) => {
      if (last?.stored !== stored) {
        const unchanged = given === undefined || (await this.isUnchanged(stored, given, supplied));
        last = { stored, outcome: unchanged ? right(stored) : await this.newPassword.storedForm(given) };
      }
      return last.outcome;
    };
  }

  /**
   * Whether the password of an update is the current one: the stored form itself, the password without any typo, or an
   * earlier stored form of the supplied password.
   */
  private async isUnchanged(stored: string, given: string, supplied: string | undefined): Promise<boolean> {
    if (given === stored || (await this.algorithm.verify(stored, given))) return true;
    return this.check.isFormerForm(given, stored, supplied);
  }
}
