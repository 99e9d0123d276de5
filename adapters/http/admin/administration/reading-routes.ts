import { left, map } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import type { QueryBus } from '../../../../application/bus.ts';
import { exportedUser } from '../../../kit/user-json/user-writer.ts';
import { userHeaders, userReference, usersTag } from '../../api/accounts/user-schema.ts';
import { notPermitted } from '../../api/refusal.ts';
import { defineRoute } from '../../api/route.ts';
import type { ResponseDescription, Route, Schema } from '../../api/route-types.ts';
import { json, type Reply, userWithTag, type VersionedUser } from '../../server/response.ts';
import { type AdministeredOptions, briefWriter, exportSchema } from './administered-user.ts';
import { type Found, limit, reads, recordsOf } from './administration-parameters.ts';
import { afterInOrder, cursorOf, type Order, sortOf } from './list-cursors.ts';
import {
  address,
  addressContains,
  inactiveSince,
  property,
  sort,
  stateIn,
  total,
  value,
  verified,
} from './list-parameters.ts';
import { userPath } from './user-action.ts';

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

const presentUsers = (writeUser: AdministeredOptions['writeUser']) => {
  const whole = json(200, userPageJson(writeUser));
  const brief = json(200, userPageJson(briefWriter(writeUser)));
  return (page: OrderedPage, { reads }: { readonly reads: boolean }): Reply => (reads ? whole : brief)(page);
};

const countOf = ({ failures, blockedForMs }: Found<'GetAttempts'>['passwords']) => ({
  failures,
  blockedForSeconds: Math.ceil(blockedForMs / 1000),
});

const attemptsJson =
  (showsActivity: boolean) =>
  ({ passwords, tokens, codes, lastCheckTime }: Found<'GetAttempts'>): string =>
    JSON.stringify({
      ...countOf(passwords),
      ...(showsActivity && { lastCheckTime }),
      ...(tokens !== null && { recovery: countOf(tokens) }),
      ...(codes !== null && { verification: countOf(codes) }),
    });

/** The description of a response that is a JSON object with these members. */
export const objectResponse = (
  description: string,
  title: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): ResponseDescription => ({
  description,
  content: { type: 'application/json', schema: { title, type: 'object', required, properties } },
});

/** The cursor of the next page. */
export const next: Schema = { type: ['string', 'null'] };

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

const countMembers = { failures: { type: 'integer' }, blockedForSeconds: { type: 'integer' } };
const countNames = Object.keys(countMembers);

const lastCheckTime: Schema = {
  type: ['integer', 'null'],
  description: 'When the password was last right, in milliseconds since the epoch; null if it never was.',
};

const attemptCount = (showsActivity: boolean) =>
  objectResponse(
    'The count, and the remaining seconds of a block; 0 without one.',
    'AttemptCount',
    {
      ...countMembers,
      ...(showsActivity && { lastCheckTime }),
      recovery: {
        title: 'RecoveryAttempts',
        type: 'object',
        description: 'The wrong tokens and codes; only with the block `recovery`.',
        required: countNames,
        properties: countMembers,
      },
      verification: {
        title: 'VerificationAttempts',
        type: 'object',
        description: 'The wrong codes for the address; only with `email.form: code`.',
        required: countNames,
        properties: countMembers,
      },
    },
    countNames,
  );

/** The name of the file in which a browser saves an export: characters with a meaning to a header or a disk are replaced. */
const fileNameOf = ({ user }: VersionedUser): string =>
  `${user.email.address.replace(/[^\w@.+-]/g, '_').replace(/^\.+/, '')}.jsonl`;

const exportReply = (stored: VersionedUser): Reply =>
  userWithTag(200, (user) => `${exportedUser(user)}\n`, {
    'Content-Disposition': `attachment; filename="${fileNameOf(stored)}"`,
  })(stored);

/** What administrators read about users. */
export const readingRoutes = (
  queries: QueryBus,
  { writeUser, writeListed, describeUser, userInPath, names, activity, invites }: AdministeredOptions,
): readonly Route[] => [
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
      ...(activity !== null && { inactiveSince }),
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
      // Whether a custom property has a value is as good as its value.
      if (!reads && listing.property !== undefined) return left(notPermitted('read'));
      const inactive =
        inactiveSince === undefined || activity === null ? undefined : { before: inactiveSince, ...activity };
      const listed = await queries.dispatch({ type: 'ListUsers', by, inactive, ...listing });
      return map((page: Found<'ListUsers'>): OrderedPage => ({ ...page, order: listing.order }))(listed);
    },
    present: presentUsers(writeListed),
  }),
  defineRoute({
    method: 'get',
    path: userPath,
    operation: 'inspectUser',
    summary: 'Read a user without its password',
    description:
      'Returns a user, without the stored form of its password and without the token of its verification mail.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: { 200: describeUser('The user.') },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'InspectUser', by, key }),
    present: userWithTag(200, writeUser),
  }),
  defineRoute({
    method: 'get',
    path: `${userPath}/export`,
    operation: 'exportUser',
    summary: 'Export a user',
    description:
      'Everything that is stored about a user, as a line of `latchkey export` but without password, tokens and digests.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: {
      200: {
        description: 'The user, as a file of one line.',
        headers: { ...userHeaders, 'Content-Disposition': 'The name of the file.' },
        content: { type: 'application/json', schema: exportSchema(names) },
      },
    },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'InspectUser', by, key }),
    present: exportReply,
  }),
  defineRoute({
    method: 'get',
    path: `${userPath}/attempts`,
    operation: 'inspectAttempts',
    summary: 'Read the wrong passwords of a user',
    description:
      'How many wrong passwords are counted for a user, and how long they block it; with recoveries and with `email.form: code`, the same about wrong tokens and codes.',
    tag: usersTag,
    requires: 'read',
    parameters: { key: userInPath },
    responses: { 200: attemptCount(activity !== null) },
    refusals: ['user_not_found'],
    handle: ({ key }) => queries.dispatch({ type: 'GetAttempts', by, key }),
    present: json(200, attemptsJson(activity !== null)),
  }),
];
