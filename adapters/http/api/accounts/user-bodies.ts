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
    email: { title: 'Email', required: ['address'], ...emailMembers(withPending, nullableVerified) },
    password: passwordSchema,
    ...propertySchemas(rules, times),
  },
  ...(rules === null || rules.allowSuperset ? { additionalProperties: true } : noOtherMembers),
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
 * Describes the bodies of users whose custom properties follow `rules`, with examples that keep these. `withPasswordTime`
 * and `withPending`: whether responses have `passwordTime` and `email.pending`, which are ignored in requests.
 * `setsVerification`: whether updates set the verification.
 */
export const userBodies = (
  rules: PropertyRules | null,
  withPasswordTime: boolean,
  withPending: boolean,
  setsVerification = true,
): UserBodies => {
  const times = [...ignoredTimes, ...(withPasswordTime ? ['passwordTime'] : [])];
  const confirmed = withPending ? confirmation : '';
  const ignoring = setsVerification ? '' : ignoredVerification('only the service sets them');
  const kept = setsVerification
    ? ' Without `email.verified` and `email.verificationToken`, these do not change either, unless the address changes, which resets them.'
    : `${ignoring} Another address resets them.`;
  const created = exampleProperties(rules, { name: 'Jane', visits: 3, tags: ['early'] });
  const updated = exampleProperties(rules, { name: 'Jane Doe', visits: 4 });
  const renamed = exampleProperties(rules, { name: 'Jane Doe' });
  const patched = exampleProperties(rules, { plan: 'pro', settings: { theme: 'dark' }, trial: null });
  const needsNone = rules === null || rules.allowSubset || rules.allowed.length === 0;
  const hasSome = Object.keys(created).length > 0;
  return {
    create: {
      description: `The new user. Every other top-level member is a custom property and is stored exactly.${ignoredVerification('a new user is not verified')}${jsonLimits}`,
      schema: wholeUser('NewUser', ['email', 'password'], rules, { times, withPending }),
      examples: {
        ...example('simple', 'A user', { email, password }, needsNone),
        ...example('properties', 'A user with custom properties', { email, password, ...created }, hasSome),
      },
    },
    update: {
      description: `The new state of the user. Custom properties are replaced. Without \`password\`, the password does not change.${kept}${confirmed}${jsonLimits}`,
      schema: wholeUser('UserUpdate', ['email'], rules, { times, withPending }),
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
      description: `A JSON merge patch (RFC 7396) of the user. Members that it does not name keep their value, exactly as it was written; null removes a custom property, or a member of one. \`email\` may have any of its members, and neither it, its address nor \`password\` can be removed. Times are ignored.${ignoring}${confirmed}${jsonLimits}`,
      schema: patchSchema(
        'UserPatch',
        {
          email: { title: 'EmailPatch', ...emailMembers(withPending, settable.verified) },
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
