import type { CommandBus, QueryBus } from '../../../application/bus.ts';
import { keyOf } from '../../../domain/email-address.ts';
import { email, existingEmail } from './parameters.ts';
import { defineRoute, defineRouteWithBody, json, type Route } from './route.ts';
import type { RouteOptions } from './route-options.ts';
import { newUserBody, type UserFormat, userUpdateBody } from './user-schema.ts';

const invalidUser = ['invalid_properties', 'unsuitable_password', 'user_too_large'] as const;

/** The routes of `/users` (specification, section 4). */
export const userRoutes = (
  commands: CommandBus,
  queries: QueryBus,
  { caller, wrongPassword, unknownUser }: RouteOptions,
  users: UserFormat,
): readonly Route[] => [
  defineRouteWithBody({
    method: 'post',
    path: '/users',
    operation: 'createUser',
    summary: 'Create a user',
    description:
      'Stores a new user whose address is not verified. The response is sent after the user was stored durably.',
    tag: 'Users',
    authenticated: true,
    parameters: {},
    body: newUserBody,
    responses: { 201: users.response('The user was created.') },
    refusals: [...invalidUser, 'user_exists'],
    handle: (_, user) => commands.dispatch({ type: 'CreateUser', ...user }),
    present: json(201, users.write),
  }),
  defineRouteWithBody({
    method: 'put',
    path: '/users',
    operation: 'updateUser',
    summary: 'Update a user',
    description:
      'Replaces a user. To change the address, send the existing one in `email` and the new one in the body; the change is atomic.',
    tag: 'Users',
    authenticated: true,
    parameters: { email: existingEmail, ...caller },
    body: userUpdateBody,
    responses: { 200: users.response('The user after the update.', { later: true }) },
    refusals: [...invalidUser, ...wrongPassword, ...unknownUser, 'address_taken', 'conflict'],
    handle: ({ email, password, client }, body) =>
      commands.dispatch({
        type: 'UpdateUser',
        key: email ?? keyOf(body.update.address),
        supplied: password,
        client,
        ...body,
      }),
    present: json(200, users.write),
  }),
  defineRoute({
    method: 'get',
    path: '/users',
    operation: 'getUser',
    summary: 'Read a user',
    description: 'Returns a user, and checks the password in the `password` header.',
    tag: 'Users',
    authenticated: true,
    parameters: { email, ...caller },
    responses: { 200: users.response('The user.') },
    refusals: [...wrongPassword, ...unknownUser],
    handle: ({ email, password, client }) =>
      queries.dispatch({ type: 'GetUser', key: email, supplied: password, client }),
    present: json(200, users.write),
  }),
  defineRoute({
    method: 'delete',
    path: '/users',
    operation: 'deleteUser',
    summary: 'Delete a user',
    description: 'Deletes a user and returns the deleted user.',
    tag: 'Users',
    authenticated: true,
    parameters: { email, ...caller },
    responses: { 200: users.response('The user that was removed.') },
    refusals: [...wrongPassword, ...unknownUser, 'contended'],
    handle: ({ email, password, client }) =>
      commands.dispatch({ type: 'DeleteUser', key: email, supplied: password, client }),
    present: json(200, users.write),
  }),
];
