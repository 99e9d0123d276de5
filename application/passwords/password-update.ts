import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { isRehashed } from '../../domain/entity-tag.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { PasswordCheck, PasswordOptions } from './password-check.ts';

/** The beginnings of stored hashes: modular crypt and PHC strings, Django, LDAP. */
const hashPrefix = /^(?:\$[\w-]+\$|(?:pbkdf2_sha\d+|sha1|md5)\$|\{S(?:MD5|SHA\d*)\})/i;
/** Hex SHA-256 with or without salt. */
const sha256Hex = /^(?:.{16})?[0-9a-f]{64}$/is;
/** The base64 of ASP.NET Identity. */
const identityHash = /^A[A-Za-z0-9+/]{55,260}={0,2}$/;

/**
 * Whether a text may be a stored hash of any algorithm of this service, also of one that it accepts no longer. Looser than
 * the algorithms themselves, because a new password that is taken for a hash only has to be sent again.
 */
export const looksLikeHash = (text: string): boolean =>
  hashPrefix.test(text) || sha256Hex.test(text) || identityHash.test(text);

/**
 * Why a new password is refused: the algorithm would ignore part of it, or it breaks the rules of the configuration.
 */
export type NewPasswordFailure = 'unsuitable_password' | 'weak_password';

/** Decides which new passwords are accepted. */
export interface NewPasswordRules {
  /**
   * All reasons why a password is refused; undefined if it is accepted. `addresses` are those of the user before and
   * after the change. Throws the Fault `overloaded` if too many passwords wait for their score.
   */
  failureOf(password: string, addresses: readonly string[]): Promise<Failure<'weak_password'> | undefined>;
}

/** Where every new password is accepted. */
export const withoutRules: NewPasswordRules = { failureOf: async () => undefined };

/** The stored hash of a new password. */
export type StoredHash = Either<Failure<NewPasswordFailure>, string>;

/** `stale_user`: the new password may be a stored hash that was replaced since the caller read the user. */
export type UpdatedHash = Either<Failure<NewPasswordFailure | 'stale_user'>, string>;

/** Decides what an update stores as the password. */
export class PasswordUpdate {
  constructor(
    private readonly algorithm: PasswordHash,
    private readonly check: PasswordCheck,
    private readonly policy: Pick<PasswordOptions, 'serverSideHash'>,
    private readonly rules: NewPasswordRules,
    private readonly limits: Pick<UserLimits, 'checkPassword'>,
  ) {}

  /**
   * The stored hash after an update of a user: the same if the update has no password or an unchanged one.
   * `supplied` is the `password` header, `addresses` are those before and after the update. `isConditional` tells that the
   * update has the entity tag of the user. The result is kept while the current hash stays the same, so that a repeated
   * attempt of the update does not pay for another slow hash.
   */
  storedHashAfter(
    given: string | undefined,
    supplied: string | undefined,
    isConditional = false,
  ): (user: User, addresses: readonly string[]) => Promise<UpdatedHash> {
    let last: { readonly stored: string; readonly outcome: UpdatedHash } | undefined;
    return async (user, addresses) => {
      const { password: stored } = user;
      if (last?.stored !== stored) {
        last = { stored, outcome: await this.updatedHash(user, given, supplied, addresses, isConditional) };
      }
      return last.outcome;
    };
  }

  /**
   * The stored hash of a password that an administrator enters for a user with these addresses. Where clients hash
   * passwords, the administrator may enter a hash; any other text is taken for a password and hashed here.
   */
  storedHashOf(password: string, addresses: readonly string[]): Promise<StoredHash> {
    return this.storedHash(password, addresses, this.algorithm.inspect(password) === 'foreign');
  }

  /**
   * The stored hash of a new password for a user with these addresses. With `isClear` it is hashed also where clients
   * hash passwords.
   */
  async storedHash(password: string, addresses: readonly string[], isClear = false): Promise<StoredHash> {
    const carried = this.limits.checkPassword(password);
    if (isLeft(carried)) return carried;
    const weak = await this.rules.failureOf(password, addresses);
    if (weak !== undefined) return left(weak);
    // A hash that the client made must suit, too: otherwise no password would ever match it.
    if (!this.algorithm.canHash(password)) return left(failure('unsuitable_password'));
    return right(this.policy.serverSideHash || isClear ? await this.algorithm.hash(password) : password);
  }

  /** Whether a user who has to change the password could still use the current one after the update. */
  async keepsPassword(
    stored: string,
    next: string,
    { supplied, given }: { readonly supplied: string | undefined; readonly given: string | undefined },
  ): Promise<boolean> {
    return next === stored || given === undefined || this.check.remainsAccepted(stored, next, supplied, given);
  }

  /**
   * Whether the password of an update is the current one: the stored hash itself, the password without any typo, or an
   * earlier stored hash of the supplied password.
   */
  private async isUnchanged(user: User, given: string, supplied: string | undefined): Promise<boolean> {
    // Not in constant time, because the caller has been authorized already.
    if (given === user.password || (await this.algorithm.verify(user.password, given))) return true;
    return this.check.isFormerHash(given, user, supplied);
  }

  private async updatedHash(
    user: User,
    given: string | undefined,
    supplied: string | undefined,
    addresses: readonly string[],
    isConditional: boolean,
  ): Promise<UpdatedHash> {
    if (given === undefined || (await this.isUnchanged(user, given, supplied))) return right(user.password);
    if (isConditional && isRehashed(user) && this.isHashLike(given)) return left(failure('stale_user'));
    return this.storedHash(given, addresses);
  }

  /** Whether a text may be a stored hash of this algorithm, or of one that was configured before. */
  private isHashLike(text: string): boolean {
    return looksLikeHash(text) || this.algorithm.inspect(text) !== 'foreign';
  }
}
