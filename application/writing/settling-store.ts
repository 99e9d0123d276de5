import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { afterBookkeeping } from '../../domain/entity-tag.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import {
  isUserName,
  namesAfter,
  namesOf,
  type UniqueProperty,
  type UserKey,
  type UserName,
  wantedKeys,
} from '../../domain/user-name.ts';
import { Fault } from '../fault.ts';
import { randomDelay } from '../interceptor.ts';
import type { DeliverySignal } from '../outgoing/delivery-signal.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { isTaken, type Reservation, type StoredUser, type StorePorts, type Taken } from '../ports/user-store.ts';
import type { Authorization } from './authorization.ts';

const maxAttempts = 6;
const retryDelayMs = 20;

/** Writes begin only within this share of the operation timeout, which started slightly before the use case. */
const writingShare = 0.9;

/** Stores without an outbox are given no list of events, not even an empty one. */
const eventsToStore = (events: readonly QueuedEvent[]): readonly QueuedEvent[] | undefined =>
  events.length === 0 ? undefined : events;

/**
 * The stored users as use cases see them. It rules out that a write whose reply was lost is applied later: every write
 * is conditional on the version that was read, or on the absence of the address, and on the absence of new names, so a new
 * version or a reserved key makes it fail. It writes each user with its names. Methods throw the Faults of UserStore.
 */
export class SettlingStore {
  constructor(
    private readonly ports: Pick<StorePorts, 'users' | 'names'>,
    /** The custom properties that no two users share. */
    private readonly unique: readonly UniqueProperty[] = [],
    /** Of a whole operation, in milliseconds. */
    private readonly timeoutMs = Number.POSITIVE_INFINITY,
    /** Undefined where the process delivers no events. */
    private readonly signal?: Pick<DeliverySignal, 'afterWrite'>,
  ) {}

  /** The user of a key, including every write that was acknowledged before. */
  find(key: UserKey): Promise<StoredUser | undefined> {
    return isUserName(key) ? (this.ports.names?.find(key) ?? Promise.resolve(undefined)) : this.ports.users.find(key);
  }

  /** The first key of a new user that another user has; undefined if there is none. */
  async takenKey(user: User): Promise<UserKey | undefined> {
    for (const key of wantedKeys(user, this.unique)) if ((await this.find(key)) !== undefined) return key;
    return undefined;
  }

  /**
   * Adds a user with its names, `others` among them, and events, unless another user has one of its keys. `startedMs`: see
   * `requireTime`.
   */
  insert(
    user: User,
    events: readonly QueuedEvent[],
    startedMs: number,
    others: readonly UserName[] = [],
  ): Promise<StoredUser | Taken> {
    const names = [...namesOf(user, this.unique), ...others];
    const written = this.takingReserved(startedMs, (reservations) =>
      this.ports.users.insert(user, { names, events: eventsToStore(events), reservations }),
    );
    return this.delivering(events, written);
  }

  /**
   * Replaces a user, also under a new address, together with its names and events. `stale` if the stored version has
   * changed or is gone.
   */
  replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[],
    startedMs: number,
    /** All names afterwards. */
    names = namesAfter(previous.names ?? [], previous.user, next, this.unique),
  ): Promise<StoredUser | 'stale' | Taken> {
    const written = this.takingReserved(startedMs, (reservations) =>
      this.ports.users.replace(previous, next, { names, events: eventsToStore(events), reservations }),
    );
    return this.delivering(events, written);
  }

  /** Removes a user. `stale` if the stored version has changed or is gone. */
  remove(previous: StoredUser, events: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    return this.delivering(events, this.ports.users.remove(previous, { events: eventsToStore(events) }));
  }

  private delivering<Outcome extends object | string>(
    events: readonly QueuedEvent[],
    written: Promise<Outcome>,
  ): Promise<Outcome> {
    if (events.length > 0) this.signal?.afterWrite(written, events);
    return written;
  }

  /**
   * Throws the Fault `timed_out` if a use case that started at `startedMs` (`performance.now()`) may not write any more
   * on condition of what it reads now: soon its caller gets 503, and a settled read may report that nothing was written.
   */
  requireTime(startedMs: number): void {
    if (performance.now() >= startedMs + this.timeoutMs * writingShare)
      throw new Fault('timed_out', 'the use case did not start to write in time');
  }

  /**
   * Decides on what is stored for a key. If the result is a user, or `user_not_found`, no write of it that began
   * earlier, in any process, is applied any more: the user gets a new version with the same entity tag, or the key
   * is reserved. Other results write nothing. Throws a Fault if other writers kept changing the user.
   */
  async settle<Code extends FailureCode>(
    key: UserKey,
    decide: Authorization<Code>,
  ): Promise<Either<Failure<Code>, StoredUser>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const decided = await decide(await this.find(key));
      if (isLeft(decided)) {
        if (decided.left.code !== 'user_not_found' || (await this.ports.users.reserve(key)) !== 'taken') return decided;
      } else {
        const { names = [], user } = decided.right;
        const renewed = await this.ports.users.replace(decided.right, afterBookkeeping(decided.right, user), { names });
        if (renewed !== 'stale' && !isTaken(renewed)) return right(renewed);
      }
    }
    throw new Fault('store_unavailable', 'other writers kept changing the user');
  }

  /**
   * Repeats a write with the reservations of the keys that it needs, so that only a key of another user refuses it. Throws
   * the Fault `timed_out` near the end of the timeout.
   */
  private async takingReserved<Outcome extends StoredUser | 'stale'>(
    startedMs: number,
    write: (reservations: readonly Reservation[]) => Promise<Outcome | Taken>,
  ): Promise<Outcome | Taken> {
    const reservations = new Map<UserKey, Reservation>();
    for (let attempt = 0; ; attempt++) {
      const written = await write([...reservations.values()]);
      if (!isTaken(written)) return written;
      if (written.reservation === undefined) {
        // Throws if the user is damaged.
        if (!isUserName(written.taken)) await this.ports.users.find(written.taken);
        return written;
      }
      if (attempt === maxAttempts) throw new Fault('store_unavailable', 'settled reads kept reserving a key');
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      this.requireTime(startedMs);
      reservations.set(written.taken, written.reservation);
    }
  }
}
