import { everyUser, type UserFilter } from '../../../../application/ports/user-listing.ts';
import type { OrderedListing, OrderedPosition, UserSearch } from '../../../../application/ports/user-search.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';

/** A mistake in a search: the title of the test that finds it, and the methods with it. */
export type SearchMistake = readonly [
  foundBy: string,
  mistake: (search: UserSearch) => Partial<Pick<UserSearch, 'sorted' | 'count'>>,
];

const keyOfUser = ({ email }: User): string => keyOf(email.address);

/** Sorts with another listing than the one that is asked for. */
const sortedAs =
  (alter: (listing: OrderedListing) => OrderedListing): SearchMistake[1] =>
  (search) => ({ sorted: (listing) => search.sorted(alter(listing)) });

const countedAs =
  (alter: (filter: Omit<UserFilter, 'property'>) => Omit<UserFilter, 'property'>): SearchMistake[1] =>
  (search) => ({ count: (filter, most) => search.count(alter(filter), most) });

/** Sorts all users who match in another way, with positions that are compared with `comesAfter`. */
const inOrder =
  (
    compare: (one: OrderedPosition, other: OrderedPosition, listing: OrderedListing) => number,
    comesAfter = compare,
  ): SearchMistake[1] =>
  (search) => ({
    sorted: async (listing) => {
      const { users } = await search.sorted({ ...listing, after: undefined, limit: 1_000 });
      const { by } = listing.order;
      const all = users
        .map((user) => ({ user, position: { time: user[by], key: keyOfUser(user) } }))
        .sort((one, other) => compare(one.position, other.position, listing));
      const { after } = listing;
      const left = after === undefined ? all : all.filter(({ position }) => comesAfter(position, after, listing) > 0);
      const page = left.slice(0, listing.limit);
      return {
        users: page.map(({ user }) => user),
        next: left.length > page.length ? page.at(-1)?.position : undefined,
      };
    },
  });

const sign = ({ order }: OrderedListing): number => (order.isDescending ? -1 : 1);
const byTime = (one: OrderedPosition, other: OrderedPosition, listing: OrderedListing): number =>
  sign(listing) * (one.time - other.time);
const byKey = (one: OrderedPosition, other: OrderedPosition): number =>
  one.key < other.key ? -1 : Number(one.key > other.key);

const ofPages = 'sorts users by creationTime, last ones first';
const ofFilter = 'sorts and counts the users of a filter';

export const searchMistakes: Readonly<Record<string, SearchMistake>> = {
  'the order of addresses': [ofPages, inOrder(byKey)],
  'the same order in both directions': [
    ofPages,
    sortedAs((listing) => ({ ...listing, order: { ...listing.order, isDescending: false } })),
  ],
  'the creation in place of the last change': [
    'sorts users by lastUpdateTime, first ones first',
    sortedAs((listing) => ({ ...listing, order: { ...listing.order, by: 'creationTime' } })),
  ],
  'a time as the position, which several users share': [
    ofPages,
    inOrder((one, other, listing) => byTime(one, other, listing) || sign(listing) * byKey(one, other), byTime),
  ],
  'users of one time in ascending order, and positions in descending order': [
    ofPages,
    inOrder(
      (one, other, listing) => byTime(one, other, listing) || byKey(one, other),
      (one, other, listing) => byTime(one, other, listing) || sign(listing) * byKey(one, other),
    ),
  ],
  'a page that starts with the end of the former one': [
    ofPages,
    (search) => ({
      sorted: async (listing) => {
        const { after } = listing;
        if (after === undefined) return search.sorted(listing);
        return search.sorted({
          ...listing,
          after: { ...after, time: after.time + (listing.order.isDescending ? 1 : -1) },
        });
      },
    }),
  ],
  'more users than the limit': [ofPages, sortedAs((listing) => ({ ...listing, limit: listing.limit + 1 }))],
  'a position that was removed as the end': [
    'lists every user who stays once',
    (search) => ({
      sorted: async (listing) => {
        const { after } = listing;
        const { users } = await search.sorted({ ...listing, after: undefined, limit: 1_000 });
        const isThere = after === undefined || users.some((user) => keyOfUser(user) === after.key);
        return isThere ? search.sorted(listing) : { users: [], next: undefined };
      },
    }),
  ],
  'the number of listed users as the position': [
    'lists every user who stays once',
    (search) => {
      let seen = 0;
      return {
        sorted: async (listing) => {
          const start = listing.after === undefined ? 0 : seen;
          const { users } = await search.sorted({ ...listing, after: undefined, limit: 1_000 });
          const page = users.slice(start, start + listing.limit);
          seen = start + page.length;
          return { users: page, next: seen < users.length ? { time: 1, key: 'seen' } : undefined };
        },
      };
    },
  ],
  'sorted users who do not meet the conditions': [ofFilter, sortedAs((listing) => ({ ...listing, conditions: [] }))],
  'sorted users with any address': [ofFilter, sortedAs((listing) => ({ ...listing, addressContains: '' }))],
  'sorted users whose address begins otherwise': [ofFilter, sortedAs((listing) => ({ ...listing, address: '' }))],
  'the users without the property': [
    ofFilter,
    (search) => ({
      sorted: async (listing) =>
        listing.property === undefined ? search.sorted(listing) : { users: [], next: undefined },
    }),
  ],
  'a count of all users': [ofFilter, countedAs(() => everyUser)],
  'a count without the conditions': [ofFilter, countedAs((filter) => ({ ...filter, conditions: [] }))],
  'a count without the part of the address': [ofFilter, countedAs((filter) => ({ ...filter, addressContains: '' }))],
  'a count without an end': ['counts up to a number', (search) => ({ count: (filter) => search.count(filter, 1_000) })],
  'a count that ends early': [
    'counts up to a number',
    (search) => ({ count: (filter, most) => search.count(filter, most - 1) }),
  ],
  'a count of reservations': [
    'leaves out what only reserves an address',
    (search) => ({ count: async (filter, most) => (await search.count(filter, most)) + 1 }),
  ],
};
