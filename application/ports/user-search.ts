import type { UserField } from '../../domain/user-fields.ts';
import type { UserFilter, UserPage } from './user-listing.ts';

/** The order of users by a time, and by their keys where that is the same; both ascending, or both descending. */
export interface UserOrder {
  readonly by: Extract<UserField['name'], 'creationTime' | 'lastUpdateTime'>;
  readonly isDescending: boolean;
}

/** The place of a user in an order. */
export interface OrderedPosition {
  readonly time: number;
  /** The key of the address. */
  readonly key: string;
}

/** Which users to list in an order. */
export interface OrderedListing extends UserFilter {
  readonly order: UserOrder;
  /** The maximum number of users on the page. */
  readonly limit: number;
  /** The `next` of the previous page of the same order; undefined for the first page. */
  readonly after: OrderedPosition | undefined;
}

/**
 * Sorts and counts the users of a store, for administrators. It examines all users for each call and is a port of its own
 * because not every store can do that. What only reserves an address, with an empty password, is left out.
 */
export abstract class UserSearch {
  /**
   * A page of users in an order. Every user who keeps address and time while all pages are read is in exactly one of them.
   * Throws a Fault, as the methods of UserStore do.
   */
  abstract sorted(listing: OrderedListing): Promise<UserPage<OrderedPosition>>;

  /** How many users match; `most` if there are more. Throws a Fault. */
  abstract count(filter: Omit<UserFilter, 'property'>, most: number): Promise<number>;
}
