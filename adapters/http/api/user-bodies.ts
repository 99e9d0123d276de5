import type { FieldSetBy } from '../../../domain/user.ts';
import type { PropertyRule, PropertyRules } from '../../../domain/user-limits.ts';
import type { BodyDescription, Schema } from './route-types.ts';

/**
 * Forbids other members. Not `additionalProperties: false`, because the Java client of openapi-generator would then
 * drop the custom properties of users, whose schema is another one.
 */
export const noOtherMembers: Schema = { unevaluatedProperties: false };

/** Milliseconds since the epoch, which 32 bits cannot hold: without the format, Java clients have an `Integer`. */
export const timeSchema: Schema = { type: 'integer', format: 'int64', description: 'Milliseconds since the epoch.' };

const addressInBody: Schema = { type: 'string', format: 'email', maxLength: 254, examples: ['jane@example.com'] };

/** The member `email` of a body that names a user and has no other member of `email`. */
export const emailReference: Schema = {
  type: 'object',
  required: ['address'],
  properties: { address: addressInBody },
  ...noOtherMembers,
};

/** The bodies with which clients create and change users. */
export interface UserBodies {
  readonly create: BodyDescription;
  readonly update: BodyDescription;
  readonly patch: BodyDescription;
}

type Properties = Readonly<Record<string, unknown>>;

interface PropertyType {
  readonly schema: Schema;
  readonly example: unknown;
}

/** The types that a rule can name; any other name accepts every value. */
const types: Readonly<Record<string, PropertyType>> = {
  string: { schema: { type: 'string' }, example: 'a text' },
  integer: { schema: { type: 'integer', format: 'int64' }, example: 3 },
  double: { schema: { type: 'number' }, example: 1.5 },
  boolean: { schema: { type: 'boolean' }, example: true },
  list: { schema: { type: 'array', items: {} }, example: ['early'] },
  map: { schema: { type: 'object', additionalProperties: true }, example: { theme: 'dark' } },
};
const anyValue: PropertyType = { schema: {}, example: 'any value' };

const ofEach = <Value>(
  { allowed }: PropertyRules,
  describe: (type: PropertyType) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    allowed.map(({ name, type }: PropertyRule) => [
      name,
      describe((Object.hasOwn(types, type) ? types[type] : undefined) ?? anyValue),
    ]),
  );

/** Custom properties for an example: the allowed ones, or `free` where the rules name none and allow others. */
export const exampleProperties = (rules: PropertyRules | null, free: Properties): Properties =>
  rules === null || (rules.allowSuperset && rules.allowed.length === 0)
    ? free
    : ofEach(rules, ({ example }) => example);

const settable: Readonly<Record<FieldSetBy<'requests' | 'updates', 'email'>, Schema>> = {
  address: addressInBody,
  verified: { type: 'boolean' },
  verificationToken: { type: ['string', 'null'] },
};

const emailMembers = (withPending: boolean): Schema => ({
  type: 'object',
  properties: {
    ...settable,
    ...(withPending && { pending: { type: 'string', readOnly: true, description: 'Ignored.' } }),
  },
  ...noOtherMembers,
});

const passwordSchema: Schema = { type: 'string', minLength: 1 };
const email = { address: 'jane@example.com' };
const password = 'correct horse battery staple';

// Requests may have these members, so that a user can be sent back as it was read.
const ignoredTime: Schema = { ...timeSchema, readOnly: true, description: 'Ignored.' };
const ignoredTimes = ['creationTime', 'lastUpdateTime'];

/** The schema of a whole user in a request, with the rules for its custom properties. */
const wholeUser = (
  title: string,
  required: readonly string[],
  rules: PropertyRules | null,
  { times, withPending }: { readonly times: readonly string[]; readonly withPending: boolean },
): Schema => ({
  title,
  type: 'object',
  required: [...required, ...(rules === null || rules.allowSubset ? [] : rules.allowed.map(({ name }) => name))],
  properties: {
    email: { title: 'Email', required: ['address'], ...emailMembers(withPending) },
    password: passwordSchema,
    ...(rules !== null && {
      ...ofEach(rules, ({ schema }) => schema),
      ...(!rules.allowSuperset && Object.fromEntries(times.map((name) => [name, ignoredTime]))),
    }),
  },
  ...(rules === null || rules.allowSuperset ? { additionalProperties: true } : noOtherMembers),
});

/** The schemas of custom properties in a patch, which removes one with null unless users must have all of them. */
export const patchedProperties = (rules: PropertyRules): Readonly<Record<string, Schema>> =>
  ofEach(rules, ({ schema }) =>
    schema.type === undefined || !rules.allowSubset ? schema : { ...schema, type: [schema.type, 'null'] },
  );

/** A patch removes properties with null; also those that the rules do not allow any more. */
const userPatch = (rules: PropertyRules | null, withPending: boolean): Schema => ({
  title: 'UserPatch',
  type: 'object',
  properties: {
    email: { title: 'EmailPatch', ...emailMembers(withPending) },
    password: passwordSchema,
    ...(rules !== null && patchedProperties(rules)),
  },
  additionalProperties: true,
});

/** An example in a list of examples; none if `applies` is false. */
const example = (name: string, summary: string, value: Properties, applies = true): BodyDescription['examples'] =>
  applies ? { [name]: { summary, value } } : {};

/** Follows the descriptions of bodies if a new address has to be confirmed. */
const confirmation =
  ' With `email.confirmChange`, a new address waits until it is confirmed by the link that is mailed to it.';

/**
 * Describes the bodies of users whose custom properties follow `rules`, with examples that keep these. `withPasswordTime`
 * and `withPending`: whether responses have `passwordTime` and `email.pending`, which are ignored in requests.
 */
export const userBodies = (
  rules: PropertyRules | null,
  withPasswordTime: boolean,
  withPending: boolean,
): UserBodies => {
  const times = [...ignoredTimes, ...(withPasswordTime ? ['passwordTime'] : [])];
  const ignored = { times, withPending };
  const confirmed = withPending ? confirmation : '';
  const created = exampleProperties(rules, { name: 'Jane', visits: 3, tags: ['early'] });
  const updated = exampleProperties(rules, { name: 'Jane Doe', visits: 4 });
  const kept = exampleProperties(rules, { name: 'Jane Doe' });
  const patched = exampleProperties(rules, { plan: 'pro', settings: { theme: 'dark' }, trial: null });
  const needsNone = rules === null || rules.allowSubset || rules.allowed.length === 0;
  const hasSome = Object.keys(created).length > 0;
  return {
    create: {
      description: 'The new user. Every other top-level member is a custom property and is stored exactly.',
      schema: wholeUser('NewUser', ['email', 'password'], rules, ignored),
      examples: {
        ...example('simple', 'A user', { email, password }, needsNone),
        ...example('properties', 'A user with custom properties', { email, password, ...created }, hasSome),
      },
    },
    update: {
      description: `The new state of the user. Custom properties are replaced. Without \`password\`, the password does not change. Without \`email.verified\` and \`email.verificationToken\`, these do not change either, unless the address changes, which resets them.${confirmed}`,
      schema: wholeUser('UserUpdate', ['email'], rules, ignored),
      examples: {
        ...example('properties', 'New custom properties', { email, ...updated }, hasSome),
        ...example('address', 'A new address (with ?email= the existing one)', {
          email: { address: 'jane.doe@example.com' },
          ...kept,
        }),
        ...example('password', 'A new password', { email, password: 'a better horse', ...kept }),
      },
    },
    patch: {
      description: `A JSON merge patch (RFC 7396) of the user. Members that it does not name keep their value, exactly as it was written; null removes a custom property, or a member of one. \`email\` may have any of its members, and neither it, its address nor \`password\` can be removed. Times are ignored.${confirmed}`,
      schema: userPatch(rules, withPending),
      examples: {
        ...example('properties', 'Sets, changes and removes custom properties', patched, hasSome),
        ...example('address', 'A new address', { email: { address: 'jane.doe@example.com' } }),
        ...example('password', 'A new password', { password: 'a better horse' }),
      },
    },
  };
};
