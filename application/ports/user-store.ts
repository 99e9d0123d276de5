import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { AttemptCounter, AttemptLimits } from './attempt-counter.ts';
import type { EventOutbox, QueuedEvent } from './event-outbox.ts';
import type { Listing, UserPage } from './user-listing.ts';

/** A user as read, with the version that a change must name. The version is the store's own: unique for each write. */
export interface StoredUser {
  readonly user: User;
  readonly version: string;
}

/**
 * Where users are kept, each under the key of its address.
 * Every method throws a Fault: `store_unavailable` when the store can't be reached, is too slow or may not have
 * applied the write; `store_rejected` when it refuses for another reason. A write that resolves is durable.
 *
 * `events` are to be written in one atomic step with the change, and not at all when it is not made. They are given
 * where the store has a queue of events, and events are configured; undefined otherwise.
 */
export abstract class UserStore {
  /** The user of a key, never an older state than the last acknowledged write. */
  abstract find(key: EmailKey): Promise<StoredUser | undefined>;

  /** Adds a user. `taken` when the key of its address has one: the store decides, not a check before. */
  abstract insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'>;

  /**
   * Replaces a user, also under a new address, in one atomic step.
   * `stale` when the stored version is another by now, or gone; `taken` when the new address belongs to someone else.
   */
  abstract replace(
    previous: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<'replaced' | 'stale' | 'taken'>;

  /** Removes a user. `stale` when the stored version is another by now, or gone. */
  abstract remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'>;

  /** Resolves with a line for operators when the store serves reads and writes; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  abstract close(): Promise<void>;

  /**
   * A page of the users, for administration and export; a store may do without it. Whoever goes from page to page meets
   * everyone who keeps an address meanwhile exactly once, whatever is created, changed and removed in between.
   */
  list?(listing: Listing): Promise<UserPage>;

  /**
   * The queue of the events that were written with changes; a store without this method can't keep any. It is asked for
   * once, when the service starts, and before any event is written.
   */
  events?(): EventOutbox;

  /**
   * Opens the counts of wrong passwords beside the users, for every instance that uses the same database; a store may
   * do without it, and each process counts in its memory then. Rejects as the opening of a store does.
   */
  failedAttempts?(limits: AttemptLimits): Promise<AttemptCounter>;
}

/** A store that can list its users. */
export type ListingStore = UserStore & Required<Pick<UserStore, 'list'>>;

/** Whether a store can list its users. */
export const lists = (store: UserStore): store is ListingStore => typeof store.list === 'function';
