import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { type EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import { afterBookkeeping } from '../../domain/entity-tag.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { DeliverySignal } from '../outgoing/delivery-signal.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { type StoredUser, type UserStore, visible } from '../ports/user-store.ts';
import type { Authorization } from './authorization.ts';
import { ReservationLedger, reservationMs, reservationOf } from './reservation-ledger.ts';
import { ReservationQuota, randomDelay } from './reservation-quota.ts';

const maxAttempts = 6;
const retryDelayMs = 20;

/** Writes begin only within this share of the operation timeout, which started slightly before the use case. */
const writingShare = 0.9;

const isWritten = (outcome: StoredUser | 'stale' | 'taken'): outcome is StoredUser => typeof outcome === 'object';

/**
 * The stored users as use cases see them. It rules out that a write whose reply was lost is applied later: every write
 * is conditional on the version that was read, or on the absence of the address, so a new version or a reserved address
 * makes it fail. A reservation is a stored user with an empty password; here it is an absent user. Written events are
 * delivered without waiting for the next poll. Methods throw the Faults of UserStore.
 */
export class SettlingStore {
  private readonly quota = new ReservationQuota();
  /** With it other processes end the reservations of this one, should it end before. */
  readonly ledger: ReservationLedger;

  constructor(
    private readonly store: UserStore,
    private readonly clock: Clock,
    /** Of a whole operation. */
    private readonly timeoutMs = Number.POSITIVE_INFINITY,
    /** Undefined in a process that delivers nothing. */
    private readonly delivery?: Pick<DeliverySignal, 'stored'>,
  ) {
    this.ledger = new ReservationLedger(store, clock);
  }

  /** The user of a key, including every write that was acknowledged before. */
  async find(key: EmailKey): Promise<StoredUser | undefined> {
    return visible(await this.store.find(key));
  }

  /** Adds a user with its events. `taken` if another user has the address. `startedMs`: see `requireTime`. */
  insert(user: User, events: readonly QueuedEvent[] | undefined, startedMs: number): Promise<StoredUser | 'taken'> {
    const insert = this.overReservations(user, startedMs, async (reserved) => {
      if (reserved === undefined) return this.store.insert(user, events);
      const written = await this.store.replace(reserved, user, events);
      return written === 'stale' ? 'taken' : written;
    });
    return this.signalling(events, insert);
  }

  /**
   * Replaces a user, also under a new address, together with its events. `stale` if the stored version has changed or is
   * gone; `taken` if another user has the new address.
   */
  replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] | undefined,
    startedMs: number,
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const move = this.overReservations(next, startedMs, async (reserved) => {
      if (reserved === undefined) return this.store.replace(previous, next, events);
      if ((await this.store.remove(reserved)) === 'stale') return 'taken';
      let isMoved = false;
      try {
        const written = await this.store.replace(previous, next, events);
        isMoved = isWritten(written);
        return written;
      } finally {
        // Also after a Fault, because the reservation still has to keep out an earlier insert.
        if (!isMoved) await this.restore(reserved);
      }
    });
    return this.signalling(events, move);
  }

  /** Removes a user. `stale` if the stored version has changed or is gone. */
  remove(previous: StoredUser, events: readonly QueuedEvent[] | undefined): Promise<'removed' | 'stale'> {
    return this.signalling(events, this.store.remove(previous, events));
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
   * Decides on what is stored for an address. If the result is a user, or `user_not_found`, no write of it that began
   * earlier, in any process, is applied any more: the user gets a new version with the same entity tag, or the address
   * is reserved for 15 minutes. Other results write nothing. Throws a Fault if other writers kept changing the user, or
   * if too many addresses are reserved for `client`.
   */
  async settle<Code extends FailureCode>(
    address: EmailAddress,
    decide: Authorization<Code>,
    client: string,
  ): Promise<Either<Failure<Code>, StoredUser>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const stored = await this.store.find(keyOf(address));
      const decided = await decide(visible(stored));
      if (isLeft(decided) && decided.left.code !== 'user_not_found') return decided;
      if (isLeft(decided)) {
        if (await this.reserve(address, stored, client)) return decided;
      } else {
        const { user } = decided.right;
        const renewed = await this.store.replace(decided.right, afterBookkeeping(decided.right, user));
        if (isWritten(renewed)) return right(renewed);
      }
    }
    throw new Fault('store_unavailable', 'other writers kept changing the user');
  }

  /** The outcome of a write. Its events are delivered also after a Fault, because the write may have been applied. */
  private async signalling<Outcome extends StoredUser | string>(
    events: readonly QueuedEvent[] | undefined,
    write: Promise<Outcome>,
  ): Promise<Outcome> {
    let outcome: Outcome | undefined;
    try {
      outcome = await write;
      return outcome;
    } finally {
      if (events !== undefined && outcome !== 'stale' && outcome !== 'taken') this.delivery?.stored(events);
    }
  }

  /**
   * Writes a user whose address no other user has, given its reservation if there is one. Repeats a write that is
   * `taken`, because settled reads renew reservations: only a user takes an address. Near the end of the timeout the
   * Fault is `timed_out`.
   */
  private async overReservations<Outcome extends StoredUser | 'stale'>(
    { email }: User,
    startedMs: number,
    write: (reserved: StoredUser | undefined) => Promise<Outcome | 'taken'>,
  ): Promise<Outcome | 'taken'> {
    let written = await write(undefined);
    for (let attempt = 0; written === 'taken'; attempt++) {
      if (attempt === maxAttempts) throw new Fault('store_unavailable', 'settled reads kept reserving the address');
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const holder = await this.store.find(keyOf(email.address));
      if (visible(holder) !== undefined) return 'taken';
      this.requireTime(startedMs);
      written = await write(holder);
    }
    return written;
  }

  /** Reserves an absent address, or renews its reservation; false if another writer was faster. */
  private async reserve(address: EmailAddress, stored: StoredUser | undefined, client: string): Promise<boolean> {
    const key = keyOf(address);
    if (!this.quota.permits(client, key))
      throw new Fault('overloaded', 'too many addresses are reserved for a client', { retryAfterSeconds: 60 });
    // Counted before it is written, because many may be under way.
    this.scheduleEnd(key, stored?.version, client);
    await this.ledger.record(key);
    const written = await (stored === undefined
      ? this.store.insert(reservationOf(address, this.clock.now()))
      : this.store.replace(stored, stored.user));
    if (!isWritten(written)) return false;
    this.scheduleEnd(key, written.version, client);
    return true;
  }

  /** Reserves an address again, unless it was taken in between. */
  private async restore({ user }: StoredUser): Promise<void> {
    const written = await this.store.insert(user);
    const key = keyOf(user.email.address);
    // That of another process counts for nobody.
    if (isWritten(written)) this.scheduleEnd(key, written.version, this.quota.clientOf(key) ?? '');
  }

  /**
   * Removes a reservation at its end, unless it was renewed by another process, which then ends it. The time in it does
   * not count, because the clock of that process may be wrong.
   */
  private scheduleEnd(key: EmailKey, version: string | undefined, client: string): void {
    const end = async (): Promise<void> => {
      const stored = await this.store.find(key);
      if (stored !== undefined && stored.version === version) await this.store.remove(stored);
    };
    this.quota.hold(key, client, reservationMs, () => end().catch(() => undefined));
  }
}
