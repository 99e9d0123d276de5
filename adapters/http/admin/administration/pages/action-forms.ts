import { type Either, isLeft, left } from 'fp-ts/lib/Either.js';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import type { EmailKey } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { maxReasonLength } from '../../../../../domain/user-state.ts';
import { readJsonObject } from '../../../../kit/exact-json.ts';
import { type Refusal, refusal } from '../../../api/refusal.ts';
import { type Html, html } from '../../../pages/html.ts';
import { decodePropertiesPatch, disablementBody, indentedJson, passwordBody } from '../administered-user.ts';

/** Returns the value of a form field; empty if it is missing. */
export type FieldReader = (name: string) => string;

/**
 * The user that a form changes. `entityTag` is that of the user on the page, so that a form cannot undo later changes.
 */
export interface Subject {
  readonly key: EmailKey;
  readonly entityTag: string;
}

/** Performs the action of a form. Left: the refusal. */
export type Perform = (
  bus: AdministrationBus,
  subject: Subject,
  field: FieldReader,
) => Promise<Either<Refusal, unknown>>;

const minutesPattern = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d$/;

/** The time of a field `datetime-local`, which has no time zone and is read as UTC. */
const utcTime = (text: string): number => (minutesPattern.test(text) ? Date.parse(`${text}Z`) : Number.NaN);

/** The fields of the form that disables a user. */
export const disableFields = (
  _: User,
  entered: FieldReader,
): Html => html`<label for="reason">Reason, for administrators only</label>
<input id="reason" name="reason" required maxlength="${maxReasonLength}" value="${entered('reason')}" autocomplete="off">
<label for="until">Until, in UTC; empty for good</label>
<input id="until" name="until" type="datetime-local" value="${entered('until')}">`;

export const passwordFields = (): Html => html`<label for="password">New password</label>
<input id="password" name="password" type="password" required autocomplete="new-password">`;

/** The field of the form that edits custom properties. */
export const propertyFields = ({ properties }: User, entered: FieldReader): Html => {
  const text = entered('properties') === '' ? indentedJson(properties) : entered('properties');
  return html`<label for="properties">Custom properties as a JSON object</label>
<textarea id="properties" name="properties" rows="${Math.min(40, Math.max(12, text.split('\n').length + 1))}" required spellcheck="false" autocapitalize="off">
${text}</textarea>`;
};

export const disable: Perform = async (bus, { key }, field) => {
  const until = field('until');
  if (until !== '' && !(utcTime(until) > Date.now()))
    return left(refusal('invalid_body', [{ path: 'until', message: 'must be a time in the future' }]));
  const values = { reason: field('reason').trim(), ...(until !== '' && { until: utcTime(until) }) };
  const decoded = disablementBody.decode({ values, members: [] });
  if (isLeft(decoded)) return left(refusal('invalid_body', decoded.left));
  return bus.dispatch({ type: 'DisableUser', key, supplied: undefined, ...decoded.right, until: decoded.right.until });
};

export const setPassword: Perform = async (bus, { key }, field) => {
  const decoded = passwordBody.decode({ values: { password: field('password') }, members: [] });
  if (isLeft(decoded)) return left(refusal('invalid_body', decoded.left));
  return bus.dispatch({ type: 'SetPassword', key, supplied: undefined, ...decoded.right });
};

export const editProperties: Perform = async (bus, { key, entityTag }, field) => {
  const object = readJsonObject(field('properties'));
  if (isLeft(object)) return left(refusal('invalid_json', [{ path: 'properties', message: object.left }]));
  const properties = decodePropertiesPatch(object.right);
  if (isLeft(properties)) return left(refusal('invalid_body', properties.left));
  const changeProperties = () => properties.right;
  return bus.dispatch({ type: 'EditProperties', key, supplied: undefined, ifMatch: [entityTag], changeProperties });
};
