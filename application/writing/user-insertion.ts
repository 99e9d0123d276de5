import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { nameOfMailbox, type UserKey } from '../../domain/user-name.ts';
import { type DomainEvents, type EventType, withoutEvents } from '../outgoing/domain-events.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { isTaken, type StoredUser } from '../ports/user-store.ts';
import type { SettlingStore } from './settling-store.ts';

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
    /** Whether the user is refused if a user whose mailbox has a name has the same mailbox. */
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
