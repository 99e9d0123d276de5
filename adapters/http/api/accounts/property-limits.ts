// What some clients may not do with custom properties, in the routes; used only where a key has `properties`.
import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { checkWritable, type PropertyAccess, visibleProperties } from '../../../kit/user-json/property-access.ts';
import type { Client } from '../../authentication/authenticator.ts';
import { connectionInput, queryOf } from '../parameters.ts';
import { type RequestRefusal, refusal } from '../refusal.ts';
import type { RouteOptions } from '../route-options.ts';
import type { Parameter, Route } from '../route-types.ts';

type WriteUser = RouteOptions['writeUser'];

/** The names that all lists have. */
const inEvery = ([first, ...others]: readonly ReadonlySet<string>[]): ReadonlySet<string> | undefined =>
  first && new Set([...first].filter((name) => others.every((names) => names.has(name))));

/**
 * Writes users with the properties that the client may read. Without a client, which is one that has the link of a mail,
 * those that every client may read, because each may have asked for the link.
 */
export const visibleTo = (write: WriteUser, accesses: readonly PropertyAccess[]): WriteUser => {
  const forAll = inEvery(accesses.flatMap(({ read }) => read ?? []));
  if (forAll === undefined) return write;
  return (user, client) => {
    const read = client === undefined ? forAll : client.properties?.read;
    const properties = read && visibleProperties(user.properties, read);
    return write(properties === undefined || properties === user.properties ? user : { ...user, properties });
  };
};

/** What the client may do with custom properties; undefined for everything. */
export const propertyAccess: Parameter<PropertyAccess | undefined> = {
  ...connectionInput('properties', ({ ctx }) => right(ctx.state.client?.properties)),
  neverFails: true,
};

/** The refusal of a new user or a patch with properties that the client may not write; undefined if there are none. */
export const refusalOfProperties = (
  access: PropertyAccess,
  sent: Parameters<typeof checkWritable>[1],
): Either<RequestRefusal<'not_permitted'>, never> | undefined => {
  const checked = checkWritable(access, sent);
  return isLeft(checked) ? checked : undefined;
};

/** Returns which of some names a request of the route names the user by: in the query, or in a body that names the user. */
const namesGiven = ({ parameters, body }: Route, names: readonly string[]) => {
  const inQuery = parameters.some(({ namesUser }) => namesUser);
  return ({ querystring }: Parameters<Route['run']>[0], sent: JsonObject | undefined): readonly string[] => {
    // Most keys may read every unique property.
    if (names.length === 0) return names;
    const query = inQuery ? queryOf({ querystring }) : [];
    const members = body?.namesUser && sent !== undefined ? sent.values : {};
    return names.filter((name) => Object.hasOwn(members, name) || query.some(([given]) => given === name));
  };
};

/** A route whose errors about stored properties leave out those that the client may not read. */
export const withoutHiddenErrors = (
  route: Route,
  reads: (client: Client | undefined, name: string) => boolean,
): Route => ({
  ...route,
  run: async (request, sent, startedMs) => {
    const reply = await route.run(request, sent, startedMs);
    if (isRight(reply) || reply.left.code !== 'invalid_properties') return reply;
    const { client } = request.ctx.state;
    const isShown = (name: string) => reads(client, name) || (sent !== undefined && Object.hasOwn(sent.values, name));
    return left({ ...reply.left, errors: (reply.left.errors ?? []).filter(({ path }) => isShown(path)) });
  },
});

/**
 * A route that does not find users by the unique properties which the client may not read, and whose errors about stored
 * properties leave out those.
 */
export const withHiddenProperties =
  (unique: readonly string[]) =>
  (route: Route): Route => {
    const namedBy = namesGiven(route, unique);
    // The errors of a new user are about the request alone.
    const { run } =
      route.requires === 'create'
        ? route
        : withoutHiddenErrors(route, (client, name) => client?.properties?.read?.has(name) ?? true);
    return {
      ...route,
      run: async (request, sent, startedMs) => {
        const read = request.ctx.state.client?.properties?.read;
        // Most clients may read everything: they cost no look at the query.
        const hidden = read === undefined ? [] : namedBy(request, sent).filter((name) => !read.has(name));
        if (hidden.length === 0) return run(request, sent, startedMs);
        const errors = hidden.map((path) => ({ path, message: 'may not be read with this key' }));
        return left(refusal('not_permitted', errors));
      },
    };
  };
