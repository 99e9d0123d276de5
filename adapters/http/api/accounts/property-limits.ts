// What some clients may not do with custom properties, in the routes; used only where a key has `properties`.
import { type Either, isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { checkWritable, type PropertyAccess, visibleProperties } from '../../../kit/user-json/property-access.ts';
import { queryOf } from '../parameters.ts';
import { type Refusal, refusal } from '../refusal.ts';
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
    return write(read === undefined ? user : { ...user, properties: visibleProperties(user.properties, read) });
  };
};

/** What the client may do with custom properties; undefined for everything. */
export const propertyAccess: Parameter<PropertyAccess | undefined> = {
  name: 'properties',
  in: 'connection',
  required: false,
  description: 'The custom properties that the key may read and write.',
  schema: {},
  example: '',
  neverFails: true,
  read: ({ ctx }) => right(ctx.state.client?.properties),
};

/** The refusal of a new user or a patch with properties that the client may not write; undefined if there are none. */
export const refusalOfProperties = (
  access: PropertyAccess | undefined,
  sent: Parameters<typeof checkWritable>[1],
): Either<Refusal<'not_permitted'>, never> | undefined => {
  const checked = access && checkWritable(access, sent);
  return checked && isLeft(checked) ? checked : undefined;
};

/** The names of the user in a request: parameters of the query, or members of a body that names the user. */
const namesIn = ({ parameters, body }: Route, request: Parameters<Route['run']>[0], sent: JsonObject | undefined) => [
  ...(parameters.some(({ namesUser }) => namesUser) ? queryOf(request).map(([name]) => name) : []),
  ...(body?.namesUser && sent !== undefined ? Object.keys(sent.values) : []),
];

/**
 * A route that does not find users by the unique properties which the client may not read, and whose errors about stored
 * properties leave out those.
 */
export const withHiddenProperties =
  (unique: readonly string[]) =>
  (route: Route): Route => ({
    ...route,
    run: async (request, sent, startedMs) => {
      const read = request.ctx.state.client?.properties?.read;
      if (read === undefined) return route.run(request, sent, startedMs);
      const hidden = namesIn(route, request, sent).filter((name) => unique.includes(name) && !read.has(name));
      if (hidden.length > 0) {
        const errors = hidden.map((path) => ({ path, message: 'may not be read with this key' }));
        return left(refusal('not_permitted', errors));
      }
      const isShown = (path: string) => read.has(path) || (sent !== undefined && Object.hasOwn(sent.values, path));
      const reply = await route.run(request, sent, startedMs);
      return mapLeft((refused: Refusal) =>
        // The errors of a new user are about the request alone.
        refused.code === 'invalid_properties' && route.requires !== 'create'
          ? { ...refused, errors: (refused.errors ?? []).filter(({ path }) => isShown(path)) }
          : refused,
      )(reply);
    },
  });
