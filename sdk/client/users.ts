import type { components as adminComponents } from './admin-openapi.ts';
import type { components, operations } from './openapi.ts';

/** The custom properties of a client without a type parameter: any names, with values that you check. */
export type AnyProperties = Record<string, unknown>;

/** The members of a type that have a name, without those of an index signature. */
type Named<Type> = { [Name in keyof Type as string extends Name ? never : Name]: Type[Name] };

type BodyOf<Operation extends 'createUser' | 'updateUser' | 'patchUser'> = Named<
  operations[Operation]['requestBody']['content']['application/json']
>;

/**
 * A user as the service returns it. Times are milliseconds since the epoch. `password` is the stored form, and missing
 * where the service is configured with `privacy.hidePasswords`. `Properties` are the custom properties, which the client
 * does not check: declare as optional what a user may lack.
 */
export type User<Properties extends object = AnyProperties> = Named<components['schemas']['User']> & Properties;

/** A user for administrators: without the stored password, and with the states in `email`. */
export type AdministeredUser<Properties extends object = AnyProperties> = Named<adminComponents['schemas']['User']> &
  Properties;

/** The body of a new user. Every other property is a custom property. */
export type NewUser<Properties extends object = AnyProperties> = BodyOf<'createUser'> & Properties;

/** The body of an update. It replaces all custom properties; an omitted password stays as it is. */
export type RevisedUser<Properties extends object = AnyProperties> = BodyOf<'updateUser'> & Properties;

type Patched<Value> = Value extends readonly unknown[] ? Value : Value extends object ? PropertiesPatch<Value> : Value;

/**
 * A JSON merge patch of custom properties (RFC 7396). Members that it does not name stay exactly as they are; null removes
 * an optional one. Lists are replaced as a whole.
 */
export type PropertiesPatch<Properties extends object = AnyProperties> = {
  [Name in keyof Properties]?:
    | Patched<Properties[Name]>
    | (Record<never, never> extends Pick<Properties, Name> ? null : never);
};

/** A JSON merge patch of a user (RFC 7396). */
export type UserPatch<Properties extends object = AnyProperties> = BodyOf<'patchUser'> & PropertiesPatch<Properties>;
