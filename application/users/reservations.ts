import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { type EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { Failure, FailureCode } from '../../domain/failure.ts';
import { createUser, isReservation, type User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { type StoredUser, type UserStore, visible } from '../ports/user-store.ts';

/** Decides whether a caller may act on what was read: a user, or undefined if there is none. Right: the user. */
export type Authorization<Code extends FailureCode> = (
  stored: StoredUser | undefined,
) => Promise<Either<Failure<Code>, StoredUser>>;

/** How long an address stays reserved: longer than a request that was sent can be under way (tcp_retries2, tcp(7)). */
const reservationMs = 15 * 60_000;

/** The maximum of addresses that a process reserves at once. */
const maxReservations = 10_000;

const maxAttempts = 6;
const retryDelayMs = 20;

/** Writes begin only within this share of the operation timeout, which started slightly before the use case. */
const writingShare = 0.9;

/** Waits for a random time of at most `maxMs`, so that competing writers do not collide again. */
export const randomDelay = (maxMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));

const isWritten = (outcome: StoredUser | 'stale' | 'taken'): outcome is StoredUser => typeof outcome === 'object';

const isEmptyObject = (text: string): text is User['properties'] => text === '{}';
const noProperties = '{}';

/**
 * Rules out that a write whose reply was lost is applied later. Every write is conditional on the version that was
 * read, or on the absence of the address, so a new version or a reserved address makes it fail. A reservation is a
 * stored user with an empty password; use cases treat it as an absent user.
 */
export class Reservations {
  /** The keys whose reservations this process will end. */
  private readonly ending = new Set<EmailKey>();

  /** `timeoutMs` is that of a whole operation. */
  constructor(
    private readonly store: UserStore,
    private readonly clock: Clock,
    private readonly timeoutMs = Number.POSITIVE_INFINITY,
  ) {}

  /**
   * Whether a use case that started at `startedMs` (`performance.now()`) may write on condition of what it reads now.
   * Later its caller has got 503, and a settled read may have reported that the write was not applied.
   */
  isInTime(startedMs: number): boolean {
    return performance.now() < startedMs + this.timeoutMs * writingShare;
  }

  /**
   * Decides on what is stored for an address. If the result is a user, or `user_not_found`, no write of it that began
   * earlier, in any process, is applied any more: the user gets a new version, or the address is reserved for 15
   * minutes. Other results write nothing. Throws a Fault if other writers kept changing the user, or too many addresses
   * are reserved.
   */
  async settle<Code extends FailureCode>(
    address: EmailAddress,
    decide: Authorization<Code>,
  ): Promise<Either<Failure<Code>, StoredUser>> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const stored = await this.store.find(keyOf(address));
      const decided = await decide(visible(stored));
      if (isLeft(decided) && decided.left.code !== 'user_not_found') return decided;
      if (isLeft(decided)) {
        if (await this.reserve(address, stored)) return decided;
      } else {
        const renewed = await this.store.replace(decided.right, decided.right.user);
        if (isWritten(renewed)) return right(renewed);
      }
    }
    throw new Fault('store_unavailable', 'other writers kept changing the user');
  }

  /** Inserts a user whose address the store reported as taken, if only a reservation holds the address. */
  async insert(
    user: User,
    events: readonly QueuedEvent[] | undefined,
    startedMs: number,
  ): Promise<StoredUser | 'taken'> {
    const reserved = await this.reserved(user, startedMs);
    if (reserved === undefined) return 'taken';
    const written = await this.store.replace(reserved, user, events);
    return written === 'stale' ? 'taken' : written;
  }

  /** Repeats a change whose new address the store reported as taken, if only a reservation holds the address. */
  async replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] | undefined,
    startedMs: number,
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const reserved = await this.reserved(next, startedMs);
    if (reserved === undefined || (await this.store.remove(reserved)) === 'stale') return 'taken';
    const written = await this.store.replace(previous, next, events);
    if (!isWritten(written)) await this.store.insert(reserved.user);
    return written;
  }

  private reservationOf(address: EmailAddress): User {
    if (!isEmptyObject(noProperties)) throw new TypeError('no properties are an empty object');
    return createUser({ address, properties: noProperties, password: '' }, '', this.clock.now());
  }

  /**
   * The reservation of the address of a user, if there is one. Near the end of the timeout the Fault is `timed_out`.
   */
  private async reserved({ email }: User, startedMs: number): Promise<StoredUser | undefined> {
    const holder = await this.store.find(keyOf(email.address));
    if (holder === undefined || !isReservation(holder.user)) return undefined;
    if (!this.isInTime(startedMs)) throw new Fault('timed_out', 'the use case did not start to write in time');
    return holder;
  }

  /** Reserves an absent address, or renews its reservation; false if another writer was faster. */
  private async reserve(address: EmailAddress, stored: StoredUser | undefined): Promise<boolean> {
    const key = keyOf(address);
    if (this.ending.size >= maxReservations && !this.ending.has(key))
      throw new Fault('overloaded', 'too many addresses are reserved', { retryAfterSeconds: 60 });
    const user = this.reservationOf(address);
    const written = await (stored === undefined ? this.store.insert(user) : this.store.replace(stored, user));
    if (!isWritten(written)) return false;
    this.scheduleEnd(key);
    return true;
  }

  /** A reservation that outlives the process is kept until the address is used. */
  private scheduleEnd(key: EmailKey): void {
    if (this.ending.has(key)) return;
    this.ending.add(key);
    const end = (): void => {
      this.ending.delete(key);
      this.endReservation(key).catch(() => undefined);
    };
    setTimeout(end, reservationMs).unref();
  }

  /** Removes a reservation unless it was renewed in the meantime. */
  private async endReservation(key: EmailKey): Promise<void> {
    const stored = await this.store.find(key);
    if (stored === undefined || !isReservation(stored.user)) return;
    if (this.clock.now() - stored.user.creationTime >= reservationMs) await this.store.remove(stored);
    else this.scheduleEnd(key);
  }
}
