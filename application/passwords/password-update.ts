import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { PasswordCheck, PasswordOptions } from './password-check.ts';
import type { PasswordRules } from './password-rules.ts';

/** Why a new password is refused: the algorithm would ignore part of it, or it breaks the rules of the configuration. */
export type NewPasswordFailure = 'unsuitable_password' | 'weak_password';

/** The stored hash of a new password. */
export type StoredHash = Either<Failure<NewPasswordFailure>, string>;

/** Decides what an update stores as the password. */
export class PasswordUpdate {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly check: PasswordCheck,
    private readonly policy: Pick<PasswordOptions, 'serverSideHash'>,
    /** Null without rules. */
    private readonly rules: PasswordRules | null,
  ) {}

  /**
   * The stored hash after an update, given the current one: the same if the update has no password or an unchanged one.
   * `supplied` is the `password` header, `addresses` are those before and after the update. The result is kept while the
   * current hash stays the same, so that a repeated attempt of the update does not pay for another slow hash.
   */
  storedHashAfter(
    given: string | undefined,
    supplied: string | undefined,
  ): (stored: string, addresses: readonly string[]) => Promise<StoredHash> {
    let last: { readonly stored: string; readonly outcome: StoredHash } | undefined;
    return async (stored, addresses) => {
      if (last?.stored !== stored) {
        const unchanged = given === undefined || (await this.isUnchanged(stored, given, supplied));
        last = { stored, outcome: unchanged ? right(stored) : await this.storedHash(given, addresses) };
      }
      return last.outcome;
    };
  }

  /** The stored form of a new password of a user with these addresses. */
  async storedHash(password: string, addresses: readonly string[]): Promise<StoredHash> {
    const weak = await this.rules?.failureOf(password, addresses);
    if (weak !== undefined) return left(weak);
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
