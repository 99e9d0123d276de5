import type { EmailKey } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { Listing, UserPage } from './listing.ts';

/** A user as read, with the version that a change must name. The version is the store's own: unique for each write. */
export interface StoredUser {
  readonly user: User;
  readonly version: string;
}

/**
 * Where users are kept, each under the key of its address.
 * Every method throws a Fault: `store_unavailable` when the store can't be reached, is too slow or may not have
 * applied the write; `store_rejected` when it refuses for another reason. A write that resolves is durable.
 */
export abstract class UserStore {
  /** The user of a key, never an older state than the last acknowledged write. */
  abstract find(key: EmailKey): Promise<StoredUser | undefined>;

  /** Adds a user. `taken` when the key of its address has one: the store decides, not a check before. */
  abstract insert(user: User): Promise<'inserted' | 'taken'>;

  /**
   * Replaces a user, also under a new address, in one atomic step.
   * `stale` when the stored version is another by now, or gone; `taken` when the new address belongs to someone else.
   */
  abstract replace(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'>;

  /** Removes a user. `stale` when the stored version is another by now, or gone. */
  abstract remove(previous: StoredUser): Promise<'removed' | 'stale'>;

  /** Resolves with a line for operators when the store serves reads and writes; throws a Fault otherwise. */
  abstract check(): Promise<string>;

  abstract close(): Promise<void>;

  /**
   * A page of the users, for administration and export; a store may do without it. Whoever goes from page to page meets
   * everyone who keeps an address meanwhile exactly once, whatever is created, changed and removed in between.
   */
  list?(listing: Listing): Promise<UserPage>;
}

/** A store that can list its users. */
export type ListingStore = UserStore & Required<Pick<UserStore, 'list'>>;

/** Whether a store can list its users. */
export const lists = (store: UserStore): store is ListingStore => typeof store.list === 'function';
