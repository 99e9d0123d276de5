import { chainW, type Either, isLeft, left, map, mapLeft, right } from 'fp-ts/lib/Either.js';
import { checkSpelling } from '../../domain/email-address.ts';
import { isRehashed, withoutKeptTag } from '../../domain/entity-tag.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import type { CustomProperties, User, UserId } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { nameTaken, presentId, type UserKey } from '../../domain/user-name.ts';
import { isChangeRequired } from '../../domain/user-state.ts';
import { isSameMailbox, type UserUpdate, unlessUnchanged, updateUser } from '../../domain/user-update.ts';
import type { AddressMoves } from '../address-moves/address-moves.ts';
import type { UseCase } from '../bus.ts';
import type { ChangeCaller, PasswordAuthorizer, PasswordFailure } from '../passwords/authorizer.ts';
import type { NewPasswordFailure, PasswordUpdate } from '../passwords/password-update.ts';
import { withoutPassword } from '../passwords/without-password.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredUser } from '../ports/user-store.ts';
import { whilePasswordIs } from '../writing/authorization.ts';
import type { OptimisticUpdate } from '../writing/optimistic-update.ts';

/** The options of an edit. */
export interface UpdatePolicy {
  /** Whether the body may set the verification members, or only the service does. */
  readonly verificationOnUpdate: 'body' | 'server';
}

type PropertiesFailure = 'not_permitted' | 'invalid_properties' | 'user_too_large';
type EditFailure =
  | PasswordFailure
  | PropertiesFailure
  | 'unsuitable_address'
  | 'address_taken'
  | 'id_immutable'
  | 'id_taken'
  | 'property_taken'
  | 'resend_too_soon'
  | 'conflict'
  | 'stale_user'
  | NewPasswordFailure;

/** A caller who edits a user. */
export interface EditingCaller extends ChangeCaller {
  /** The id that the body repeats: that of the user, or the first one for a user without. Undefined keeps it. */
  readonly id?: UserId | undefined;
  /** The new password; undefined keeps the current one. */
  readonly newPassword: string | undefined;
  /** The languages of the request, in order of preference, for mails about a new address; none by default. */
  readonly languages?: readonly string[] | undefined;
}

export interface UpdateUser extends EditingCaller {
  readonly type: 'UpdateUser';
  readonly update: UserUpdate;
  /** The custom properties after the update, for a caller who may not read or write all of them. */
  readonly replaceProperties?:
    | ((stored: CustomProperties, sent: CustomProperties) => Either<Failure<'not_permitted'>, CustomProperties>)
    | undefined;
}

/** Right: the user after the edit. */
export type UserEditResult = Either<Failure<EditFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly UpdateUser: UseCase<UpdateUser, UserEditResult>;
  }
}

/** What an update and a patch have in common. */
export interface UserEdit extends EditingCaller {
  /** Computed again for each version of the user that is read. */
  readonly updateOf: (user: User) => Either<Failure<PropertiesFailure>, UserUpdate>;
  /** Whether members without a value in the edit stay. */
  readonly isPatch: boolean;
  /** Whether to write nothing, and keep `lastUpdateTime`, if nothing else changes. */
  readonly skipsUnchanged: boolean;
}

const withoutVerification = ({ verified: _, verificationToken: __, ...others }: UserUpdate): UserUpdate => others;

/** The update while its address waits: what it says of the verification is about the new address. */
const withAddressOf = ({ email: { address } }: User, update: UserUpdate): UserUpdate => ({
  ...withoutVerification(update),
  address,
});

/** Edits users for callers who have the password. */
export class UserEditor {
  constructor(
    private readonly updates: OptimisticUpdate,
    private readonly authorizer: PasswordAuthorizer,
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    private readonly policy: UpdatePolicy,
    /** Undefined if a new address needs no confirmation. */
    private readonly moves: AddressMoves | undefined,
    private readonly hasIds: boolean,
  ) {}

  async edit(edit: UserEdit, startedMs: number): Promise<UserEditResult> {
    const { key, id, newPassword, updateOf, isPatch, skipsUnchanged, languages, ifMatch } = edit;
    const supplied = edit.supplied === withoutPassword ? undefined : edit.supplied;
    const storedHash = this.passwords.storedHashAfter(newPassword, supplied, ifMatch !== undefined);
    let unseenHash: string | undefined;
    const move = this.moves?.request(languages);
    const edited = await this.updates.apply<EditFailure>(
      {
        key,
        authorize: this.authorizer.authorizationOf({ ...edit, changesPassword: newPassword !== undefined }),
        transition: async (user) => {
          const ownId = this.givenId(user, id, isPatch);
          if (isLeft(ownId)) return ownId;
          const update = updateOf(user);
          if (isLeft(update)) return update;
          const unique = this.limits.checkUnique(update.right, user);
          if (isLeft(unique)) return unique;
          const keepsMailbox = isSameMailbox(update.right.address, user.email.address);
          const spelt = keepsMailbox ? update : checkSpelling(update.right.address);
          if (isLeft(spelt)) return spelt;
          const password = await storedHash(user, [user.email.address, update.right.address]);
          if (isLeft(password)) {
            if (password.left.code === 'stale_user') unseenHash = user.password;
            return password;
          }
          const passwords = { supplied, given: newPassword };
          if (isChangeRequired(user) && (await this.passwords.keepsPassword(user.password, password.right, passwords)))
            return left(failure('password_change_required'));
          const waits = move !== undefined && !keepsMailbox;
          const body = this.policy.verificationOnUpdate === 'body' ? update.right : withoutVerification(update.right);
          const permitted = waits ? withAddressOf(user, update.right) : body;
          const changed = updateUser(user, permitted, password.right, this.clock.now());
          const updated = ownId.right === undefined ? changed : this.limits.withId(changed, ownId.right);
          const next = waits ? await move.apply(updated, update.right.address) : right(updated);
          if (isLeft(next)) return next;
          return right(skipsUnchanged ? unlessUnchanged(user, next.right) : next.right);
        },
        events: ['user.updated', 'password.changed', 'address.changed'],
        mails: move?.mails,
        whenTooLarge: 'user_too_large',
        whenTaken: 'address_taken',
        whenNameTaken: nameTaken,
      },
      startedMs,
    );
    if (unseenHash !== undefined) await this.endKeptTag(key, unseenHash, startedMs);
    return mapLeft(({ code, ...others }: Failure<EditFailure | 'contended'>) => ({
      ...others,
      code: code === 'contended' ? ('conflict' as const) : code,
    }))(edited);
  }

  /**
   * The id that the user has after an edit, which then has no custom property of this name; undefined to keep both. An
   * update would drop such a property of a user without an id, which responses do not show, so that it becomes the id.
   */
  private givenId(
    user: User,
    given: UserId | undefined,
    keepsProperties: boolean,
  ): Either<Failure<'id_immutable' | 'invalid_properties'>, UserId | undefined> {
    if (user.id !== undefined)
      return given === undefined || given === user.id ? right(given) : left(failure('id_immutable'));
    return given !== undefined || keepsProperties || !this.hasIds ? right(given) : presentId(user);
  }

  /** Gives a user a new entity tag, so that a caller who reads it again has seen the present hash, and may repeat the edit. */
  private async endKeptTag(key: UserKey, hash: string, startedMs: number): Promise<void> {
    await this.updates.apply(
      {
        key,
        authorize: whilePasswordIs(hash),
        transition: (user) => right(isRehashed(user) ? withoutKeptTag(user) : user),
        events: [],
      },
      startedMs,
    );
  }
}

/** Replaces a user, possibly under a new address. */
export class UpdateUserHandler {
  constructor(
    private readonly editor: UserEditor,
    private readonly limits: UserLimits,
  ) {}

  async handle(command: UpdateUser, startedMs: number): Promise<UserEditResult> {
    const { update, replaceProperties } = command;
    const checked = (properties: CustomProperties) =>
      map(() => ({ ...update, properties }))(this.limits.checkProperties(properties));
    let updateOf: UserEdit['updateOf'];
    if (replaceProperties === undefined) {
      // Before the user is read or a password is checked.
      const whole = checked(update.properties);
      if (isLeft(whole)) return whole;
      updateOf = () => whole;
    } else updateOf = (user) => chainW(checked)(replaceProperties(user.properties, update.properties));
    return this.editor.edit({ ...command, updateOf, isPatch: false, skipsUnchanged: false }, startedMs);
  }
}
