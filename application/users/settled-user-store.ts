import { EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
import { isReservation, reservation, type User } from '../../domain/user.ts';
import { Fault } from '../fault.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import { type StoredUser, UserStore } from '../ports/user-store.ts';

/** How long an address stays reserved: longer than a request that was sent can be under way (tcp_retries2, tcp(7)). */
const reservationMs = 15 * 60_000;

const maxAttempts = 6;
const retryDelayMs = 20;

/** The share of the operation timeout in which writes begin: the timeout started a little before the use case. */
const writingShare = 0.9;

/**
 * Until when a use case that starts now may write on condition of what it reads (`performance.now()`). Later its caller
 * got 503, and a settled read may have answered.
 */
export const lastWriteTime = (timeoutMs: number): number => performance.now() + timeoutMs * writingShare;

/**
 * A store of users that can also settle the fate of earlier writes, whose replies were lost. Every write is conditional:
 * on the version that was read, or on the absence of the address. So a write can no longer be applied once the version
 * has changed, or once the address is reserved. A reservation is a stored user with an empty password, which only this
 * class sees.
 */
export class SettledUserStore extends UserStore {
  constructor(
    private readonly store: UserStore,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const stored = await this.store.find(key);
    return stored === undefined || isReservation(stored.user) ? undefined : stored;
  }

  /**
   * The user of a key, after which no write of it that began earlier, in any process, is applied any more. Writes once:
   * a new version of the user, or a reservation of the address for 15 minutes.
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

  /** Replaces a reservation until `lastWriteMs`; afterwards it may be the answer to this very insert. */
  async insert(
    user: User,
    events?: readonly QueuedEvent[],
    lastWriteMs = Number.POSITIVE_INFINITY,
  ): Promise<'inserted' | 'taken'> {
    const outcome = await this.store.insert(user, events);
    const reserved = outcome === 'taken' ? await this.reserved(user, lastWriteMs) : undefined;
    if (reserved === undefined) return outcome;
    return (await this.store.replace(reserved, user, events)) === 'replaced' ? 'inserted' : 'taken';
  }

  /** Removes a reservation of the new address until `lastWriteMs`. */
  async replace(
    previous: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
    lastWriteMs = Number.POSITIVE_INFINITY,
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const outcome = await this.store.replace(previous, next, events);
    const reserved = outcome === 'taken' ? await this.reserved(next, lastWriteMs) : undefined;
    if (reserved === undefined || (await this.store.remove(reserved)) === 'stale') return outcome;
    return this.store.replace(previous, next, events);
  }

  remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    return this.store.remove(previous, events);
  }

  check(): Promise<string> {
    return this.store.check();
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private reservationOf(key: EmailKey): User {
    if (!EmailAddress.is(key)) throw new TypeError('the key of an address is an address');
    return reservation(key, this.clock.now());
  }

  /** The reservation of the address of a user, if it was made before `lastWriteMs`. */
  private async reserved({ email }: User, lastWriteMs: number): Promise<StoredUser | undefined> {
    const holder = await this.store.find(keyOf(email.address));
    const reserves = holder !== undefined && isReservation(holder.user);
    return reserves && performance.now() < lastWriteMs ? holder : undefined;
  }

  /** Removes a reservation unless another call renewed it. */
  private async endReservation(key: EmailKey): Promise<void> {
    const stored = await this.store.find(key);
    if (stored === undefined || !isReservation(stored.user)) return;
    if (this.clock.now() - stored.user.creationTime >= reservationMs) await this.store.remove(stored);
  }
}
