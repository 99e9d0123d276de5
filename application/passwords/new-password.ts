import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../domain/failure.ts';
import type { PasswordHash } from '../ports/password-hash.ts';

/** The stored hash of a new password. Left: the algorithm would ignore part of the password. */
export type StoredHash = Either<Failure<'unsuitable_password'>, string>;

/** Makes the stored hash of new passwords. */
export class NewPassword {
  constructor(
    private readonly algorithm: PasswordHash,
    /** False if clients hash passwords: what they send is stored. */
    private readonly serverSideHash: boolean,
  ) {}

  /** Throws a Fault `overloaded` as the algorithm does. */
  async storedHash(password: string): Promise<StoredHash> {
    // A hash that the client made must suit as well: otherwise no password would ever match it.
    if (!this.algorithm.canHash(password)) return left(failure('unsuitable_password'));
    return right(this.serverSideHash ? await this.algorithm.hash(password) : password);
  }
}
