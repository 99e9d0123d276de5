import { type EmailKey, keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { UserKey, UserName } from '../../domain/user-name.ts';
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
  /** The names with which the user was last written; absent without any. */
  readonly names?: readonly UserName[];
}

/** A user as stored, without the member `names` if there are none. */
export const asStored = (user: User, version: string, names: readonly UserName[] = []): StoredUser =>
  names.length === 0 ? { user, version } : { user, version, names };

/** The keys by which a user can be found, under each of which wrong passwords may be counted. */
export const keysOf = ({ user, names = [] }: StoredUser): readonly UserKey[] => [keyOf(user.email.address), ...names];

/** A key that is kept free: no user has it, and no write takes it that does not know this version of the reservation. */
export interface Reservation {
  readonly key: UserKey;
  readonly version: string;
}

/**
 * How long a key stays reserved at least, in milliseconds. A write that was sent before the reservation must have arrived by
 * then, or never arrive: Linux repeats unacknowledged data for about 15 minutes (tcp_retries2 in tcp(7)).
 */
export const reservationMs = 15 * 60_000;

/** That a key is in use. */
export interface Taken {
  readonly taken: UserKey;
  /** Present if the key is only reserved; absent if a user has it. */
  readonly reservation?: Reservation;
}

/** Whether a write was refused because a key is in use. */
export const isTaken = (outcome: object | string): outcome is Taken =>
  typeof outcome === 'object' && 'taken' in outcome;

/** What a write stores in one atomic step with the user, and not at all when the user is not written. */
export interface WriteOptions {
  /** All names of the user; those that it had before and are not among them become free. None by default. */
  readonly names?: readonly UserName[];
  /** Undefined where nothing is stored with the user; always where the store has no outbox. */
  readonly events?: readonly QueuedEvent[] | undefined;
  /** Reservations that the write ends, if it needs their keys and they still have these versions. */
  readonly reservations?: readonly Reservation[];
}

/**
 * Stores users, each under the key of its address. A write that resolves is durable.
 * Every method throws a Fault: `store_unavailable` when the store can't be reached, is too slow or may not have
 * applied the write; `store_rejected` when it refuses for another reason.
 *
 * An event whose id is stored already never makes a write `stale`, or a key taken. If several keys are in use, a write
 * names that of the address.
 */
export abstract class UserStore {
  /** The user of a key, including every write that was acknowledged before; undefined also if it is reserved. */
  abstract find(key: EmailKey): Promise<StoredUser | undefined>;

  /** Adds a user, unless the key of its address or one of its names is in use: the store decides, not a check before. */
  abstract insert(user: User, options?: WriteOptions): Promise<StoredUser | Taken>;

  /**
   * Replaces a user, also under a new address and with other names, in one atomic step. Resolves with `next` and its
   * version; `stale` if the stored version has changed or is gone.
   */
  abstract replace(previous: StoredUser, next: User, options?: WriteOptions): Promise<StoredUser | 'stale' | Taken>;

  /** Removes a user, and frees its names. `stale` if the stored version has changed or is gone. */
  abstract remove(previous: StoredUser, options?: Pick<WriteOptions, 'events'>): Promise<'removed' | 'stale'>;

  /**
   * Reserves a key that no user has, or renews its reservation, which then has another version: no write that began
   * before takes it any more. The reservation ends with a write that knows it, or by itself after at least
   * `reservationMs`. `taken` if a user has the key. Names are reserved only in a store with the port UserNames.
   */
  abstract reserve(key: UserKey): Promise<Reservation | 'taken'>;

  /** Resolves with a line for operators when the store serves reads and writes; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  /** Closes the store and every other port that was opened with it, attempt counters excepted. */
  abstract close(): Promise<void>;
}

/** Finds users by the names with which UserStore writes them. */
export abstract class UserNames {
  /** The user of a name, including every write that was acknowledged before. Throws a Fault, as UserStore does. */
  abstract find(name: UserName): Promise<StoredUser | undefined>;
}

/** The ports of an opened store. What it does not support is absent. */
export interface StorePorts {
  readonly users: UserStore;
  /** Without it users can have neither ids nor unique properties, and every write is without names. */
  readonly names?: UserNames;
  /** Without it the administration and the export list no users. */
  readonly listing?: UserListing;
  /** Without it the administration neither sorts nor counts users. */
  readonly search?: UserSearch;
  /** Without it webhooks can't be configured. */
  readonly events?: EventOutbox;
  /** Without it each process counts wrong passwords in its own memory. */
  readonly attempts?: OpenAttemptCounter;
}
