import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { QueryBus } from '../../../../application/bus.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import type { FieldError } from '../../../../domain/failure.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { decodeUser, emailCodec, password } from '../../../kit/user-json.ts';
import { defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Body, Route } from '../route-types.ts';
import { callerRefusals } from './password-header.ts';
import { emailReference, noOtherMembers } from './user-bodies.ts';
import { usersTag } from './user-schema.ts';

interface Credentials {
  readonly key: EmailKey;
  readonly supplied: string;
}

const credentials = t.type({ email: emailCodec({}), password });

/** The name is not repeated, because it may be a misplaced password. */
const unknownMember: FieldError = { path: '', message: 'must have no members other than email and password' };

/** Refuses other members, because this route would ignore them silently. */
const decodeCredentials = (body: JsonObject): Either<readonly FieldError[], Credentials> => {
  const hasOnlyKnown = body.members.every(({ name }) => Object.hasOwn(credentials.props, name));
  const unknown = hasOnlyKnown ? [] : [unknownMember];
  const decoded = decodeUser(credentials, {}, body);
  if (isLeft(decoded)) return left([...decoded.left, ...unknown]);
  const { email, password } = decoded.right;
  return hasOnlyKnown ? right({ key: keyOf(email.address), supplied: password }) : left(unknown);
};

const credentialsBody: Body<Credentials> = {
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
  decode: decodeCredentials,
};

/** `POST /users/check`: checks a password in the body, where a header is unsuitable for the password or for a proxy. */
export const passwordCheckRoute = (
  queries: QueryBus,
  { caller: { supplied: _, ...address }, ruledOut }: RouteOptions,
): Route =>
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
    ruledOut,
    handle: ({ client }, credentials) => queries.dispatch({ type: 'CheckPassword', ...credentials, client }),
    present: () => ({ status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }),
  });
