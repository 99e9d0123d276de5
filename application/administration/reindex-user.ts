import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { EmailAddress } from '../../domain/email-address.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { propertyOf, type User, type UserId } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import {
  idIn,
  isMailboxName,
  nameOfMailbox,
  namesAfter,
  namesOf,
  nameTaken,
  presentId,
  type UniqueProperty,
  type UserName,
} from '../../domain/user-name.ts';
import { unlessDamaged } from '../fault.ts';
import type { StoredUser } from '../ports/user-store.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';
import type { SettlingStore } from '../writing/settling-store.ts';
import type { AboutUser } from './administrator.ts';

/** Writes a user with names that changes of users leave out. Neither an event nor `lastUpdateTime` tells of it. */
export interface ReindexUser extends AboutUser {
  readonly type: 'ReindexUser';
  /** What the user is to have: an id and its name, or exactly the names that the configuration asks for. */
  readonly wanted: 'id' | 'names';
}

type ReindexFailure =
  | 'user_not_found'
  | 'contended'
  | 'invalid_properties'
  | 'user_too_large'
  | 'id_taken'
  | 'property_taken';

/** Why a user does not get an id or a name. */
export interface MissingName extends Failure<ReindexFailure> {
  /** Who has it. */
  readonly holder?: EmailAddress | undefined;
}

export interface Reindexed {
  readonly isWritten: boolean;
  /** What the user still lacks. */
  readonly missing: readonly MissingName[];
}

export type ReindexUserResult = Either<never, Reindexed>;

declare module '../bus.ts' {
  interface Commands {
    readonly ReindexUser: OptionalUseCase<ReindexUser, ReindexUserResult>;
  }
}

/** Repeats the write without the names that others have, so that a user gets all others. */
export class ReindexUserHandler {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly limits: UserLimits,
    private readonly unique: readonly UniqueProperty[],
    /** Returns a new id; undefined where users have no ids. */
    private readonly newId: () => UserId | undefined,
    /** Whether each mailbox may have one account. */
    private readonly namesMailboxes: boolean,
  ) {}

  async handle({ key, wanted }: ReindexUser, startedMs: number): Promise<ReindexUserResult> {
    const missing: MissingName[] = [];
    const taken = new Set<UserName>();
    for (;;) {
      let before: StoredUser | undefined;
      let conflict: UserName | undefined;
      const updated = await this.updates.apply<ReindexFailure>(
        {
          key,
          authorize: (stored) => this.withHeldNames(wanted, stored),
          transition: (user) => (wanted === 'id' ? this.withId(user) : right(user)),
          names: (stored, next) => {
            before = stored;
            return this.namesFor(wanted, stored, next).filter((name) => !taken.has(name));
          },
          events: [],
          whenTooLarge: 'user_too_large',
          whenNameTaken: (name) => {
            conflict = name;
            return nameTaken(name);
          },
        },
        startedMs,
      );
      if (!isLeft(updated)) {
        const { user, version } = updated.right;
        const valid = wanted === 'id' ? right(user) : this.limits.checkUnique(user);
        if (isLeft(valid)) missing.push(valid.left);
        return right({ isWritten: version !== before?.version, missing });
      }
      // Accounts from before that share a mailbox stay: one of them has its name.
      if (conflict !== undefined && isMailboxName(conflict)) {
        taken.add(conflict);
        continue;
      }
      missing.push({ ...updated.left, holder: conflict && (await this.holderOf(conflict)) });
      // An id is stored only with its name.
      if (conflict === undefined || wanted === 'id') return right({ isWritten: false, missing });
      taken.add(conflict);
    }
  }

  /**
   * The user with those of its names that lead to it. A record that another program has restored has names of which the store
   * keeps none free, and which others may have taken since.
   */
  private async withHeldNames(
    wanted: ReindexUser['wanted'],
    stored: StoredUser | undefined,
  ): Promise<Either<Failure<'user_not_found'>, StoredUser>> {
    if (stored === undefined) return left(failure('user_not_found'));
    const { names = [], user } = stored;
    const held: UserName[] = [];
    for (const name of names) {
      const isChecked = wanted === 'names' || idIn(name) !== undefined;
      if (!isChecked || (await this.holderOf(name)) === user.email.address) held.push(name);
    }
    return right({ ...stored, names: held });
  }

  /** Undefined for a damaged holder, which keeps the name, and must not keep the user from all others. */
  private async holderOf(name: UserName): Promise<EmailAddress | undefined> {
    const holder = await unlessDamaged(this.users.find(name), () => undefined);
    return holder?.user.email.address;
  }

  private withId(user: User): Either<Failure<'invalid_properties'>, User> {
    const id = presentId(user);
    if (isLeft(id)) return id;
    if (user.id !== undefined && propertyOf(user, 'id') === undefined) return right(user);
    const given = id.right ?? this.newId();
    return right(given === undefined ? user : this.limits.withId(user, given));
  }

  private namesFor(wanted: ReindexUser['wanted'], { user, names = [] }: StoredUser, next: User): readonly UserName[] {
    const mailbox = this.namesMailboxes ? [nameOfMailbox(next.email.address)] : [];
    if (wanted === 'names') return [...namesOf(next, this.unique), ...mailbox];
    return [...new Set([...namesOf(next, []), ...namesAfter(names, user, next, this.unique)])];
  }
}
