import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { PasswordCheck, PasswordOptions } from './password-check.ts';

/** The stored hash of a new password. Left: the algorithm would ignore part of the password. */
export type StoredHash = Either<Failure<'unsuitable_password'>, string>;

/** Decides what an update stores as the password. */
export class PasswordUpdate {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly check: PasswordCheck,
    private readonly policy: Pick<PasswordOptions, 'serverSideHash'>,
  ) {}

  /**
   * The stored hash after an update, given the current one: the same if the update has no password or an unchanged one.
   * `supplied` is the `password` header. The result is kept while the current hash stays the same, so that a repeated
   * attempt of the update does not pay for another slow hash.
   */
  storedHashAfter(given: string | undefined, supplied: string | undefined): (stored: string) => Promise<StoredHash> {
    let last: { readonly stored: string; readonly outcome: StoredHash } | undefined;
    return async (stored) => {
      if (last?.stored !== stored) {
        const unchanged = given === undefined || (await this.isUnchanged(stored, given, supplied));
        last = { stored, outcome: unchanged ? right(stored) : await this.storedHash(given) };
      }
      return last.outcome;
    };
  }

  /** The stored form of a new password. */
  async storedHash(password: string): Promise<StoredHash> {
    if (!this.algorithm.canHash(password)) return left(failure('unsuitable_password'));
    return right(this.policy.serverSideHash ? await this.algorithm.hash(password) : password);
  }

  /**
   * Whether the password of an update is the current one: the stored hash itself, the password without any typo, or an
   * earlier stored hash of the supplied password.
   */
  private async isUnchanged(stored: string, given: string, supplied: string | undefined): Promise<boolean> {
    if (given === stored || (await this.algorithm.verify(stored, given))) return true;
    return this.check.isFormerHash(given, stored, supplied);
  }
}
