import { chain, type Either, isLeft, left, map, right } from 'fp-ts/lib/Either.js';
import { checkSpelling } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { User, UserId } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { isUserName, nameTaken, presentId, type UserKey } from '../../domain/user-name.ts';
import { importedUser } from '../../domain/user-state.ts';
import type { UserInsertion } from '../accounts/create-user.ts';
import type { NewPasswordRules, StoredHash } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHash } from '../ports/password-hash.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import type { ByAdministrator } from './administrator.ts';

export interface ImportUser extends ByAdministrator {
  readonly type: 'ImportUser';
  /** The user as exported, with its times and verification. */
  readonly user: User;
  /** Whether `user.password` is a plain password, which is hashed, rather than a stored hash. */
  readonly hash: boolean;
  /** Whether to check only, without storing anything. */
  readonly dryRun: boolean;
}

export type ImportUserResult = Either<
  Failure<
    | 'user_exists'
    | 'id_taken'
    | 'property_taken'
    | 'unsuitable_address'
    | 'invalid_properties'
    | 'user_too_large'
    | 'unsuitable_password'
    | 'weak_password'
  >,
  User
>;

declare module '../bus.ts' {
  interface Commands {
    readonly ImportUser: OptionalUseCase<ImportUser, ImportUserResult>;
  }
}

/** Stores a user from another system. `unsuitable_password` also refuses a stored hash that no password would match. */
export class ImportUserHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find' | 'takenKey'>,
    private readonly insertion: UserInsertion,
    private readonly algorithm: PasswordHash,
    private readonly limits: UserLimits,
    /** The rules of plain passwords. */
    private readonly rules: NewPasswordRules,
    /** Returns a new id; undefined where users have no ids. */
    private readonly newId: (() => UserId) | undefined,
    private readonly clock: Clock,
  ) {}

  async handle({ user: given, hash, dryRun }: ImportUser, startedMs: number): Promise<ImportUserResult> {
    const identified = this.withId(given);
    if (isLeft(identified)) return identified;
    const user = identified.right;
    const { address } = user.email;
    const to = user.addressMove?.to ?? address;
    const spelt = chain(() => checkSpelling(to, 'email.pending'))(checkSpelling(address));
    if (isLeft(spelt)) return spelt;
    const allowed = this.limits.checkProperties(user.properties);
    if (isLeft(allowed)) return allowed;
    const unique = this.limits.checkUnique(user);
    if (isLeft(unique)) return unique;
    const checked = this.limits.checkSize(user);
    if (isLeft(checked)) return checked;
    // Check before hashing, which can be slow.
    const taken = dryRun || hash ? await this.users.takenKey(user) : undefined;
    if (taken !== undefined) return left(await this.keyTaken(taken, given));
    const stored = await this.storedHash(user, hash, dryRun);
    if (isLeft(stored)) return stored;
    if (dryRun) return checked;
    const complete = importedUser({ ...user, password: stored.right }, this.clock.now());
    const whenTaken = async (key: UserKey) => left(await this.keyTaken(key, given));
    return map(() => complete)(await this.insertion.insert(complete, [], startedMs, whenTaken));
  }

  /** Why a user cannot be stored. Says so if the stored user of the address lacks the id of the record, which is lost. */
  private async keyTaken(key: UserKey, given: User): Promise<Failure<'user_exists' | 'id_taken' | 'property_taken'>> {
    if (isUserName(key)) return nameTaken(key);
    const id = this.newId === undefined ? right(undefined) : presentId(given);
    if (isLeft(id) || id.right === undefined) return failure('user_exists');
    const stored = (await this.users.find(key))?.user;
    if (stored === undefined || stored.id === id.right) return failure('user_exists');
    const message = stored.id === undefined ? 'is not stored: the user has no id' : 'the user has another id';
    return failure('user_exists', [{ path: 'id', message }]);
  }

  /** With the id of the record, that in its custom property `id`, or a new one. Where users have no ids, without one. */
  private withId(given: User): Either<Failure<'invalid_properties'>, User> {
    const { id: _, ...withoutId } = given;
    if (this.newId === undefined) return right(withoutId);
    const present = presentId(given);
    return isLeft(present) ? present : right(this.limits.withId(given, present.right ?? this.newId()));
  }

  private async storedHash({ password, email }: User, hash: boolean, dryRun: boolean): Promise<StoredHash> {
    const carried = hash ? this.limits.checkPassword(password) : right(password);
    if (isLeft(carried)) return carried;
    const weak = hash ? await this.rules.failureOf(password, [email.address]) : undefined;
    if (weak !== undefined) return left(weak);
    const suits = hash ? this.algorithm.canHash(password) : this.algorithm.inspect(password) !== 'foreign';
    if (!suits) return left(failure('unsuitable_password'));
    return right(hash && !dryRun ? await this.algorithm.hash(password) : password);
  }
}
