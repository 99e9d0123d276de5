import { type Either, isLeft, left, map, mapLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { FieldError } from '../../../../domain/failure.ts';
import type { CustomProperties } from '../../../../domain/user.ts';
import { maxTime } from '../../../../domain/user-limits.ts';
import { maxReasonLength } from '../../../../domain/user-state.ts';
import { type JsonObject, readJsonObject } from '../../../kit/exact-json.ts';
import {
  disabledReason,
  fieldErrors,
  memberCodec,
  password,
  propertiesOf,
} from '../../../kit/user-json/user-codecs.ts';
import { fixedFields } from '../../../kit/user-json/user-writer.ts';
import { mergePatch } from '../../api/accounts/merge-patch.ts';
import { exampleProperties, jsonLimits, patchSchema } from '../../api/accounts/property-schemas.ts';
import { noOtherMembers, timeSchema } from '../../api/accounts/user-bodies.ts';
import { refusal } from '../../api/refusal.ts';
import { patchBody } from '../../api/request-body.ts';
import type { Body, Schema } from '../../api/route-types.ts';
import { html } from '../../pages/html.ts';
import type { AdministeredOptions } from './administered-user.ts';
import { indentedJson } from './pages/readable-json.ts';
import type { FormBody } from './user-action.ts';

const until = memberCodec(
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

/** Decodes the fields of a form as the body that it stands for. */
const decoded = <A>({ decode }: Body<A>, values: JsonObject['values']) =>
  mapLeft((errors: readonly FieldError[]) => refusal('invalid_body', errors))(decode({ values, members: [] }));

const disablementCodec = t.intersection([t.type({ reason: disabledReason }), t.partial({ until })]);

const disablement = strictBody(
  'Disablement',
  disablementCodec,
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

const minutesPattern = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d$/;

/** The time of a field `datetime-local`, which has no time zone and is read as UTC. */
const utcTime = (text: string): number => (minutesPattern.test(text) ? Date.parse(`${text}Z`) : Number.NaN);

/** The body that disables a user. */
export const disablementBody: FormBody<t.TypeOf<typeof disablementCodec>> = {
  ...disablement,
  fields: (_, entered) => html`<label for="reason">Reason, for administrators only</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" value="${entered('reason')}" autocomplete="off">
<label for="until">Until, in UTC; empty for good</label>
<input id="until" name="until" type="datetime-local" value="${entered('until')}">`,
  read: (field) => {
    const until = field('until');
    if (until !== '' && !(utcTime(until) > Date.now()))
      return left(refusal('invalid_body', [{ path: 'until', message: 'must be a time in the future' }]));
    return decoded(disablement, { reason: field('reason').trim(), ...(until !== '' && { until: utcTime(until) }) });
  },
};

const newPassword = strictBody(
  'NewPassword',
  t.type({ password }),
  { password: { type: 'string', minLength: 1 } },
  ['password'],
  'The new password in clear or, where clients hash passwords, its hash.',
  { password: 'correct horse battery staple' },
);

/** The body that sets a password. */
export const passwordBody: FormBody<{ readonly password: string }> = {
  ...newPassword,
  fields: () => html`<label for="password">New password</label>
<input id="password" name="password" type="password" required autocomplete="new-password">`,
  read: (field) => decoded(newPassword, { password: field('password') }),
};

const decodePatch = (body: JsonObject): Either<readonly FieldError[], CustomProperties> => {
  const fixed = Object.keys(body.values).filter((name) => fixedFields.has(name));
  return fixed.length === 0
    ? right(propertiesOf(body))
    : left(fixed.map((path) => ({ path, message: 'is not a custom property' })));
};

/** Returns the custom properties after a change. */
type PropertiesChange = (properties: CustomProperties) => CustomProperties;

/**
 * The body that changes custom properties: a JSON merge patch. Fixed fields are refused, because they have routes of
 * their own. Other members that only the service sets are ignored, so that a user can be sent back as it was read. The
 * form has all properties, and replaces them as a whole.
 */
export const propertiesBody = ({
  properties: rules,
  trimBody,
  ignoredNames,
}: AdministeredOptions): FormBody<PropertiesChange> => ({
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
  decode: (body) =>
    map((patch: CustomProperties) => (properties: CustomProperties) => mergePatch(properties, patch))(
      decodePatch(trimBody(body)),
    ),
  fields: ({ properties }, entered) => {
    const text = entered('properties') === '' ? indentedJson(properties) : entered('properties');
    return html`<label for="properties">Custom properties as a JSON object</label>
<textarea id="properties" name="properties" rows="${Math.min(40, Math.max(12, text.split('\n').length + 1))}" required spellcheck="false" autocapitalize="off">
${text}</textarea>`;
  },
  read: (field) => {
    const object = readJsonObject(field('properties'));
    if (isLeft(object)) return left(refusal('invalid_json', [{ path: 'properties', message: object.left }]));
    const replaced = decodePatch(object.right);
    return isLeft(replaced) ? left(refusal('invalid_body', replaced.left)) : right(() => replaced.right);
  },
  replacesShown: true,
});
