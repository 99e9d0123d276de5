import * as t from 'io-ts';
import type { QueryBus } from '../../../../application/bus.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { emailCodec, password } from '../../../kit/user-json/user-codecs.ts';
import { decodeOnly } from '../request-body.ts';
import { defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Body, Route } from '../route-types.ts';
import { callerRefusals } from './password-header.ts';
import { emailReference, noOtherMembers } from './user-bodies.ts';
import { usersTag } from './user-schema.ts';

const credentials = t.type({ email: emailCodec({}), password });

const credentialsBody: Body<t.TypeOf<typeof credentials>> = {
  description: 'The address of the user, regardless of case, and the password in the form that the algorithm verifies.',
  schema: {
    title: 'PasswordCheck',
    type: 'object',
    required: ['email', 'password'],
    properties: {
      email: emailReference,
      password: { type: 'string', minLength: 1 },
    },
    ...noOtherMembers,
  },
  examples: {
    check: {
      summary: 'A password to check',
      value: { email: { address: 'jane@example.com' }, password: 'correct horse battery staple' },
    },
  },
  decode: (body) => decodeOnly(credentials, body),
};

/** `POST /users/check`: checks a password in the body, where a header is unsuitable for the password or for a proxy. */
export const passwordCheckRoute = (queries: QueryBus, { caller: { supplied: _, ...address } }: RouteOptions): Route =>
  defineRouteWithBody({
    path: '/users/check',
    method: 'post',
    operation: 'checkPassword',
    summary: 'Check a password',
    description:
      'Checks the password in the body as `GET /users` checks the header, and returns no user. Also with `passwordHash.headerCheck: false`.',
    tag: usersTag,
    authenticated: true,
    parameters: address,
    body: credentialsBody,
    responses: { 204: { description: 'The password is right.' } },
    refusals: callerRefusals,
    handle: ({ client }, { email, password: supplied }) =>
      queries.dispatch({ type: 'CheckPassword', key: keyOf(email.address), supplied, client }),
    present: () => ({ status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }),
  });
