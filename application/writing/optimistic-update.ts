import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { keyOf } from '../../domain/email-address.ts';
import { afterBookkeeping, withoutKeptTag } from '../../domain/entity-tag.ts';
import { type Failure, type FailureCode, failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import { isUserName, type UserKey, type UserName } from '../../domain/user-name.ts';
import { withFormerVerification } from '../../domain/user-update.ts';
import { randomDelay } from '../interceptor.ts';
import { type DomainEvents, type EventType, withoutEvents } from '../outgoing/domain-events.ts';
import type { Circumstances, Notices } from '../outgoing/notices.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { isTaken, type StoredUser } from '../ports/user-store.ts';
import { type Authorization, about } from './authorization.ts';
import type { SettlingStore } from './settling-store.ts';
import { Turns } from './turns.ts';

/** The next state of a user: the same object if nothing changes, or `removed`. */
type Next<Code extends FailureCode> = Either<Failure<Code>, User | 'removed'>;

/** A user after a change; `formerKey` is the key of the address before, if that is another one, for the audit. */
type ChangedUser = StoredUser & { readonly formerKey?: UserKey };

/** Right: the user after the change, or the removed one. `contended` if other writers kept changing the user. */
type Outcome<Code extends FailureCode> = Either<Failure<Code | 'contended'>, ChangedUser>;

/** A change of one user. */
export interface UpdateRequest<Code extends FailureCode> extends Circumstances {
  readonly key: UserKey;
  /** Called first, each time the user was read. */
  readonly authorize: Authorization<Code>;
  readonly transition: (user: User) => Promise<Next<Code>> | Next<Code>;
  /** All names of the user afterwards, also if nothing else changes; by default the change takes those that are new. */
  readonly names?: (stored: StoredUser, next: User) => readonly UserName[];
  /** The domain events that are stored with a change, if it meets the conditions of their types. */
  readonly events: readonly EventType[];
  /** The queued mails and other records that are stored with a change, given the user after it, or the removed one. */
  readonly mails?: ((next: User) => readonly QueuedEvent[]) | undefined;
  /** The failure if the next user is too large; only for transitions that can make a user much larger. */
  readonly whenTooLarge?: Code;
  /** The failure if the new address belongs to another user; only for transitions that change the address. */
  readonly whenTaken?: Code;
  /** The failure if another user has the id or property of a name; only for transitions that change it. */
  readonly whenNameTaken?: ((name: UserName) => Failure<Code>) | undefined;
}

/**
 * What the service notes about a user. The transition may change only fields that are marked as bookkeeping, and the
 * stored hash of the same password. Events and mails are stored also with the same user.
 */
export type BookkeepingRequest<Code extends FailureCode> = Omit<
  UpdateRequest<Code>,
  'transition' | 'names' | 'whenTaken' | 'whenNameTaken'
> & {
  readonly transition: (user: User) => Either<Failure<Code>, User>;
};

/** `keepsTag` is true for bookkeeping. */
type Attempted<Code extends FailureCode> = UpdateRequest<Code> & { readonly keepsTag: boolean };

const isSameSet = (some: readonly UserName[], others: readonly UserName[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name));

const maxAttempts = 6;
const maxDelayMs = 40;

/**
 * The only way to change a stored user: read it, authorize the caller, compute the next state, and write it on
 * condition that the version is still the one that was read. Repeats up to five times if another writer was faster.
 */
export class OptimisticUpdate {
  /**
   * Repeated updates of a user run one after the other, because each that succeeds makes the others stale again. A first
   * attempt does not wait: a caller who may not change the user must not delay others.
   */
  private readonly repeated = new Turns<UserKey>();

  constructor(
    private readonly users: SettlingStore,
    private readonly limits: Pick<UserLimits, 'checkSize'>,
    private readonly events: Pick<DomainEvents, 'prepare'> = withoutEvents,
    /** Each makes the mails about a change, which are stored with it. */
    private readonly notices: readonly Pick<Notices, 'of'>[] = [],
  ) {}

  /**
   * `startedMs` is when the operation started: near the end of its timeout nothing is written any more, and the Fault is
   * `timed_out`.
   */
  apply<Code extends FailureCode>(request: UpdateRequest<Code>, startedMs = performance.now()): Promise<Outcome<Code>> {
    return this.repeat({ ...request, keepsTag: false }, startedMs);
  }

  /** The same for bookkeeping, which keeps the entity tag of the user. */
  record<Code extends FailureCode>(
    request: BookkeepingRequest<Code>,
    startedMs = performance.now(),
  ): Promise<Outcome<Code>> {
    return this.repeat({ ...request, keepsTag: true }, startedMs);
  }

  private async repeat<Code extends FailureCode>(request: Attempted<Code>, startedMs: number): Promise<Outcome<Code>> {
    const first = await this.attempt(request, startedMs);
    if (typeof first !== 'string') return first;
    return this.repeated.take(first, async () => {
      for (let attempt = 1; attempt < maxAttempts; attempt++) {
        if (attempt > 1) await randomDelay(Math.min(maxDelayMs, 2 ** attempt));
        // Before the authorization, because the caller of a late request is gone and a password check is expensive.
        this.users.requireTime(startedMs);
        const outcome = await this.attempt(request, startedMs);
        if (typeof outcome !== 'string') return outcome;
      }
      return left(failure('contended'));
    });
  }

  /** The key of the address of the user if another writer was faster. */
  private async attempt<Code extends FailureCode>(
    request: Attempted<Code>,
    startedMs: number,
  ): Promise<Outcome<Code> | UserKey> {
    const { key } = request;
    const found = await this.users.find(key);
    const outcome = await this.write(found, request, startedMs);
    if (outcome !== undefined) return about(key, found, outcome);
    return found === undefined ? key : keyOf(found.user.email.address);
  }

  /** Undefined if another writer was faster. */
  private async write<Code extends FailureCode>(
    found: StoredUser | undefined,
    request: Attempted<Code>,
    startedMs: number,
  ): Promise<Outcome<Code> | undefined> {
    const { authorize, transition, whenTooLarge, keepsTag } = request;
    const authorized = await authorize(found);
    if (isLeft(authorized)) return authorized;
    const stored = authorized.right;
    const outcome = await transition(stored.user);
    if (isLeft(outcome)) return outcome;
    const next = outcome.right;
    if (whenTooLarge !== undefined && next !== 'removed' && next !== stored.user)
      if (isLeft(this.limits.checkSize(next))) return left(failure(whenTooLarge));
    const names = next === 'removed' ? undefined : request.names?.(stored, next);
    const isUnchanged = next === stored.user && (names === undefined || isSameSet(names, stored.names ?? []));
    if (isUnchanged && !keepsTag) return right(stored);
    const events = this.eventsOf(request, next, stored.user);
    if (isUnchanged && events.length === 0) return right(stored);
    this.users.requireTime(startedMs);
    const written = await (next === 'removed'
      ? this.users.remove(stored, events)
      : this.users.replace(
          stored,
          keepsTag || next === stored.user
            ? afterBookkeeping(stored, next)
            : withFormerVerification(stored.user, withoutKeptTag(next)),
          events,
          startedMs,
          names,
        ));
    if (written === 'stale') return undefined;
    if (written !== 'removed' && isTaken(written)) {
      const { taken } = written;
      const { whenTaken = 'contended', whenNameTaken } = request;
      return left(isUserName(taken) ? (whenNameTaken?.(taken) ?? failure('contended')) : failure(whenTaken));
    }
    if (written === 'removed') return right(stored);
    const formerKey = keyOf(stored.user.email.address);
    return right(formerKey === keyOf(written.user.email.address) ? written : { ...written, formerKey });
  }

  private eventsOf(
    request: Circumstances & Pick<UpdateRequest<FailureCode>, 'events' | 'mails'>,
    next: User | 'removed',
    previous: User,
  ): readonly QueuedEvent[] {
    const { events: types, mails, reason } = request;
    const written = next === 'removed' ? previous : next;
    const events = this.events.prepare(types, written, previous, reason);
    const notices = this.notices.flatMap((each) => each.of(previous, next, request));
    return mails === undefined && notices.length === 0 ? events : [...events, ...(mails?.(written) ?? []), ...notices];
  }
}
