import type { EmailKey } from '../../domain/email-address.ts';
import { isReservation } from '../../domain/reservation.ts';
import type { User } from '../../domain/user.ts';
import type { OpenAttemptCounter } from './attempt-counter.ts';
import type { EventOutbox, QueuedEvent } from './event-outbox.ts';
import type { UserListing } from './user-listing.ts';
import type { UserSearch } from './user-search.ts';

/** A user as stored, with the version on which a change is conditional. */
export interface StoredUser {
  readonly user: User;
  /**
   * Each write makes a new one, also of the very same user, and no write makes one that was used before. Callers get
   * that of the last change they see as an entity tag (domain/entity-tag.ts), so that it consists of visible ASCII
   * characters other than the double quote (RFC 9110, section 8.8.3).
   */
  readonly version: string;
}

/** What callers see of what is stored for an address: undefined for a reservation. */
export const visible = (stored: StoredUser | undefined): StoredUser | undefined =>
  stored === undefined || isReservation(stored.user) ? undefined : stored;

/**
 * Stores users, each under the key of its address. A write that resolves is durable.
 * Every method throws a Fault: `store_unavailable` when the store can't be reached, is too slow or may not have
 * applied the write; `store_rejected` when it refuses for another reason.
 *
 * `events` are written in one atomic step with the change, and not at all when the change is not made. They are
 * undefined where no events are configured, and where the store has no outbox. An event whose id is stored already is never
 * `taken` or `stale`.
 */
export abstract class UserStore {
  /** The user of a key, including every write that was acknowledged before. */
  abstract find(key: EmailKey): Promise<StoredUser | undefined>;

  /** Adds a user. `taken` if the key of its address is in use: the store decides, not a check before. */
  abstract insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'>;

  /**
   * Replaces a user, also under a new address, in one atomic step. Resolves with `next` and its version; `stale` if the
   * stored version has changed or is gone; `taken` if the new address belongs to another user.
   */
  abstract replace(
    previous: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<StoredUser | 'stale' | 'taken'>;

  /** Removes a user. `stale` if the stored version has changed or is gone. */
  abstract remove(previous: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'>;

  /** Resolves with a line for operators when the store serves reads and writes; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  /** Closes the store and every other port that was opened with it, attempt counters excepted. */
  abstract close(): Promise<void>;
}

/** The ports of an opened store. What it does not support is absent. */
export interface StorePorts {
  readonly users: UserStore;
  /** Without it the administration and the export list no users. */
  readonly listing?: UserListing;
  /** Without it the administration neither sorts nor counts users. */
  readonly search?: UserSearch;
  /** Without it webhooks can't be configured. */
  readonly events?: EventOutbox;
  /** Without it each process counts wrong passwords in its own memory. */
  readonly attempts?: OpenAttemptCounter;
}
