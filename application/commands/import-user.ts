import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { PropertyRules } from '../../domain/custom-properties.ts';
import { keyOf } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { restore, type User } from '../../domain/user.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { UseCase } from '../use-case.ts';
import { refusalOf } from '../users/acceptance.ts';

export interface ImportUser {
  readonly type: 'ImportUser';
  /** As it was elsewhere. */
  readonly user: User;
  /** Whether its password is one that has to be hashed, instead of the stored form. */
  readonly hash: boolean;
  /** Whether to look only, and to store nothing. */
  readonly isTrial: boolean;
}

export type ImportUserCase = UseCase<ImportUser, Either<Failure, User>>;

/**
 * Stores a user who existed elsewhere, with its times and its verification. Left: `user_exists`, `invalid_properties`,
 * `user_too_large`, and `unsuitable_password` also for a stored form that no password would ever match.
 */
export class ImportUserHandler {
  constructor(
    private readonly users: UserStore,
    private readonly algorithm: PasswordHash,
    private readonly rules: PropertyRules | null,
  ) {}

  async handle({ user, hash, isTrial }: ImportUser): Promise<Either<Failure, User>> {
    const refused = refusalOf(user.properties, this.rules);
    if (refused !== undefined) return left(refused);
    const restored = restore(user);
    if (isLeft(restored)) return restored;
    // Before a hash is made, which may take long.
    if (isTrial || hash) {
      if ((await this.users.find(keyOf(user.email.address))) !== undefined) return left(failure('user_exists'));
    }
    const stored = await this.storedForm(user.password, hash, isTrial);
    if (isLeft(stored) || isTrial) return isLeft(stored) ? stored : restored;
    const complete = restore({ ...user, password: stored.right });
    if (isLeft(complete)) return complete;
    return (await this.users.insert(complete.right)) === 'inserted' ? complete : left(failure('user_exists'));
  }

  private async storedForm(password: string, hash: boolean, isTrial: boolean): Promise<Either<Failure, string>> {
    const fits = hash ? this.algorithm.canHash(password) : this.algorithm.inspect(password) !== 'foreign';
    if (!fits) return left(failure('unsuitable_password'));
    return right(hash && !isTrial ? await this.algorithm.hash(password) : password);
  }
}
