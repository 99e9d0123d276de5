import { EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import { createUser, isReservation, type User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { StoredUser, UserStore } from '../ports/user-store.ts';

/** How long an address stays reserved: longer than a request that was sent can be under way (tcp_retries2, tcp(7)). */
const reservationMs = 15 * 60_000;

const maxAttempts = 6;
const retryDelayMs = 20;

/** The share of the operation timeout in which writes begin: the timeout started a little before the use case. */
const writingShare = 0.9;

const isEmptyObject = (text: string): text is User['properties'] => text === '{}';
const noProperties = '{}';

/**
 * Decides earlier writes whose replies were lost. Every write is conditional: on the version that was read,
 * or on the absence of the address. So a write can no longer be applied once the version has changed, or once the address
 * is reserved. A reservation is a stored user with an empty password, which use cases take for an absent user.
 */
export class Reservations {
  /** `timeoutMs` is that of a whole operation. */
  constructor(
    private readonly store: UserStore,
    private readonly clock: Clock,
    private readonly timeoutMs = Number.POSITIVE_INFINITY,
  ) {}

  /**
   * Whether a use case that started at `startedMs` (`performance.now()`) may write on condition of what it reads now.
   * Later its caller got 503, and a settled read may have answered.
   */
  isInTime(startedMs: number): boolean {
    return performance.now() < startedMs + this.timeoutMs * writingShare;
  }

  /**
   * The user of a key, after which no write of it that began earlier, in any process, is applied any more. Writes once:
   * a new version of the user, or a reservation of the address for 15 minutes. Throws a Fault if other writers kept
   * changing the user.
   */
  async findSettled(key: EmailKey): Promise<User | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      const stored = await this.store.find(key);
      const reserves = stored === undefined || isReservation(stored.user);
      const settled = reserves ? this.reservationOf(key) : stored.user;
      const outcome = await (stored === undefined ? this.store.insert(settled) : this.store.replace(stored, settled));
      if (outcome !== 'inserted' && outcome !== 'replaced') continue;
      if (!reserves) return settled;
      // A reservation that outlives the process is kept until the address is used.
      setTimeout(() => this.endReservation(key).catch(() => undefined), reservationMs).unref();
      return undefined;
    }
    throw new Fault('store_unavailable', 'other writers kept changing the user');
  }

  /** Puts a new user, whose address the store reports as taken, in the place of a reservation, if that holds the address. */
  async insert(
    user: User,
    events: readonly QueuedEvent[] | undefined,
    startedMs: number,
  ): Promise<'inserted' | 'taken'> {
    const reserved = await this.reserved(user, startedMs);
    if (reserved === undefined) return 'taken';
    return (await this.store.replace(reserved, user, events)) === 'replaced' ? 'inserted' : 'taken';
  }

  /** Repeats the change of a user, whose new address the store reports as taken, if a reservation held the address. */
  async replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] | undefined,
    startedMs: number,
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const reserved = await this.reserved(next, startedMs);
    if (reserved === undefined || (await this.store.remove(reserved)) === 'stale') return 'taken';
    return this.store.replace(previous, next, events);
  }

  private reservationOf(key: EmailKey): User {
    if (!EmailAddress.is(key)) throw new TypeError('the key of an address is an address');
    if (!isEmptyObject(noProperties)) throw new TypeError('no properties are an empty object');
    return createUser({ address: key, properties: noProperties, password: '' }, '', this.clock.now());
  }

  /** The reservation of the address of a user, unless the use case started too long ago. */
  private async reserved({ email }: User, startedMs: number): Promise<StoredUser | undefined> {
    const holder = await this.store.find(keyOf(email.address));
    const reserves = holder !== undefined && isReservation(holder.user);
    return reserves && this.isInTime(startedMs) ? holder : undefined;
  }

  /** Removes a reservation unless another call renewed it. */
  private async endReservation(key: EmailKey): Promise<void> {
    const stored = await this.store.find(key);
    if (stored === undefined || !isReservation(stored.user)) return;
    if (this.clock.now() - stored.user.creationTime >= reservationMs) await this.store.remove(stored);
  }
}
