import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Administration, AdministrationBus } from '../../../../application/bus.ts';
import { userJsonWithoutPassword } from '../../../../domain/user.ts';
import { type Refusal, refusalOf } from '../../api/problems.ts';
import { type Answer, defineRoute, type Route } from '../../api/route.ts';
import { jsonHeaders, userReference, usersWithoutPassword } from '../../api/user-presenter.ts';
import type { Reply } from '../../server/response.ts';
import { address, addressInPath, after, cursorOf, limit, verified } from './administration-parameters.ts';

const userPath = '/admin/users/:address';
const commonRefusals = [
  'invalid_parameter',
  'client_unauthorized',
  'too_many_attempts',
  'store_rejected',
  'store_unavailable',
  'timed_out',
] as const;

/** Presents a page of users with the cursor of the next page, null after the last one. */
const presentPage = (outcome: Administration['ListUsers']['result']): Either<Refusal, Reply> => {
  if (isLeft(outcome)) return left(refusalOf(outcome.left));
  const { users, next } = outcome.right;
  const cursor = next === undefined ? 'null' : `"${cursorOf(next)}"`;
  const body = `{"users":[${users.map(userJsonWithoutPassword).join(',')}],"next":${cursor}}`;
  return right({ status: 200, headers: jsonHeaders, body });
};

const pageAnswer: Answer = {
  description: 'A page of users, without their passwords; `next` is null after the last one.',
  content: {
    type: 'application/json',
    schema: {
      type: 'object',
      required: ['users', 'next'],
      properties: { users: { type: 'array', items: userReference }, next: { type: ['string', 'null'] } },
    },
  },
};

const { present, answer } = usersWithoutPassword;

const readingRoutes = (bus: AdministrationBus): readonly Route[] => [
  defineRoute({
    method: 'get',
    path: '/admin/users',
    operation: 'listUsers',
    summary: 'List users',
    description: 'A page of the users, in an order that no change of others alters. It may be short of the limit.',
    tag: 'Users',
    authenticated: true,
    parameters: { limit, after, address, verified },
    answers: { 200: pageAnswer },
    refusals: ['users_not_listed', ...commonRefusals],
    handle: async (listing) => presentPage(await bus.dispatch({ type: 'ListUsers', ...listing })),
  }),
  defineRoute({
    method: 'get',
    path: userPath,
    operation: 'inspectUser',
    summary: 'Read a user without its password',
    description: 'Returns a user, without the stored form of its password.',
    tag: 'Users',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user.') },
    refusals: ['user_not_found', ...commonRefusals],
    handle: async ({ key }) => present(200, await bus.dispatch({ type: 'GetUser', key, supplied: undefined })),
  }),
];

const changingRoutes = (bus: AdministrationBus): readonly Route[] => [
  defineRoute({
    method: 'delete',
    path: userPath,
    operation: 'removeUser',
    summary: 'Delete a user without its password',
    description: 'Removes a user and returns what was removed.',
    tag: 'Users',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user that was removed.') },
    refusals: ['user_not_found', 'contended', 'cross_site', ...commonRefusals],
    handle: async ({ key }) => present(200, await bus.dispatch({ type: 'DeleteUser', key, supplied: undefined })),
  }),
  defineRoute({
    method: 'post',
    path: `${userPath}/reset`,
    operation: 'forceReset',
    summary: 'Reset a verification without the password',
    description: 'Marks the address of a user as not verified, with no token outstanding.',
    tag: 'Verification',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user after the reset.') },
    refusals: ['user_not_found', 'contended', 'cross_site', ...commonRefusals],
    handle: async ({ key }) =>
      present(200, await bus.dispatch({ type: 'ResetVerification', key, supplied: undefined })),
  }),
];

/** The JSON API of the administration. */
export const administrationRoutes = (bus: AdministrationBus): readonly Route[] => [
  ...readingRoutes(bus),
  ...changingRoutes(bus),
];
