import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CustomProperties, User } from '../../../../domain/user.ts';
import { type UserField, userFields } from '../../../../domain/user-fields.ts';
import { maxTime, type PropertyRules } from '../../../../domain/user-limits.ts';
import { maxReasonLength, stateFields } from '../../../../domain/user-state.ts';
import { pendingWriter } from '../../../kit/pending-address.ts';
import {
  disabledReason,
  fieldErrors,
  fixedFields,
  member,
  password,
  propertiesOf,
  writerOf,
} from '../../../kit/user-json.ts';
import { exampleProperties, jsonLimits, patchSchema } from '../../api/accounts/property-schemas.ts';
import { noOtherMembers, timeSchema } from '../../api/accounts/user-bodies.ts';
import type { HiddenFields } from '../../api/accounts/user-schema.ts';
import { patchBody } from '../../api/body-formats.ts';
import type { RouteOptions } from '../../api/route-options.ts';
import type { Body, Schema } from '../../api/route-types.ts';

/** The fields that only administrators see. */
export const states: ReadonlySet<UserField['name']> = new Set(stateFields);
const fields: readonly UserField[] = userFields;

/** How the routes write and describe users, and the failures that depend on the configuration. */
export interface AdministeredForm extends Pick<RouteOptions, 'trimBody' | 'writeUser' | 'describeUser' | 'ruledOut'> {
  /** The rules for custom properties; null for none. */
  readonly properties: PropertyRules | null;
  /** The names of members that are ignored in patches. */
  readonly ignoredNames: readonly string[];
}

/** The fields that administrators do not see: the hash, and the token with which `GET /verify` would return it. */
export const secrets: HiddenFields = new Set(['password', 'verificationToken']);

/** Users for administrators: without secrets, and with the states in `email`. */
const administeredFields = fields.filter(
  ({ name, isInternal }) => !secrets.has(name) && (isInternal !== true || states.has(name)),
);

/** Writes users for administrators, with `email.pending` for `changeLifetimeMs`, or without it if that is null. */
export const administeredWriter = (changeLifetimeMs: number | null): ((user: User) => string) =>
  changeLifetimeMs === null ? writerOf(administeredFields) : pendingWriter(administeredFields, changeLifetimeMs);

const until = member(
  (value): value is number => Number.isSafeInteger(value) && Number(value) > Date.now() && Number(value) <= maxTime,
  'must be a time in the future, in whole milliseconds since the epoch',
);

/**
 * A body that refuses members which its schema lacks. If a misspelt `until` were ignored, the user would be disabled
 * for good.
 */
const strictBody = <A>(
  title: string,
  codec: t.Type<A, unknown, unknown>,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  description: string,
  example: object,
): Body<A> => ({
  description,
  schema: { title, type: 'object', required, properties, ...noOtherMembers },
  examples: { usual: { summary: description, value: example } },
  decode: ({ values }) => {
    const decoded = codec.decode(values);
    const errors = [
      ...(isLeft(decoded) ? fieldErrors(decoded.left) : []),
      ...Object.keys(values)
        .filter((name) => !Object.hasOwn(properties, name))
        .map((path) => ({ path, message: 'is not a member of this body' })),
    ];
    return isLeft(decoded) || errors.length > 0 ? left(errors) : right(decoded.right);
  },
});

/** The body that disables a user. */
export const disablementBody = strictBody(
  'Disablement',
  t.intersection([t.type({ reason: disabledReason }), t.partial({ until })]),
  {
    reason: { type: 'string', pattern: '\\S', maxLength: maxReasonLength },
    until: {
      ...timeSchema,
      minimum: 0,
      maximum: maxTime,
      description: 'A time in the future, in milliseconds since the epoch.',
    },
  },
  ['reason'],
  'Why the user is disabled, for administrators only, and until when; for good without `until`.',
  { reason: 'The mailbox was taken over, ticket 4711', until: 4102444800000 },
);

/** The body that sets a password. */
export const passwordBody = strictBody(
  'NewPassword',
  t.type({ password }),
  { password: { type: 'string', minLength: 1 } },
  ['password'],
  'The new password in clear or, where clients hash passwords, its hash.',
  { password: 'correct horse battery staple' },
);

/** Decodes a merge patch of custom properties. */
export const decodePropertiesPatch: Body<CustomProperties>['decode'] = (body) => {
  const fixed = Object.keys(body.values).filter((name) => fixedFields.has(name));
  return fixed.length === 0
    ? right(propertiesOf(body))
    : left(fixed.map((path) => ({ path, message: 'is not a custom property' })));
};

/**
 * The body that changes custom properties: a JSON merge patch. Fixed fields are refused, because they have routes of
 * their own. Other members that only the service sets are ignored, so that a user can be sent back as it was read.
 */
export const propertiesBody = (
  rules: PropertyRules | null,
  trimBody: RouteOptions['trimBody'],
  ignoredNames: readonly string[],
): Body<CustomProperties> => ({
  format: patchBody,
  description: `A JSON merge patch (RFC 7396) of the custom properties: null removes one. These names are refused: ${[...fixedFields].join(', ')}.${jsonLimits}`,
  schema: {
    ...patchSchema('PropertiesPatch', {}, rules, ignoredNames),
    propertyNames: { not: { enum: [...fixedFields] } },
  },
  examples: {
    usual: {
      summary: 'Sets, changes and removes custom properties',
      value: exampleProperties(rules, { plan: 'paid', trialEnds: null }),
    },
  },
  decode: (body) => decodePropertiesPatch(trimBody(body)),
});

/** The tokens of valid JSON, without white space. */
export const jsonTokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The longest JSON that is indented, in characters: indentation multiplies the size of nested lists by 30. */
export const maxIndentedLength = 16 * 1024;

/** Indents JSON that is short enough, with one line per member and item. Names and values keep their text, so that no number is rounded. */
export const indentedJson = (json: string): string => {
  if (json.length > maxIndentedLength) return json;
  let depth = 0;
  let previous = '';
  let text = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.matchAll(jsonTokens)) {
    const closes = token === '}' || token === ']';
    const isEmpty = closes && (previous === '{' || previous === '[');
    if (closes) depth--;
    if (!isEmpty && (closes || previous === '{' || previous === '[' || previous === ',')) text += line();
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return text;
};
