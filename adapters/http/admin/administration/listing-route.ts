import { left, map } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { QueryBus } from '../../../../application/bus.ts';
import { userReference, usersTag } from '../../api/accounts/user-schema.ts';
import { notPermitted } from '../../api/refusal.ts';
import { defineRoute } from '../../api/route.ts';
import { json } from '../../server/response.ts';
import { type AdministeredOptions, presentAsPermitted } from './administered-user.ts';
import { type Found, limit, next, objectResponse, reads, recordsOf } from './administration-parameters.ts';
import { afterInOrder, cursorOf, type Order, sortOf } from './list-cursors.ts';
import {
  address,
  addressContains,
  inactiveTime,
  noInactiveTime,
  property,
  sort,
  stateIn,
  total,
  value,
  verified,
} from './list-parameters.ts';

/** A page of users with its order, in which the cursor of the next page is. */
type OrderedPage = Found<'ListUsers'> & { readonly order: Order | undefined };

const totalJson = (found: Found<'ListUsers'>['total']): string =>
  found === undefined ? '' : `,"total":${found?.count ?? null},"totalIsExact":${found?.isExact ?? false}`;

/** The JSON of a page of users, with the cursor of the next page (null after the last one). */
const userPageJson =
  (writeUser: AdministeredOptions['writeUser']) =>
  ({ users, unreadable, next, order, total }: OrderedPage): string => {
    const records = unreadable === undefined ? '' : `,"unreadable":${JSON.stringify(recordsOf(unreadable))}`;
    const cursor = next === undefined ? 'null' : `"${cursorOf(next, sortOf(order))}"`;
    return `{"users":[${users.map((user) => writeUser(user)).join(',')}]${records}${totalJson(total)},"next":${cursor}}`;
  };

const userPage = objectResponse(
  'A page of users, without their passwords and tokens; `next` is null after the last one. `unreadable` has the keys of damaged records, if there are any.',
  'UserPage',
  {
    users: { type: 'array', items: userReference },
    unreadable: { type: 'array', items: { type: 'string' } },
    total: {
      type: ['integer', 'null'],
      description: 'With `total=true`: how many users match, up to 10000; null if that is not known.',
    },
    totalIsExact: { type: 'boolean', description: 'With `total=true`: whether there are no more.' },
    next,
  },
  ['users', 'next'],
);

/** The list of users, with fewer members for an administrator without the permission `read`. */
export const listingRoute = (queries: QueryBus, { clock, writeListed, activity, invites }: AdministeredOptions) =>
  defineRoute({
    method: 'get',
    path: '/admin/users',
    operation: 'listUsers',
    summary: 'List users',
    description:
      'A page of users in a stable order, or sorted. It can hold fewer users than `limit` although more follow.',
    tag: usersTag,
    requires: 'list',
    parameters: {
      limit,
      after: afterInOrder,
      address,
      addressContains,
      verified,
      inactiveSince: activity === null ? noInactiveTime : inactiveTime(clock),
      state: stateIn(invites),
      property,
      value,
      order: sort,
      total,
      reads,
    },
    responses: { 200: userPage },
    refusals: ['users_not_listed', 'users_not_sorted', 'not_permitted'],
    callsStore: true,
    handle: async ({ value: _, reads, inactiveSince, ...listing }) => {
      // Whether a user matches would reveal the value of the property.
      if (!reads && listing.property !== undefined) return left(notPermitted('read'));
      const inactive =
        inactiveSince === undefined || activity === null ? undefined : { before: inactiveSince, ...activity };
      const listed = await queries.dispatch({ type: 'ListUsers', by, inactive, ...listing });
      return map((page: Found<'ListUsers'>): OrderedPage => ({ ...page, order: listing.order }))(listed);
    },
    present: presentAsPermitted(writeListed, (write) => json(userPageJson(write))),
  });
