import { identity } from 'fp-ts/lib/function.js';
import type { Administration, AdministrationBus } from '../../../../application/bus.ts';
import type { PropertyRules } from '../../../../domain/user-limits.ts';
import { withoutPasswordTime, withPasswordTime } from '../../../kit/password-time.ts';
import { exampleProperties } from '../../api/accounts/property-schemas.ts';
import { userReference, userResponses, userSchema, usersTag } from '../../api/accounts/user-schema.ts';
import { ifMatch } from '../../api/parameters.ts';
import { defineRoute } from '../../api/route.ts';
import type { ResponseDescription, Route } from '../../api/route-types.ts';
import { verificationTag } from '../../api/verification/verification-routes.ts';
import type { ApiInformation } from '../../openapi/openapi-document.ts';
import { json, userWithTag } from '../../server/response.ts';
import { type AdministeredForm, administeredWriter, secrets, states } from './administered-user.ts';
import { documentRoute } from './administration-document.ts';
import {
  address,
  addressInPath,
  after,
  cursorOf,
  limit,
  recordsOf,
  state,
  verified,
} from './administration-parameters.ts';
import { mailRoutes, recoveryRoute } from './mail-routes.ts';
import { userStateRoutes } from './user-state-routes.ts';

const userPath = '/admin/users/:address';

type UserPage = Extract<Administration['ListUsers']['result'], { readonly _tag: 'Right' }>['right'];

/** The JSON of a page of users, with the cursor of the next page (null after the last one). */
const pageJson =
  (writeUser: AdministeredForm['writeUser']) =>
  ({ users, unreadable, next }: UserPage): string => {
    const records = unreadable === undefined ? '' : `,"unreadable":${JSON.stringify(recordsOf(unreadable))}`;
    return `{"users":[${users.map(writeUser).join(',')}]${records},"next":${next === undefined ? 'null' : `"${cursorOf(next)}"`}}`;
  };

const pageResponse: ResponseDescription = {
  description:
    'A page of users, without their passwords and tokens; `next` is null after the last one. `unreadable` has the keys of damaged records, if there are any.',
  content: {
    type: 'application/json',
    schema: {
      title: 'UserPage',
      type: 'object',
      required: ['users', 'next'],
      properties: {
        users: { type: 'array', items: userReference },
        unreadable: { type: 'array', items: { type: 'string' } },
        next: { type: ['string', 'null'] },
      },
    },
  },
};

const readingRoutes = (
  bus: AdministrationBus,
  { writeUser, describeUser, ruledOut }: AdministeredForm,
): readonly Route[] => [
  defineRoute({
    method: 'get',
    path: '/admin/users',
    operation: 'listUsers',
    summary: 'List users',
    description: 'A page of users in a stable order. It can hold fewer users than `limit` although more follow.',
    tag: usersTag,
    authenticated: true,
    parameters: { limit, after, address, verified, state },
    responses: { 200: pageResponse },
    refusals: ['users_not_listed'],
    ruledOut,
    callsStore: true,
    handle: (listing) => bus.dispatch({ type: 'ListUsers', ...listing }),
    present: json(200, pageJson(writeUser)),
  }),
  defineRoute({
    method: 'get',
    path: userPath,
    operation: 'inspectUser',
    summary: 'Read a user without its password',
    description:
      'Returns a user, without the stored form of its password and without the token of its verification mail.',
    tag: usersTag,
    authenticated: true,
    parameters: { key: addressInPath },
    responses: { 200: describeUser('The user.') },
    refusals: ['user_not_found'],
    handle: ({ key }) => bus.dispatch({ type: 'GetUser', key, supplied: undefined }),
    present: userWithTag(200, writeUser),
  }),
];

const changingRoutes = (bus: AdministrationBus, { writeUser, describeUser }: AdministeredForm): readonly Route[] => [
  defineRoute({
    method: 'delete',
    path: userPath,
    operation: 'removeUser',
    summary: 'Delete a user without its password',
    description: 'Removes a user and returns what was removed.',
    tag: usersTag,
    authenticated: true,
    parameters: { key: addressInPath, ifMatch },
    responses: { 200: describeUser('The user that was removed.') },
    refusals: ['user_not_found', 'contended', 'stale_user'],
    handle: (change, _, startedMs) => bus.dispatch({ type: 'DeleteUser', ...change, supplied: undefined }, startedMs),
    present: userWithTag(200, writeUser),
  }),
  defineRoute({
    method: 'post',
    path: `${userPath}/reset`,
    operation: 'forceReset',
    summary: 'Reset a verification without the password',
    description: 'Marks the address of a user as not verified, with no token outstanding.',
    tag: verificationTag,
    authenticated: true,
    parameters: { key: addressInPath, ifMatch },
    responses: { 200: describeUser('The user after the reset.') },
    refusals: ['user_not_found', 'contended', 'stale_user'],
    handle: (change, _, startedMs) =>
      bus.dispatch({ type: 'ResetVerification', ...change, supplied: undefined }, startedMs),
    present: userWithTag(200, writeUser),
  }),
];

/** What the configuration adds to the administration. */
export interface AdministrationFeatures {
  /** Whether mails are queued and can be listed. */
  readonly queuesMails: boolean;
  /** Whether the service mails users a link or code for a new password. */
  readonly recovers: boolean;
  /** Whether users are shown with the time of their password. */
  readonly showsPasswordTime: boolean;
  /** How long a new address waits for its confirmation, in milliseconds; null if it needs none. */
  readonly changeLifetimeMs: number | null;
  /** The rules for custom properties; null for none. */
  readonly properties: PropertyRules | null;
  /** Whether new passwords have rules. */
  readonly ratesPasswords: boolean;
  /** Whether the database can list its users. */
  readonly listsUsers: boolean;
}

/** The JSON API of the administration, with its OpenAPI document unless `information` for it is null. */
export const administrationRoutes = (
  bus: AdministrationBus,
  information: ApiInformation | null,
  features: AdministrationFeatures,
): readonly Route[] => {
  const { queuesMails, recovers, showsPasswordTime, changeLifetimeMs, properties, ratesPasswords, listsUsers } =
    features;
  const writeUser = administeredWriter(changeLifetimeMs);
  const form: AdministeredForm = {
    trimBody: showsPasswordTime ? withoutPasswordTime : identity,
    writeUser: showsPasswordTime ? withPasswordTime(writeUser) : writeUser,
    describeUser: userResponses(secrets, showsPasswordTime, exampleProperties(properties, { name: 'Jane' })),
    properties,
    ignoredNames: showsPasswordTime ? ['passwordTime'] : [],
    ruledOut: {
      invalid_properties: properties === null,
      weak_password: !ratesPasswords,
      users_not_listed: listsUsers,
    },
  };
  const routes = [
    ...readingRoutes(bus, form),
    ...changingRoutes(bus, form),
    ...userStateRoutes(bus, form),
    ...(recovers ? [recoveryRoute(bus, form)] : []),
    ...(queuesMails ? mailRoutes(bus) : []),
  ];
  if (information === null) return routes;
  const shown = changeLifetimeMs === null ? states : new Set([...states, 'pending' as const]);
  return [...routes, documentRoute(routes, information, userSchema(secrets, showsPasswordTime, shown))];
};
