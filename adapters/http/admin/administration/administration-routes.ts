import type { AdministrationBus } from '../../../../application/bus.ts';
import { defineRoute, type Route } from '../../api/route.ts';
import { usersWithoutPassword } from '../../api/user-presenter.ts';
import { address, addressInPath, after, limit, verified } from './administration-parameters.ts';
import { pageAnswer, presentPage } from './administration-presenter.ts';

const one = '/admin/users/:address';
const always = [
  'invalid_parameter',
  'client_unauthorized',
  'too_many_attempts',
  'store_rejected',
  'store_unavailable',
  'timed_out',
] as const;

const { present, answer } = usersWithoutPassword;

const read = (bus: AdministrationBus): readonly Route[] => [
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
    refusals: ['users_not_listed', ...always],
    handle: async (listing) => presentPage(await bus.dispatch({ type: 'ListUsers', ...listing })),
  }),
  defineRoute({
    method: 'get',
    path: one,
    operation: 'inspectUser',
    summary: 'Read a user without its password',
    description: 'Returns a user, without the stored form of its password.',
    tag: 'Users',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user.') },
    refusals: ['user_not_found', ...always],
    handle: async ({ key }) => present(200, await bus.dispatch({ type: 'GetUser', key, supplied: undefined })),
  }),
];

const change = (bus: AdministrationBus): readonly Route[] => [
  defineRoute({
    method: 'delete',
    path: one,
    operation: 'removeUser',
    summary: 'Delete a user without its password',
    description: 'Removes a user and returns what was removed.',
    tag: 'Users',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user that was removed.') },
    refusals: ['user_not_found', 'contended', 'cross_site', ...always],
    handle: async ({ key }) => present(200, await bus.dispatch({ type: 'DeleteUser', key, supplied: undefined })),
  }),
  defineRoute({
    method: 'post',
    path: `${one}/reset`,
    operation: 'forceReset',
    summary: 'Reset a verification without the password',
    description: 'Marks the address of a user as not verified, with no token outstanding.',
    tag: 'Verification',
    authenticated: true,
    parameters: { key: addressInPath },
    answers: { 200: answer('The user after the reset.') },
    refusals: ['user_not_found', 'contended', 'cross_site', ...always],
    handle: async ({ key }) =>
      present(200, await bus.dispatch({ type: 'ResetVerification', key, supplied: undefined })),
  }),
];

/** What administrators may ask and do on the admin port, as JSON. */
export const administrationRoutes = (bus: AdministrationBus): readonly Route[] => [...read(bus), ...change(bus)];
