import { map } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CommandBus } from '../../../../application/bus.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { decodeUser, emailMembers, emailOfUser, password, propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import { publicPaths } from '../../paths.ts';
import { userWithTag } from '../../server/response.ts';
import { detailsAboutCreation, type ProblemCode } from '../problems.ts';
import { defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Route } from '../route-types.ts';
import { refusalOfProperties } from './property-limits.ts';
import { usersTag } from './user-schema.ts';

/** The members that all routes of `/users` share. */
export const userRouteBase = { path: publicPaths.users, tag: usersTag } as const;

const newUser = t.type({ email: emailOfUser, password });

/** Decodes the body of a create request. Members that only updates set are checked but ignored. */
export const decodeNewUser = (body: JsonObject) =>
  map(({ email: { verified: _, verificationToken: __, ...email }, password }: t.TypeOf<typeof newUser>) => ({
    ...email,
    password,
    properties: propertiesOf(body),
  }))(decodeUser(newUser, emailMembers, body));

/** Why a user cannot be stored as a request describes it. */
export const userRefusals = [
  'unsuitable_address',
  'unsuitable_password',
  'user_too_large',
  'invalid_properties',
  'weak_password',
] as const;

/** `POST /users` (docs/api.md). */
export const createUserRoute = (
  commands: CommandBus,
  { decoder, writeUser, propertyLimits, bodies, describeUser, signUp: { client, codes } = { codes: [] } }: RouteOptions,
): Route => {
  const decode = decoder(decodeNewUser);
  const route = defineRouteWithBody({
    ...userRouteBase,
    method: 'post',
    requires: 'create',
    operation: 'createUser',
    summary: 'Create a user',
    description:
      'Stores a new user whose address is not verified. The response is sent after the user was stored durably.',
    parameters: { ...propertyLimits, ...(client !== undefined && { client }) },
    body: { ...bodies.create, decode },
    responses: { 201: describeUser('The user was created.') },
    refusals: [
      ...userRefusals,
      'domain_not_allowed',
      'user_exists',
      'id_taken',
      'property_taken',
      'mailbox_taken',
      'too_many_attempts',
      'not_permitted',
    ],
    details: detailsAboutCreation,
    handle: ({ access, client }, user, startedMs) =>
      refusalOfProperties(access, user.properties) ??
      commands.dispatch({ type: 'CreateUser', ...user, client }, startedMs),
    present: userWithTag(201, writeUser),
  });
  const isPossible = (code: ProblemCode): boolean => code !== 'too_many_attempts' || codes.includes(code);
  return { ...route, refusals: route.refusals.filter(isPossible) };
};
