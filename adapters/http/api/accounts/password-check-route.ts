import * as t from 'io-ts';
import type { QueryBus } from '../../../../application/bus.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { password } from '../../../kit/user-json/user-codecs.ts';
import { emptyReply } from '../../server/response.ts';
import { defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Route } from '../route-types.ts';
import type { UserKeys } from '../user-key.ts';
import { callerRefusals } from './password-header.ts';
import { usersTag } from './user-schema.ts';

const credentials = t.type({ password });

const credentialsBody = ({ bodySchema, bodyRule, decodeBody }: UserKeys) => ({
  description: `The address of the user, regardless of case, and the password in the form that the algorithm verifies.${bodyRule}`,
  schema: bodySchema('PasswordCheck', { password: { type: 'string', minLength: 1 } }),
  examples: {
    check: {
      summary: 'A password to check',
      value: { email: { address: 'jane@example.com' }, password: 'correct horse battery staple' },
    },
  },
  namesUser: true,
  decode: (body: JsonObject) => decodeBody(credentials, body),
});

/** `POST /users/check`: checks a password in the body, where a header is unsuitable for the password or for a proxy. */
export const passwordCheckRoute = (
  queries: QueryBus,
  { keys, caller: { supplied: _, ...address } }: RouteOptions,
): Route =>
  defineRouteWithBody({
    path: '/users/check',
    method: 'post',
    operation: 'checkPassword',
    summary: 'Check a password',
    description:
      'Checks the password in the body as `GET /users` checks the header, and returns no user. Also with `passwordHash.headerCheck: false`.',
    tag: usersTag,
    requires: 'check',
    parameters: address,
    body: credentialsBody(keys),
    responses: { 204: { description: 'The password is right.' } },
    refusals: callerRefusals,
    handle: ({ client }, { key, others: { password: supplied } }) =>
      queries.dispatch({ type: 'CheckPassword', key, supplied, client }),
    present: () => emptyReply(204),
  });
