import { assembleUser } from '../../../../adapters/kit/user-json/stored-user.ts';
import {
  everyUser,
  type FieldCondition,
  hasProperty,
  type Listing,
  type PropertyValue,
  type UserListing,
  type UserPage,
} from '../../../../application/ports/user-listing.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { fieldOf, userFields } from '../../../../domain/user-fields.ts';
import { literally } from './altered-port.ts';

/** A mistake in a listing: the title of the test that finds it, and `list` with it. */
export type ListingMistake = readonly [foundBy: string, mistake: (users: UserListing) => UserListing['list']];

const keyOfUser = ({ email }: User): string => keyOf(email.address);
const byKey = (one: User, other: User): number => (keyOfUser(one) < keyOfUser(other) ? -1 : 1);

/** All users who match, in the order of their keys. */
const allOf = async (users: UserListing, listing: Partial<Listing>): Promise<readonly User[]> => {
  const found: User[] = [];
  for (let after: string | undefined; ; ) {
    const page = await users.list({ ...everyUser, limit: 500, ...listing, after });
    found.push(...page.users);
    if (page.next === undefined) return found.sort(byKey);
    after = page.next;
  }
};

const firstOf = (users: readonly User[], limit: number, positionOf: (user: User) => string): UserPage => {
  const page = users.slice(0, limit);
  const last = page.at(-1);
  return { users: page, next: users.length > limit && last !== undefined ? positionOf(last) : undefined };
};

/** Lists users who match in one order, and continues after a position. */
const inOrder =
  (order: (one: User, other: User) => number, positionOf: (user: User) => string, comesAfter = afterText) =>
  (users: UserListing): UserListing['list'] =>
  async ({ limit, after, ...filter }) => {
    const all = (await allOf(users, filter)).toSorted(order);
    const left = after === undefined ? all : all.filter((user) => comesAfter(positionOf(user), after));
    return firstOf(left, limit, positionOf);
  };
const afterText = (position: string, after: string): boolean => position > after;

const timeOf = ({ creationTime }: User): string => String(creationTime).padStart(16, '0');
const byTime = (one: User, other: User): number => one.creationTime - other.creationTime;

/** Lists users whose addresses and fields are compared in another way. */
const matching =
  (matches: (user: User, listing: Listing) => boolean) =>
  (users: UserListing): UserListing['list'] =>
  async (listing) => {
    const { limit, after = '' } = listing;
    const all = await allOf(users, {});
    return firstOf(
      all.filter((user) => keyOfUser(user) > after && matches(user, listing)),
      limit,
      keyOfUser,
    );
  };

const startsRight = (user: User, { address }: Listing): boolean => keyOfUser(user).startsWith(address);

const meetsAll =
  (meets: (value: unknown, condition: FieldCondition) => boolean) =>
  (user: User, listing: Listing): boolean =>
    startsRight(user, listing) &&
    listing.conditions.every((condition) => {
      const field = userFields.find(({ name }) => name === condition.field);
      return meets(field && fieldOf(user, field), condition);
    });

const meets = (value: unknown, condition: FieldCondition): boolean => {
  if (condition.test === 'equals') return value === condition.value;
  if (condition.test === 'exists') return value !== undefined;
  if (typeof value !== 'number') return true;
  return condition.test === 'absentOrAfter' ? value > condition.value : value < condition.value;
};

/** Whether a user meets all conditions, with those that another field lifts. */
const meetsAllOrUnless = (user: User, listing: Listing): boolean =>
  listing.conditions.every(
    (condition) =>
      meetsAll(meets)(user, { ...listing, conditions: [condition] }) ||
      (condition.test === 'absentOrBefore' &&
        condition.unless !== undefined &&
        meetsAll(meets)(user, { ...listing, conditions: [{ field: condition.unless, test: 'exists' }] })),
  );

const pattern = (prefix: string): RegExp =>
  new RegExp(`^${literally(prefix).replaceAll('%', '.*').replaceAll('_', '.')}`, 'u');

const partPattern = (part: string): RegExp =>
  new RegExp(literally(part).replaceAll('%', '.*').replaceAll('_', '.'), 'u');

const propertiesOf = ({ properties }: User): Readonly<Record<string, unknown>> => JSON.parse(properties);

/** Lists users whose custom properties are compared in another way. */
const havingProperty = (has: (user: User, property: PropertyValue) => boolean) =>
  matching(
    (user, listing) => startsRight(user, listing) && (listing.property === undefined || has(user, listing.property)),
  );

const ofParts = 'lists users by a part of the address';
const ofPages = 'lists every user once, as stored, 4 to a page';
const ofConditions = 'lists users by whether a field has a value';
const ofEarlierTimes = 'lists users by times that are earlier or absent';

export const listingMistakes: Readonly<Record<string, ListingMistake>> = {
  'the order of times with a key as the cursor': [ofPages, inOrder(byTime, keyOfUser)],
  'a time as the cursor, which several users share': [ofPages, inOrder(byTime, timeOf)],
  'the order of another field with a key as the cursor': [
    'lists any users once',
    inOrder((one, other) => (one.password < other.password ? -1 : 1), keyOfUser),
  ],
  'the case of the address in the order, and not in the cursor': [
    'lists any users once',
    inOrder((one, other) => (one.email.address < other.email.address ? -1 : 1), keyOfUser),
  ],
  'a number of users as the cursor': [
    'lists every user who stays once',
    (users) =>
      async ({ limit, after = '0', ...listing }) => {
        const all = await allOf(users, listing);
        const end = Number(after) + limit;
        return { users: all.slice(Number(after), end), next: end < all.length ? String(end) : undefined };
      },
  ],
  'a page that starts with the end of the former one': [
    ofPages,
    inOrder(byKey, keyOfUser, (position, after) => position >= after),
  ],
  'a cursor that skips a user': [
    ofPages,
    (users) => async (listing) => {
      const page = await users.list({ ...listing, limit: listing.limit + 1 });
      return { ...page, users: page.users.slice(0, listing.limit) };
    },
  ],
  'more users than the limit': [ofPages, (users) => (listing) => users.list({ ...listing, limit: listing.limit + 1 })],
  'a last page with an empty cursor': [
    ofPages,
    (users) => async (listing) => {
      const page = await users.list(listing);
      return { ...page, next: page.next ?? '' };
    },
  ],
  'a cursor that is longer than a link may be': [
    ofPages,
    (users) => async (listing) => {
      const page = await users.list({ ...listing, after: listing.after?.trim() });
      return { ...page, next: page.next?.padEnd(769) };
    },
  ],
  'an end where the first users do not match': [
    'finds the only match',
    (users) => async (listing) => {
      const examined = (await allOf(users, { address: listing.address })).slice(0, 1_000).map(keyOfUser);
      const page = await users.list(listing);
      return { ...page, users: page.users.filter((user) => examined.includes(keyOfUser(user))) };
    },
  ],
  'a prefix with the case of the address': [
    'lists users by a prefix of the address, in any case',
    matching((user, { address }) => user.email.address.startsWith(address)),
  ],
  'a prefix that matches the whole address': [
    'lists users by a prefix of the address, in any case',
    matching((user, { address }) => address === '' || keyOfUser(user) === address),
  ],
  'a prefix that is a pattern': [
    'treats no character of a prefix as a pattern',
    matching((user, { address }) => pattern(address).test(keyOfUser(user))),
  ],
  'a part of the address with its case': [
    ofParts,
    matching((user, { addressContains }) => user.email.address.includes(addressContains)),
  ],
  'a part at the beginning only': [
    ofParts,
    matching((user, { addressContains }) => keyOfUser(user).startsWith(addressContains)),
  ],
  'a part before the @ only': [
    ofParts,
    matching((user, { addressContains }) => keyOfUser(user).split('@')[0]?.includes(addressContains) === true),
  ],
  'no part of the address': [ofParts, (users) => (listing) => users.list({ ...listing, addressContains: '' })],
  'a part that is a pattern of SQL': [
    'treats no character of a part as a pattern',
    matching((user, { addressContains }) => partPattern(addressContains).test(keyOfUser(user))),
  ],
  'a part that is a regular expression': [
    'treats no character of a part as a pattern',
    matching((user, { addressContains }) => new RegExp(addressContains, 'u').test(keyOfUser(user))),
  ],
  'properties as they are usually written': [
    'lists users by a custom property',
    havingProperty(({ properties }, { name, value }) => properties.includes(`"${name}":"${value}"`)),
  ],
  'properties that are texts': [
    'lists users by a custom property',
    havingProperty((user, { name, value }) => propertiesOf(user)[name] === value),
  ],
  'properties without those that are escaped': [
    'lists users by a custom property',
    havingProperty((user, property) => hasProperty(user, property) && !user.properties.includes('\\\\')),
  ],
  'short properties only': [
    'lists users by any custom property',
    havingProperty((user, property) => hasProperty(user, property) && user.properties.length < 60),
  ],
  'no conditions': ['lists verified or unverified users only', matching(startsRight)],
  'only the first condition': [
    ofConditions,
    (users) => (listing) => users.list({ ...listing, conditions: listing.conditions.slice(0, 1) }),
  ],
  'a time that is not earlier in place of a later one': [
    ofConditions,
    matching(
      meetsAll((value, condition) =>
        condition.test === 'absentOrAfter'
          ? typeof value !== 'number' || value >= condition.value
          : meets(value, condition),
      ),
    ),
  ],
  'an earlier time in every case': [ofEarlierTimes, matching(meetsAll(meets))],
  'a time that is not later in place of an earlier one': [
    ofEarlierTimes,
    matching((user, listing) => {
      const next = listing.conditions.map((condition) =>
        condition.test === 'absentOrBefore' ? { ...condition, value: condition.value + 1 } : condition,
      );
      return meetsAllOrUnless(user, { ...listing, conditions: next });
    }),
  ],
  'a time that must not be absent': [
    ofConditions,
    matching(
      meetsAll((value, condition) =>
        condition.test === 'absentOrAfter' ? Number(value) > condition.value : meets(value, condition),
      ),
    ),
  ],
  'every field as existing': [
    ofConditions,
    matching(meetsAll((value, condition) => condition.test === 'exists' || meets(value, condition))),
  ],
  'conditions on one field, and nobody who meets another': [
    ofConditions,
    (users) => async (listing) =>
      listing.conditions.some(({ field, test }) => test === 'exists' && field !== 'disabledTime')
        ? { users: [], next: undefined }
        : users.list(listing),
  ],
  'users without their optional fields': [
    'lists any users once',
    (users) => async (listing) => {
      const page = await users.list(listing);
      const required = (user: User) =>
        userFields.map((field) => (field.presence === 'required' ? (fieldOf(user, field) ?? null) : null));
      return { ...page, users: page.users.map((user) => assembleUser(required(user))) };
    },
  ],
  'pages of at most 1 MiB, without an error and without the rest': [
    'lists large users too',
    (users) => async (listing) => {
      const page = await users.list(listing);
      return { ...page, users: page.users.slice(0, Math.floor(1_048_576 / (page.users[0]?.properties.length ?? 1))) };
    },
  ],
};
