import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { checkSpelling, type EmailAddress } from '../../domain/email-address.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import type { OutstandingToken } from '../../domain/one-time-token.ts';
import type { User, UserId } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { isUserName, nameOfId, nameOfMailbox, newNameTaken, type UserKey } from '../../domain/user-name.ts';
import { createUser, type NewUser } from '../../domain/user-update.ts';
import { type DomainEvents, type EventType, withoutEvents } from '../outgoing/domain-events.ts';
import type { PasswordUpdate, StoredHash } from '../passwords/password-update.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { isTaken, type StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from '../writing/settling-store.ts';

export interface CreateUser extends NewUser {
  readonly type: 'CreateUser';
  /** Chosen by the caller; undefined for one by the service, if users have ids. */
  readonly id?: UserId | undefined;
  /** The address from which the user signs up, if sign-ups are counted per address. */
  readonly client?: string | undefined;
}

/** Why a user cannot be created, regardless of the users that are stored. */
export type NewUserFailure =
  | 'unsuitable_address'
  | 'domain_not_allowed'
  | 'too_many_attempts'
  | 'invalid_properties'
  | 'unsuitable_password'
  | 'weak_password'
  | 'user_too_large';

type TakenFailure = 'user_exists' | 'id_taken' | 'property_taken' | 'mailbox_taken';

export type CreateUserResult = Either<Failure<NewUserFailure | TakenFailure>, StoredUser>;

declare module '../bus.ts' {
  interface Commands {
    readonly CreateUser: UseCase<CreateUser, CreateUserResult>;
  }
}

/** Who may sign up. Administrators and imports create users without these rules. */
export interface SignUpRules {
  /** Refuses an address at a domain that may not sign up, and a client with too many sign-ups, which are counted. */
  admit(
    address: EmailAddress,
    client: string | undefined,
  ): Promise<Either<Failure<'domain_not_allowed' | 'too_many_attempts'>, unknown>>;
}

/** Where everybody may sign up. */
export const withoutSignUpRules: SignUpRules = { admit: async () => right(undefined) };

/** Checks and makes new users, without reading any that is stored. */
export class NewUsers {
  constructor(
    private readonly passwords: PasswordUpdate,
    private readonly clock: Clock,
    private readonly limits: UserLimits,
    /** Returns a new id; undefined where users have no ids. */
    private readonly newId: (() => UserId) | undefined,
    private readonly rules: SignUpRules,
  ) {}

  /** `hashOf` makes the stored hash of another password than the given one. */
  async make(
    command: Omit<CreateUser, 'type'>,
    hashOf?: () => Promise<StoredHash>,
  ): Promise<Either<Failure<NewUserFailure>, User>> {
    const { client, id: chosen, ...given } = command;
    const { address, password, properties } = given;
    const spelt = checkSpelling(address);
    if (isLeft(spelt)) return spelt;
    const allowed = this.limits.checkProperties(properties);
    if (isLeft(allowed)) return allowed;
    const unique = this.limits.checkUnique(given);
    if (isLeft(unique)) return unique;
    const admitted = await this.rules.admit(address, client);
    if (isLeft(admitted)) return admitted;
    const hash = await (hashOf?.() ?? this.passwords.storedHash(password, [address]));
    if (isLeft(hash)) return hash;
    const id = this.newId === undefined ? undefined : (chosen ?? this.newId());
    return right(createUser(given, hash.right, this.clock.now(), id));
  }
}

const eventsAbout = ({ invitation, email }: User): readonly EventType[] => {
  if (invitation !== undefined) return ['user.created', 'user.invited'];
  return email.verification.token === null ? ['user.created'] : ['user.created', 'verification.sent'];
};

/** The only way to store a new user: within the limit of its size, and in one step with its names, events and mails. */
export class UserInsertion {
  constructor(
    private readonly users: Pick<SettlingStore, 'insert'>,
    private readonly limits: Pick<UserLimits, 'checkSize'>,
    private readonly events: Pick<DomainEvents, 'prepare'> = withoutEvents,
    /** Whether the mailbox becomes a name of the user, so that no other user who was stored so has the same one. */
    private readonly namesMailboxes = false,
  ) {}

  /**
   * Right: the stored user. `whenTaken` decides the outcome if another user has `key`, which the new one would have.
   * `startedMs` is when the operation started, as in an update.
   */
  async insert<Code extends FailureCode>(
    user: User,
    mails: readonly QueuedEvent[],
    startedMs: number,
    whenTaken: (key: UserKey) => Promise<Either<Failure<Code>, StoredUser>>,
  ): Promise<Either<Failure<Code | 'user_too_large'>, StoredUser>> {
    const checked = this.limits.checkSize(user);
    if (isLeft(checked)) return checked;
    const prepared = this.events.prepare(eventsAbout(user), user);
    const events = mails.length === 0 ? prepared : [...prepared, ...mails];
    const names = this.namesMailboxes ? [nameOfMailbox(user.email.address)] : [];
    const written = await this.users.insert(user, events, startedMs, names);
    return isTaken(written) ? whenTaken(written.taken) : right(written);
  }
}

/** One invitation: the token that is stored in the user, and the mail that is stored with it. */
export interface PreparedInvitation {
  readonly token: OutstandingToken;
  readonly mailTo: (user: User) => QueuedEvent;
}

/** Stores a new, unverified user. */
export class CreateUserHandler {
  constructor(
    private readonly users: Pick<SettlingStore, 'find'>,
    private readonly newUsers: NewUsers,
    private readonly insertion: UserInsertion,
  ) {}

  handle({ type: _, ...command }: CreateUser, startedMs: number): Promise<CreateUserResult> {
    return this.add(command, undefined, startedMs);
  }

  /** Stores a user who has the hash that `hashOf` makes. The mail of an invitation is stored in the same step. */
  async add(
    command: Omit<CreateUser, 'type'>,
    hashOf: (() => Promise<StoredHash>) | undefined,
    startedMs: number,
    invitation?: PreparedInvitation,
  ): Promise<CreateUserResult> {
    const made = await this.newUsers.make(command, hashOf);
    if (isLeft(made)) return made;
    const user = invitation === undefined ? made.right : { ...made.right, invitation: invitation.token };
    const mails = invitation === undefined ? [] : [invitation.mailTo(user)];
    return this.insertion.insert(user, mails, startedMs, async (key) => left(await this.takenFailure(key, user)));
  }

  /** With `sameId`, a caller who has chosen the id knows whether an earlier request without a reply created the user. */
  private async takenFailure(key: UserKey, { id }: User): Promise<Failure<TakenFailure>> {
    if (isUserName(key)) return newNameTaken(key);
    if (id === undefined) return failure('user_exists');
    // Whatever its address is now: the user may have moved since.
    return { ...failure('user_exists'), sameId: (await this.users.find(nameOfId(id))) !== undefined };
  }
}
