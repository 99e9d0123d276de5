import type { CommandBus, QueryBus } from '../../../application/bus.ts';
import { keyOf } from '../../../domain/email-address.ts';
import type { CallerInput } from './caller.ts';
import { email, existingEmail } from './parameters.ts';
import { defineRoute, defineRouteWithBody, type Route } from './route.ts';
import { newUserBody, revisedUserBody } from './user-body.ts';
import type { UserPresenter } from './user-presenter.ts';

const bodyRefusals = [
  'invalid_json',
  'invalid_body',
  'invalid_properties',
  'unsuitable_password',
  'user_too_large',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_encoding',
] as const;

const storeRefusals = ['store_rejected', 'store_unavailable', 'overloaded', 'timed_out'] as const;

/** The routes of `/users` (specification, section 4); `users` writes the answers. */
export const userRoutes = (
  commands: CommandBus,
  queries: QueryBus,
  caller: CallerInput,
  users: UserPresenter,
): readonly Route[] => [
  defineRouteWithBody({
    method: 'post',
    path: '/users',
    operation: 'createUser',
    summary: 'Create a user',
    description: 'Stores a new user with an address that is not verified yet. The answer means that it is on the disk.',
    tag: 'Users',
    authenticated: true,
    parameters: {},
    body: newUserBody,
    answers: { 201: users.answer('The user was created.') },
    refusals: [...bodyRefusals, 'client_unauthorized', 'user_exists', ...storeRefusals],
    handle: async (_, user) => users.present(201, await commands.dispatch({ type: 'CreateUser', ...user })),
  }),
  defineRouteWithBody({
    method: 'put',
    path: '/users',
    operation: 'updateUser',
    summary: 'Update a user',
    description:
      'Replaces a user. To change the address, give the existing one in `email` and the new one in the body; both happen in one step.',
    tag: 'Users',
    authenticated: true,
    parameters: { email: existingEmail, ...caller.parameters },
    body: revisedUserBody,
    answers: { 200: users.answer('The user after the update.', { later: true }) },
    refusals: [
      ...bodyRefusals,
      'invalid_parameter',
      'client_unauthorized',
      ...caller.refusals,
      'user_not_found',
      'address_taken',
      'conflict',
      ...storeRefusals,
    ],
    handle: async ({ email, password, client }, { password: newPassword, ...revision }) =>
      users.present(
        200,
        await commands.dispatch({
          type: 'UpdateUser',
          key: email ?? keyOf(revision.address),
          supplied: password,
          client,
          revision,
          newPassword,
        }),
      ),
  }),
  defineRoute({
    method: 'get',
    path: '/users',
    operation: 'getUser',
    summary: 'Read a user',
    description: 'Returns a user. With the password header this is also how a product checks a password.',
    tag: 'Users',
    authenticated: true,
    parameters: { email, ...caller.parameters },
    answers: { 200: users.answer('The user.') },
    refusals: ['invalid_parameter', 'client_unauthorized', ...caller.refusals, 'user_not_found', ...storeRefusals],
    handle: async ({ email, password, client }) =>
      users.present(200, await queries.dispatch({ type: 'GetUser', key: email, supplied: password, client })),
  }),
  defineRoute({
    method: 'delete',
    path: '/users',
    operation: 'deleteUser',
    summary: 'Delete a user',
    description: 'Removes a user and returns exactly what was removed.',
    tag: 'Users',
    authenticated: true,
    parameters: { email, ...caller.parameters },
    answers: { 200: users.answer('The user that was removed.') },
    refusals: [
      'invalid_parameter',
      'client_unauthorized',
      ...caller.refusals,
      'user_not_found',
      'contended',
      ...storeRefusals,
    ],
    handle: async ({ email, password, client }) =>
      users.present(200, await commands.dispatch({ type: 'DeleteUser', key: email, supplied: password, client })),
  }),
];
