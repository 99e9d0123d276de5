import { isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Clock } from '../../../../application/ports/clock.ts';
import { addressType, type EmailAddress } from '../../../../domain/email-address.ts';
import type { FieldError } from '../../../../domain/failure.ts';
import { maxTime } from '../../../../domain/user-limits.ts';
import { maxReasonLength } from '../../../../domain/user-state.ts';
import type { JsonObject } from '../../../kit/exact-json.ts';
import { disabledReason, fieldErrors, memberCodec, password } from '../../../kit/user-json/user-codecs.ts';
import { noOtherMembers, timeSchema } from '../../api/accounts/user-bodies.ts';
import { addressSchema } from '../../api/parameters.ts';
import { refusal } from '../../api/refusal.ts';
import type { Body, Schema } from '../../api/route-types.ts';
import { type Html, html } from '../../pages/html.ts';
import { type FormErrors, labelled } from './form-fields.ts';
import type { FieldReader, FormBody } from './user-action.ts';

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

/** The body of a disablement. */
const disablementIn = (clock: Clock) => {
  const until = memberCodec(
    (value): value is number => Number.isSafeInteger(value) && Number(value) > clock.now() && Number(value) <= maxTime,
    'must be a time in the future, in whole milliseconds since the epoch',
  );
  return strictBody(
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
};

const minutesPattern = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d$/;

/** The time of a field `datetime-local`, which has no time zone and is read as UTC. */
const utcTime = (text: string): number => (minutesPattern.test(text) ? Date.parse(`${text}Z`) : Number.NaN);

/** The body that disables a user. */
export const disablementBody = (clock: Clock): FormBody<{ reason: string; until?: number | undefined }> => {
  const disablement = disablementIn(clock);
  return {
    ...disablement,
    labels: { reason: 'Reason', until: 'Until' },
    fields: (_, entered, errors) => [
      labelled(
        { id: 'reason', label: 'Reason, for administrators only', errors },
        (attributes) =>
          html`<input ${attributes} required maxlength="${maxReasonLength}" value="${entered('reason')}" autocomplete="off">`,
      ),
      labelled(
        { id: 'until', label: 'Until (UTC); no end if empty', errors },
        (attributes) => html`<input ${attributes} type="datetime-local" value="${entered('until')}">`,
      ),
    ],
    read: (field) => {
      const until = field('until');
      if (until !== '' && !(utcTime(until) > clock.now()))
        return left(refusal('invalid_body', [{ path: 'until', message: 'must be a time in the future' }]));
      return decoded(disablement, { reason: field('reason').trim(), ...(until !== '' && { until: utcTime(until) }) });
    },
  };
};

/** The field with the address of a user who is created or gets another one. */
export const newAddressField = 'newAddress';

/** The control of that field. */
export const addressField = (label: string, entered: FieldReader, errors: FormErrors): Html =>
  labelled(
    // The use case names the member of the body that creates a user.
    {
      id: newAddressField,
      path: 'address',
      label,
      errors: errors.map(({ path, ...error }) => ({ ...error, path: path.replace('email.', '') })),
    },
    // Not of the type `email`, in which browsers refuse letters beyond ASCII and quotes before the @ that the service accepts.
    (attributes) =>
      html`<input ${attributes} inputmode="email" required maxlength="254" value="${entered(newAddressField)}" autocomplete="off" autocapitalize="off" spellcheck="false">`,
  );

export const passwordField = (label: string, errors: FormErrors, isRequired = true): Html =>
  labelled(
    { id: 'password', label, errors },
    (attributes) =>
      html`<input ${attributes} type="password"${isRequired ? ' required' : ''} autocomplete="new-password">`,
  );

const newPassword = strictBody(
  'NewPassword',
  t.type({ password }),
  { password: { type: 'string', minLength: 1 } },
  ['password'],
  'The new password in clear or, where clients hash passwords, its hash.',
  { password: 'correct horse battery staple' },
);

const newAddress = strictBody(
  'NewAddress',
  t.type({ address: addressType }),
  { address: addressSchema },
  ['address'],
  'The new address.',
  { address: 'jane.doe@example.com' },
);

/** The body that changes the address. In the form, the field `address` names the user. */
export const addressBody: FormBody<{ readonly address: EmailAddress }> = {
  ...newAddress,
  labels: { address: 'New address' },
  fields: (_user, entered, errors) => [addressField('New address', entered, errors)],
  read: (field) => decoded(newAddress, { address: field(newAddressField).trim() }),
};

/** The body that sets a password. */
export const passwordBody: FormBody<{ readonly password: string }> = {
  ...newPassword,
  labels: { password: 'New password' },
  fields: (_user, _entered, errors) => [passwordField('New password', errors)],
  read: (field) => decoded(newPassword, { password: field('password') }),
};
