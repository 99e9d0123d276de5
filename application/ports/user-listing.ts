import { propertyOf, type User } from '../../domain/user.ts';
import type { UserField } from '../../domain/user-fields.ts';
import { Fault } from '../fault.ts';

/**
 * A condition on a stored field: a flag, whether it has a value, or a time that is later or absent, or earlier or absent.
 * The last one is also met where the field `unless` has a value.
 */
export type FieldCondition = { readonly field: UserField['name'] } & (
  | { readonly test: 'equals'; readonly value: boolean }
  | { readonly test: 'exists' }
  | { readonly test: 'absentOrAfter'; readonly value: number }
  | { readonly test: 'absentOrBefore'; readonly value: number; readonly unless?: UserField['name'] }
);

/** A custom property, and a value that is compared with it: a text, or a number or boolean as it is written. */
export interface PropertyValue {
  readonly name: string;
  readonly value: string;
}

/** Which users are meant: those who meet everything in it. */
export interface UserFilter {
  /** A prefix of the keys of the addresses; empty for all. */
  readonly address: string;
  /** A part of the keys of the addresses; empty for all. */
  readonly addressContains: string;
  readonly conditions: readonly FieldCondition[];
  /** Users for whom `hasProperty` is true. A store may list further ones, whom its callers leave out. */
  readonly property: PropertyValue | undefined;
}

export const everyUser: UserFilter = { address: '', addressContains: '', conditions: [], property: undefined };

/** Which users to list. */
export interface Listing extends UserFilter {
  /** The maximum number of users on the page. */
  readonly limit: number;
  /** The `next` of the previous page; undefined for the first page. */
  readonly after: string | undefined;
}

/** A page of users. It may be short, and even empty, while there are more: reading it takes a bounded time. */
export interface UserPage<Position = string> {
  readonly users: readonly User[];
  /** The records between them that cannot be read, each as the Fault that names it; absent if there are none. */
  readonly unreadable?: readonly Fault[];
  /**
   * Where the page ends in its order; undefined on the last page. A text is opaque, not empty, and at most 768 bytes of
   * UTF-8, because links contain it.
   */
  readonly next: Position | undefined;
}

/**
 * Lists the users of a store, for administration and export. All pages together contain every user who keeps an address
 * meanwhile exactly once, whatever is created, changed and removed in between.
 */
export abstract class UserListing {
  /** Throws a Fault, as the methods of UserStore do. */
  abstract list(listing: Listing): Promise<UserPage>;
}

const numberAsJson = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What a searched value can be besides a text. */
export const typeOfValue = ({ value }: PropertyValue): 'number' | 'boolean' | undefined => {
  if (numberAsJson.test(value)) return 'number';
  return value === 'true' || value === 'false' ? 'boolean' : undefined;
};

/** Whether a user has a custom property with a value: the same text, an equal number, or the same boolean. */
export const hasProperty = (user: Pick<User, 'properties'>, property: PropertyValue): boolean => {
  const { name, value } = property;
  const stored = propertyOf(user, name);
  if (typeof stored === 'number') return typeOfValue(property) === 'number' && Number(value) === stored;
  return typeof stored === 'boolean' ? value === String(stored) : value === stored;
};

/** Begins what JSON escapes, as it may any character. */
export const escapeCharacter = '\\';

/**
 * The texts that the JSON of the custom properties contains if `hasProperty` is true, unless it has the escape character.
 * For a store that searches texts.
 */
export const propertyTexts = (property: PropertyValue): readonly string[] => {
  const { name, value } = property;
  return (typeOfValue(property) === undefined ? [name, value] : [name]).map((text) => JSON.stringify(text));
};

/** A range of keys. */
export interface KeyRange {
  readonly from: string;
  /** The first key after the range. */
  readonly to: string;
  /** The last key of the previous page, which is not in the range; empty for none. */
  readonly except: string;
}

// No address contains it, and it sorts after every other character.
const maxCharacter = '\u{10ffff}';

/** The keys of a page, for a store that sorts by key and whose `next` is the last key of a page. */
export const keyRange = ({ after = '', address }: Pick<Listing, 'after' | 'address'>): KeyRange => ({
  from: after.startsWith(address) ? after : address,
  to: address + maxCharacter,
  except: after,
});

/** How many users a store examines for one page if only some of them match. */
export const maxExaminedUsers = 1_000;

/** A page takes no further user once its custom properties have so many characters: users may be large. */
export const maxPageCharacters = 1_048_576;

/** The longest key of an address, in characters. */
const maxKeyLength = 254;

/**
 * The position after a key, for a store that sorts by key. That of a damaged record can be too long for a cursor; no valid
 * key sorts between it and the position.
 */
export const positionAfter = (key: string): string =>
  key.length <= maxKeyLength ? key : key.slice(0, maxKeyLength) + maxCharacter;

/**
 * A page of sorted users, or of the Faults that say why a record cannot be read, or undefined for none, each with the
 * position of the next page if this one ends there: at the limit or at its maximum size. Otherwise its `next` is `end`.
 */
export const pageOf = <Position = string>(
  found: Iterable<readonly [position: Position, user: User | Fault | undefined]>,
  limit: number,
  end: Position | undefined,
): UserPage<Position> => {
  const users: User[] = [];
  const faults: Fault[] = [];
  const page = (next: Position | undefined): UserPage<Position> => ({
    users,
    ...(faults.length > 0 && { unreadable: faults }),
    next,
  });
  let characters = 0;
  let next = end;
  for (const [position, user] of found) {
    if (users.length + faults.length === limit || characters > maxPageCharacters) return page(next);
    if (user instanceof Fault) faults.push(user);
    else if (user !== undefined) {
      users.push(user);
      characters += user.properties.length;
    }
    next = position;
  }
  return page(end);
};
