import { map, mapLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CommandBus, QueryBus } from '../../../../application/bus.ts';
import { addressType, keyOf } from '../../../../domain/email-address.ts';
import type { VersionedUser } from '../../../../domain/entity-tag.ts';
import type { CustomProperties } from '../../../../domain/user.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { namesHidden, replaceProperties } from '../../../kit/user-json/property-access.ts';
import { decodeUser, emailMembers, emailOfUser, password, propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import type { Client } from '../../authentication/authenticator.ts';
import { userWithTag } from '../../server/response.ts';
import { ifMatch, preference } from '../parameters.ts';
import { detailsAboutMoves } from '../problems.ts';
import { patchBody } from '../request-body.ts';
import { defineRoute, defineRouteWithBody } from '../route.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Parameter, Route } from '../route-types.ts';
import { createUserRoute, userRefusals, userRouteBase } from './create-user-route.ts';
import { mergePatch } from './merge-patch.ts';
import { callerRefusals } from './password-header.ts';
import { refusalOfProperties } from './property-limits.ts';
import { userHeaders } from './user-schema.ts';

const userUpdate = t.intersection([t.type({ email: emailOfUser }), t.partial({ password })]);
const userPatch = t.partial({ email: t.partial({ address: addressType, ...emailMembers }), password });

/** Decodes the body of an update request. */
export const decodeUserUpdate = (body: JsonObject) =>
  map(({ email, password: newPassword }: t.TypeOf<typeof userUpdate>) => ({
    update: { ...email, verified: email.verified ?? undefined, properties: propertiesOf(body) },
    newPassword,
  }))(decodeUser(userUpdate, emailMembers, body));

/** Decodes the body of a patch request. Members that cannot be removed must not be null. */
export const decodeUserPatch = (body: JsonObject) =>
  map(({ email = {}, password: newPassword }: t.TypeOf<typeof userPatch>) => {
    const patch = propertiesOf(body);
    const changeProperties = (properties: CustomProperties) => mergePatch(properties, patch);
    return { email, patch, changeProperties, newPassword };
  })(decodeUser(userPatch, emailMembers, body));

/**
 * `Prefer: settled` (RFC 7240): the response then waits until no earlier write of the user can be applied any more.
 */
export const settled: Parameter<boolean> = preference(
  'settled',
  /^\s*settled\s*(?:=\s*(?:""\s*)?)?(?:;|$)/i,
  '`settled` responds with 200 or 404 only when no earlier write of this user that got 503, or no response, can be applied any more.',
);

/** Confirms that `Prefer: settled` was applied (RFC 7240, section 3). */
const preferenceApplied = { 'Preference-Applied': 'settled' } as const;

const presentRead = (writeUser: RouteOptions['writeUser']) => {
  const present = userWithTag(200, writeUser);
  const presentSettled = userWithTag(200, writeUser, preferenceApplied);
  return (stored: VersionedUser, values: { readonly isSettled: boolean }, client: Client | undefined) =>
    (values.isSettled ? presentSettled : present)(stored, values, client);
};

/** The failures of an update and of a patch. */
const editRefusals = [
  ...userRefusals,
  ...callerRefusals,
  'resend_too_soon',
  'address_taken',
  'id_immutable',
  'id_taken',
  'property_taken',
  'not_permitted',
  'conflict',
  'stale_user',
] as const;

/** The routes of `/users` (docs/api.md). */
export const userRoutes = (commands: CommandBus, queries: QueryBus, options: RouteOptions): readonly Route[] => {
  const { keys, caller, editLanguages, propertyLimits, decoder, writeUser, bodies, describeUser } = options;
  const [decodeUpdate, decodePatch] = [decoder(decodeUserUpdate), decoder(decodeUserPatch)];
  const key = keys.query();
  const existing = keys.optionalQuery('The existing address of the user; needed only if the body contains a new one.');
  return [
    createUserRoute(commands, options),
    defineRouteWithBody({
      ...userRouteBase,
      method: 'put',
      requires: 'update',
      operation: 'updateUser',
      details: detailsAboutMoves,
      summary: 'Update a user',
      description:
        'Replaces a user. To change the address, send the existing one in `email` and the new one in the body; the change is atomic.',
      parameters: { existing, ...caller, ifMatch, ...editLanguages, ...propertyLimits },
      body: { ...bodies.update, decode: decodeUpdate },
      responses: { 200: describeUser('The user after the update.', { later: true }) },
      refusals: editRefusals,
      handle: ({ existing, access, ...caller }, body, startedMs) => {
        const key = existing ?? keyOf(body.update.address);
        const limits = access && {
          replaceProperties: (stored: CustomProperties, sent: CustomProperties) =>
            replaceProperties(access, stored, sent),
        };
        return commands.dispatch({ type: 'UpdateUser', key, ...caller, ...body, ...limits }, startedMs);
      },
      present: userWithTag(200, writeUser),
    }),
    defineRouteWithBody({
      ...userRouteBase,
      method: 'patch',
      requires: 'update',
      operation: 'patchUser',
      details: detailsAboutMoves,
      summary: 'Change parts of a user',
      description:
        'Applies a JSON merge patch to the newest version of the user, so that concurrent patches of different members are all kept. A patch that changes nothing writes nothing. To change the address, name the new one in the body; the change is atomic.',
      parameters: { key, ...caller, ifMatch, ...editLanguages, ...propertyLimits },
      body: { ...bodies.patch, format: patchBody, decode: decodePatch },
      responses: { 200: describeUser('The user after the patch.', { later: true }) },
      refusals: editRefusals,
      handle: ({ access, ...caller }, { patch, ...body }, startedMs) =>
        (access && refusalOfProperties(access, patch)) ??
        commands.dispatch(
          {
            type: 'PatchUser',
            ...caller,
            ...body,
            writesUnchanged: access !== undefined && namesHidden(access, patch),
          },
          startedMs,
        ),
      present: userWithTag(200, writeUser),
    }),
    defineRoute({
      ...userRouteBase,
      method: 'get',
      requires: 'read',
      operation: 'getUser',
      summary: 'Read a user',
      description:
        'Returns a user, and checks the password in the `password` header. With `Prefer: settled`, no earlier write of the user is applied after a 200 or 404.',
      parameters: { key, isSettled: settled, ...caller },
      responses: {
        200: {
          ...describeUser('The user.'),
          headers: { ...userHeaders, 'Preference-Applied': '`settled`, if it was asked for.' },
        },
      },
      refusals: callerRefusals,
      handle: ({ key, supplied, client, isSettled }, _, startedMs) => {
        const found = queries.dispatch({ type: 'GetUser', key, supplied, client, isSettled }, startedMs);
        if (!isSettled) return found;
        return found.then(
          mapLeft((refused) =>
            refused.code === 'user_not_found' ? { ...refused, headers: preferenceApplied } : refused,
          ),
        );
      },
      present: presentRead(writeUser),
    }),
    defineRoute({
      ...userRouteBase,
      method: 'delete',
      requires: 'delete',
      operation: 'deleteUser',
      summary: 'Delete a user',
      description: 'Deletes a user and returns the deleted user.',
      parameters: { key, ...caller, ifMatch },
      responses: { 200: describeUser('The user that was removed.') },
      refusals: [...callerRefusals, 'contended', 'stale_user'],
      handle: (change, _, startedMs) => commands.dispatch({ type: 'DeleteUser', ...change }, startedMs),
      present: userWithTag(200, writeUser),
    }),
  ];
};
