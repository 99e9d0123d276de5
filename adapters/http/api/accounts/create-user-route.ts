import { map } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CommandBus } from '../../../../application/bus.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { decodeUser, emailMembers, emailOfUser, password, propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import { publicPaths } from '../../paths.ts';
import { emptyReply, userWithTag } from '../../server/response.ts';
import { preference } from '../parameters.ts';
import { detailsAboutCreation } from '../problems.ts';
import { defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Parameter, Route } from '../route-types.ts';
import { refusalOfProperties } from './property-limits.ts';
import { usersTag } from './user-schema.ts';

/** The members that all routes of `/users` share. */
export const userRouteBase = { path: publicPaths.users, tag: usersTag } as const;

type NewUser<Password> = { readonly email: t.TypeOf<typeof emailOfUser>; readonly password: Password };

/** Decodes a new user. Members that only updates set are checked but ignored. */
const newUserDecoder =
  <Password>(password: t.Type<Password, unknown, unknown>) =>
  (body: JsonObject) =>
    map(({ email: { verified: _, verificationToken: __, ...email }, password }: NewUser<Password>) => ({
      ...email,
      password,
      properties: propertiesOf(body),
    }))(decodeUser(t.type({ email: emailOfUser, password }), emailMembers, body));

/** For clients, which have to send a password. */
export const decodeNewUser = newUserDecoder(password);

/** For administrators, who may leave out the password and invite the user to choose one. */
export const decodeAddedUser = newUserDecoder(t.union([t.undefined, password]));

/** Why a user cannot be stored as a request describes it. */
export const userRefusals = [
  'unsuitable_address',
  'unsuitable_password',
  'user_too_large',
  'invalid_properties',
  'weak_password',
] as const;

/** `Prefer: quiet` (RFC 7240): the response then does not depend on whether the address has an account. */
const quietly: Parameter<boolean> = {
  ...preference(
    'quiet',
    /^\s*quiet\s*(?:=\s*(?:""\s*)?)?(?:;|$)/i,
    '`quiet` responds with 202 and without a body, whether the address has an account or not; the mail says which.',
  ),
  neverFails: true,
};

const takenRefusals = ['user_exists', 'id_taken', 'property_taken', 'mailbox_taken'] as const;

/** Why a user cannot be created. */
export const creationRefusals = [...userRefusals, 'domain_not_allowed', ...takenRefusals, 'too_many_attempts'] as const;

/** `POST /users` (docs/api.md). */
export const createUserRoute = (commands: CommandBus, options: RouteOptions): Route => {
  const { decoder, writeUser, propertyLimits, bodies, describeUser, mailLanguages } = options;
  const { client, codes, quiet } = options.signUp ?? { codes: [] };
  const decode = decoder(decodeNewUser);
  const present = userWithTag(201, writeUser);
  return defineRouteWithBody({
    ...userRouteBase,
    method: 'post',
    requires: 'create',
    operation: 'createUser',
    summary: 'Create a user',
    description:
      'Stores a new user whose address is not verified. The response is sent after the user was stored durably.',
    parameters: {
      ...propertyLimits,
      ...(client !== undefined && { client }),
      ...(quiet === 'preferred' && { isQuiet: quietly }),
      ...(quiet !== undefined && mailLanguages),
    },
    body: { ...bodies.create, decode },
    responses: {
      ...(quiet !== 'always' && { 201: describeUser('The user was created.') }),
      ...(quiet !== undefined && {
        202: { description: 'With a quiet sign-up: the sign-up is stored, and the address gets a mail.' },
      }),
    },
    refusals: [...creationRefusals, 'not_permitted'],
    ruledOut: [
      ...(codes.includes('too_many_attempts') ? [] : (['too_many_attempts'] as const)),
      ...(quiet === 'always' ? takenRefusals : []),
    ],
    details: detailsAboutCreation,
    handle: async ({ access, client, isQuiet, languages = [] }, user, startedMs) =>
      (access && refusalOfProperties(access, user.properties)) ??
      (quiet === 'always' || isQuiet === true
        ? commands.dispatch({ type: 'RequestSignUp', ...user, client, languages }, startedMs)
        : commands.dispatch({ type: 'CreateUser', ...user, client }, startedMs)),
    present: (created, { isQuiet = false }, caller) =>
      created === undefined
        ? emptyReply(202, isQuiet ? { 'Preference-Applied': 'quiet' } : {})
        : present(created, undefined, caller),
  });
};
