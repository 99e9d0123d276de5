import { randomUUID } from 'node:crypto';
import {
  keyRange,
  type Listing,
  pageOf,
  type UserFilter,
  type UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import type { OrderedListing, OrderedPosition, UserSearch } from '../../../application/ports/user-search.ts';
import {
  asStored,
  type Reservation,
  reservationMs,
  type StoredUser,
  type StorePorts,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { isUserName, type UserKey, type UserName } from '../../../domain/user-name.ts';
import { defineAdapter } from '../../kit/definition.ts';
import { block } from '../../kit/option-block.ts';
import { inMemoryAttempts } from '../rate-limited-attempts.ts';
import { comparison, matches, positionIn } from './matching-users.ts';
import { MemoryEventOutbox } from './memory-event-outbox.ts';

/** Users in memory. Each method runs in one step of the event loop, so that concurrent calls do not interfere. */
export class MemoryUserStore extends UserStore implements UserListing, UserSearch {
  private readonly users = new Map<EmailKey, StoredUser>();
  /** The addresses of users by their names. */
  private readonly holders = new Map<UserName, EmailKey>();
  private readonly reservations = new Map<UserKey, Reservation>();
  private readonly outbox = new MemoryEventOutbox();

  readonly ports: StorePorts = {
    users: this,
    names: { find: (name) => this.findNamed(name) },
    listing: this,
    search: this,
    events: this.outbox,
    attempts: async (limits) => inMemoryAttempts(limits),
  };

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.users.get(key);
  }

  /** The user of a name. */
  async findNamed(name: UserName): Promise<StoredUser | undefined> {
    const key = this.holders.get(name);
    return key && this.users.get(key);
  }

  async insert(user: User, options: WriteOptions = {}): Promise<StoredUser | Taken> {
    return this.takenBy(user, options, undefined) ?? this.put(user, options);
  }

  async replace(previous: StoredUser, next: User, options: WriteOptions = {}): Promise<StoredUser | 'stale' | Taken> {
    const from = keyOf(previous.user.email.address);
    if (this.users.get(from)?.version !== previous.version) return 'stale';
    const taken = this.takenBy(next, options, from);
    if (taken !== undefined) return taken;
    this.free(previous);
    return this.put(next, options);
  }

  async remove(previous: StoredUser, { events }: Pick<WriteOptions, 'events'> = {}): Promise<'removed' | 'stale'> {
    if (this.users.get(keyOf(previous.user.email.address))?.version !== previous.version) return 'stale';
    this.free(previous);
    this.outbox.append(events);
    return 'removed';
  }

  async reserve(key: UserKey): Promise<Reservation | 'taken'> {
    if (this.holderOf(key) !== undefined) return 'taken';
    const reservation = { key, version: randomUUID() };
    this.reservations.set(key, reservation);
    // A call of this process cannot be late by more, so that nothing else ends it.
    setTimeout(() => {
      if (this.reservations.get(key) === reservation) this.reservations.delete(key);
    }, reservationMs).unref();
    return reservation;
  }

  async list(listing: Listing): Promise<UserPage> {
    const { from, except } = keyRange(listing);
    const found = this.matching(listing)
      .filter(([key]) => key >= from && key !== except)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return pageOf(found, listing.limit, undefined);
  }

  async sorted({ order, after, limit, ...filter }: OrderedListing): Promise<UserPage<OrderedPosition>> {
    const compare = comparison(order);
    const found = this.matching(filter)
      .map(([key, user]) => [positionIn(order, key, user), user] as const)
      .filter(([position]) => after === undefined || compare(position, after) > 0)
      .sort(([one], [other]) => compare(one, other));
    return pageOf(found, limit, undefined);
  }

  async count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number> {
    const found = this.matching({ ...filter, property: undefined });
    return Math.min(found.length, most);
  }

  async check(): Promise<string> {
    return 'users are kept in memory, and are gone with the process';
  }

  async close(): Promise<void> {
    this.users.clear();
    this.holders.clear();
    this.reservations.clear();
  }

  private matching(filter: UserFilter): (readonly [EmailKey, User])[] {
    return [...this.users].flatMap(([key, { user }]) => (matches(key, user, filter) ? [[key, user] as const] : []));
  }

  private holderOf(key: UserKey): EmailKey | undefined {
    if (isUserName(key)) return this.holders.get(key);
    return this.users.has(key) ? key : undefined;
  }

  /** The first key of a user that is in use; undefined if it may be written. `own` is its present address. */
  private takenBy(user: User, { names = [], reservations = [] }: WriteOptions, own?: EmailKey): Taken | undefined {
    for (const key of [keyOf(user.email.address), ...names]) {
      const holder = this.holderOf(key);
      if (holder !== undefined && holder !== own) return { taken: key };
      const reservation = this.reservations.get(key);
      if (reservation !== undefined && !reservations.some(({ version }) => version === reservation.version))
        return { taken: key, reservation };
    }
    return undefined;
  }

  private free({ user, names = [] }: StoredUser): void {
    this.users.delete(keyOf(user.email.address));
    for (const name of names) this.holders.delete(name);
  }

  private put(user: User, { names = [], events }: WriteOptions): StoredUser {
    const key = keyOf(user.email.address);
    const stored = asStored(user, randomUUID(), names);
    this.users.set(key, stored);
    for (const name of names) this.holders.set(name, key);
    for (const taken of [key, ...names]) this.reservations.delete(taken);
    this.outbox.append(events);
    return stored;
  }
}

/** Users in the memory of the process, for tests of other systems and for trying out the service. */
export const memory = defineAdapter({
  type: 'memory',
  configuration: block({}),
  open: async (): Promise<StorePorts> => new MemoryUserStore().ports,
});
