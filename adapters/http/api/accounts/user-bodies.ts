import type { FieldSetBy } from '../../../../domain/user-fields.ts';
import type { PropertyRules } from '../../../../domain/user-limits.ts';
import { addressSchema } from '../parameters.ts';
import type { BodyDescription, Schema } from '../route-types.ts';
import {
  exampleProperties,
  ignored,
  jsonLimits,
  type Properties,
  patchSchema,
  propertySchemas,
} from './property-schemas.ts';

/**
 * Forbids other members. Not `additionalProperties: false`, because the Java client of openapi-generator would then
 * drop the custom properties of users, whose schema is another one.
 */
export const noOtherMembers: Schema = { unevaluatedProperties: false };

/** Milliseconds since the epoch, which 32 bits cannot hold: without the format, Java clients have an `Integer`. */
export const timeSchema: Schema = { type: 'integer', format: 'int64', description: 'Milliseconds since the epoch.' };

/** An id of a user (domain/user-name.ts). */
export const idSchema: Schema = {
  type: 'string',
  maxLength: 64,
  pattern: '^\\.*[A-Za-z0-9_:\\-][A-Za-z0-9_.:\\-]*$',
};
export const idExample = '0198f0a2-7c3b-7e64-9d5c-2f1f4b0c7d11';

const addressInBody: Schema = { ...addressSchema, examples: ['jane@example.com'] };

/** The member `email` of a body that names a user and has no other member of `email`. */
export const emailReference: Schema = {
  title: 'EmailReference',
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

const settable: Readonly<Record<FieldSetBy<'requests' | 'updates', 'email'>, Schema>> = {
  address: addressInBody,
  verified: { type: 'boolean' },
  verificationToken: { type: ['string', 'null'] },
};

const emailMembers = (withPending: boolean, verified: Schema): Schema => ({
  type: 'object',
  properties: { ...settable, verified, ...(withPending && { pending: ignored }) },
  ...noOtherMembers,
});

const nullableVerified: Schema = { type: ['boolean', 'null'], description: 'Null is the same as no member.' };
const passwordSchema: Schema = { type: 'string', minLength: 1 };
const email = { address: 'jane@example.com' };
const password = 'correct horse battery staple';

const ignoredTimes = ['creationTime', 'lastUpdateTime'];

/** The members of a user in responses that not every configuration has; bodies may repeat them. */
export interface ShownMembers {
  readonly passwordTime?: boolean;
  readonly ids?: boolean;
}

const idMember = (withId: boolean): Readonly<Record<string, Schema>> => (withId ? { id: idSchema } : {});

/** The schema of a whole user in a request, with the rules for its custom properties. */
const wholeUser = (
  title: string,
  required: readonly string[],
  rules: PropertyRules | undefined,
  {
    times,
    withPending,
    withId,
  }: Readonly<Record<'withPending' | 'withId', boolean>> & { readonly times: readonly string[] },
): Schema => ({
  title,
  type: 'object',
  required: [...required, ...(rules === undefined || rules.allowSubset ? [] : rules.allowed.map(({ name }) => name))],
  properties: {
    email: { title: 'Email', required: ['address'], ...emailMembers(withPending, nullableVerified) },
    ...idMember(withId),
    password: passwordSchema,
    ...propertySchemas(rules, times),
  },
  ...(rules === undefined || rules.allowSuperset ? { additionalProperties: true } : noOtherMembers),
});

/** An example in a list of examples; none if `applies` is false. */
const example = (name: string, summary: string, value: Properties, applies = true): BodyDescription['examples'] =>
  applies ? { [name]: { summary, value } } : {};

const ignoredVerification = (reason: string): string =>
  ` \`email.verified\` and \`email.verificationToken\` are ignored, because ${reason}.`;

/** Follows the descriptions of bodies if a new address has to be confirmed. */
const confirmation =
  ' With `email.confirmChange`, a new address waits until it is confirmed by the link that is mailed to it.';

/**
 * Describes the bodies of users whose custom properties follow `rules`, with examples that keep these. `passwordTime` and
 * `withPending`: whether responses have `passwordTime` and `email.pending`, which are ignored in requests. `ids`: whether
 * users have ids. `setsVerification`: whether updates set the verification.
 */
export const userBodies = (
  rules: PropertyRules | undefined,
  { passwordTime = false, ids: withId = false }: ShownMembers,
  withPending: boolean,
  setsVerification = true,
): UserBodies => {
  const times = [...ignoredTimes, ...(passwordTime ? ['passwordTime'] : [])];
  const chosen = withId ? ' `id` is the id of the user, which never changes; without it the service chooses one.' : '';
  const repeated = withId ? ' `id` may be repeated, and is the first id of a user who has none.' : '';
  const confirmed = withPending ? confirmation : '';
  const ignoring = setsVerification ? '' : ignoredVerification('only the service sets them');
  const kept = setsVerification
    ? ' Without `email.verified` and `email.verificationToken`, these do not change either, unless the address changes, which resets them.'
    : `${ignoring} Another address resets them.`;
  const created = exampleProperties(rules, { name: 'Jane', visits: 3, tags: ['early'] });
  const updated = exampleProperties(rules, { name: 'Jane Doe', visits: 4 });
  const renamed = exampleProperties(rules, { name: 'Jane Doe' });
  const patched = exampleProperties(rules, { plan: 'pro', settings: { theme: 'dark' }, trial: null });
  const needsNone = rules === undefined || rules.allowSubset || rules.allowed.length === 0;
  const hasSome = Object.keys(created).length > 0;
  return {
    create: {
      description: `The new user. Every other top-level member is a custom property and is stored exactly.${chosen}${ignoredVerification('a new user is not verified')}${jsonLimits}`,
      schema: wholeUser('NewUser', ['email', 'password'], rules, { times, withPending, withId }),
      examples: {
        ...example('simple', 'A user', { email, password }, needsNone),
        ...example('properties', 'A user with custom properties', { email, password, ...created }, hasSome),
      },
    },
    update: {
      description: `The new state of the user. Custom properties are replaced. Without \`password\`, the password does not change.${repeated}${kept}${confirmed}${jsonLimits}`,
      schema: wholeUser('UserUpdate', ['email'], rules, { times, withPending, withId }),
      examples: {
        ...example('properties', 'New custom properties', { email, ...updated }, hasSome),
        ...example('address', 'A new address (with ?email= the existing one)', {
          email: { address: 'jane.doe@example.com' },
          ...renamed,
        }),
        ...example('password', 'A new password', { email, password: 'a better horse', ...renamed }),
      },
    },
    patch: {
      description: `A JSON merge patch (RFC 7396) of the user. Members that it does not name keep their value, exactly as it was written; null removes a custom property, or a member of one. \`email\` may have any of its members, and neither it, its address nor \`password\` can be removed. Times are ignored.${repeated}${ignoring}${confirmed}${jsonLimits}`,
      schema: patchSchema(
        'UserPatch',
        {
          email: { title: 'EmailPatch', ...emailMembers(withPending, settable.verified) },
          ...idMember(withId),
          password: passwordSchema,
        },
        rules,
        times,
      ),
      examples: {
        ...example('properties', 'Sets, changes and removes custom properties', patched, hasSome),
        ...example('address', 'A new address', { email: { address: 'jane.doe@example.com' } }),
        ...example('password', 'A new password', { password: 'a better horse' }),
      },
    },
  };
};
