import type { User } from '../../domain/user.ts';

/** Which users to list, and from where on. */
export interface Listing {
  /** How many at most. */
  readonly limit: number;
  /** Where the page before ended: its `next`. Undefined begins. */
  readonly after: string | undefined;
  /** What the keys of the addresses begin with, folded as keys are; empty for every address. */
  readonly address: string;
  /** Undefined lists both. */
  readonly verified: boolean | undefined;
}

/**
 * A page of users. It may hold fewer than were asked for, and even none, while there are more: a look takes a bounded
 * time, however few users fit.
 */
export interface UserPage {
  readonly users: readonly User[];
  /** Where the page ends, in the store's own words, not empty; undefined when nobody comes after it. */
  readonly next: string | undefined;
}

/**
 * Lists the users of a store, for administration and export. Who goes from page to page gets every user who keeps an
 * address meanwhile exactly once, whatever is created, changed and removed in between.
 */
export abstract class UserListing {
  /** Throws a Fault, as the methods of UserStore do. */
  abstract list(listing: Listing): Promise<UserPage>;
}

/** A part of the keys in their order. */
export interface KeyRange {
  /** The first key that may be in it. */
  readonly from: string;
  /** The first key beyond it. */
  readonly to: string;
  /** The key that the page before ended with, which is not in it; empty when there is none. */
  readonly except: string;
}

// No address holds it, and it comes after every other character.
const beyondEveryKey = '\u{10ffff}';

/** The keys that a listing is about where they are in the order of their characters, and a page ends with its last key. */
export const keyRange = ({ after = '', address }: Listing): KeyRange => ({
  from: after.startsWith(address) ? after : address,
  to: address + beyondEveryKey,
  except: after,
});

/** How many users a store looks at for one page where only some of them fit. */
export const mostExamined = 1_000;

/** From how many characters of custom properties on a page takes no further user: users may be large. */
const largestPage = 1_048_576;

/** The page made of users in their order, each with its key: ends at the limit, or when it is large; `end` as `next` otherwise. */
export const pageOf = (
  found: Iterable<readonly [key: string, user: User]>,
  limit: number,
  end: string | undefined,
): UserPage => {
  const users: User[] = [];
  let characters = 0;
  let next = end;
  for (const [key, user] of found) {
    if (users.length === limit || characters > largestPage) return { users, next };
    users.push(user);
    characters += user.properties.length;
    next = key;
  }
  return { users, next: end };
};
