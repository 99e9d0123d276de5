import { isRight } from 'fp-ts/lib/Either.js';
import type { FieldError } from '../../../../domain/failure.ts';
import type { CustomProperties } from '../../../../domain/user.ts';
import { type JsonObject, readJsonObject } from '../../../kit/exact-json.ts';
import { type Html, html, nothing } from '../../pages/html.ts';
import { type FormErrors, labelled } from './form-fields.ts';
import { jsonErrorIn } from './json-errors.ts';
import { indentedJson } from './pages/readable-json.ts';
import type { FieldReader } from './user-action.ts';

/** How a value is shown and entered; `json` is what has no field of its own. */
const kinds = { text: 'Text', number: 'Number', flag: 'Yes or no', json: 'JSON' } as const;
type Kind = keyof typeof kinds;

const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text);

/** A property as the form has it. */
interface PropertyField {
  readonly name: string;
  readonly kind: Kind;
  readonly value: string;
  readonly isRemoved?: boolean;
}

/** More of them are edited as one JSON text. */
const maxFields = 60;
const maxFieldsLength = 32 * 1024;

// HTML keeps no other control characters, no half of a pair, and only one kind of line break. It keeps the joiners of
// emojis, and of names in Persian or Hindi.
const isFieldText = (text: string): boolean => !/[^\P{Cc}\n]|\p{Cs}/u.test(text);

const fieldOf = (name: string, value: unknown, json: string): PropertyField => {
  if (typeof value === 'string' && isFieldText(value)) return { name, kind: 'text', value };
  if (typeof value === 'number') return { name, kind: 'number', value: json };
  if (typeof value === 'boolean') return { name, kind: 'flag', value: json };
  return { name, kind: 'json', value: indentedJson(json) };
};

/** The text of a value in the text of its member. */
const valueIn = (name: string, text: string): string => text.slice(text.indexOf(':', JSON.stringify(name).length) + 1);

/** The properties of a user as fields; undefined if they are too many or too long for that. */
export const propertyFieldsOf = (properties: CustomProperties): readonly PropertyField[] | undefined => {
  const object = readJsonObject(properties);
  if (!isRight(object) || properties.length > maxFieldsLength) return undefined;
  const { members, values } = object.right;
  // An escape in a name would hide where the value begins, a form would send another line break or control character, and
  // the row for another property has an empty name.
  const isUsual = ({ name, text }: (typeof members)[number]) =>
    name !== '' && !/[\p{Cc}\p{Cs}]/u.test(name) && text.startsWith(`${JSON.stringify(name)}:`);
  if (members.length > maxFields || !members.every(isUsual)) return undefined;
  return members.map(({ name, text }) => fieldOf(name, values[name], valueIn(name, text)));
};

/** The fields of a submitted form, the last one for another property; undefined unless the form is whole. */
const submitted = (field: FieldReader): readonly PropertyField[] | undefined => {
  const count = field('count');
  if (!/^\d{1,2}$/.test(count) || Number(count) > maxFields) return undefined;
  const at = Array.from({ length: Number(count) + 1 }, (_, n) => n);
  // A field that did not arrive would remove its property, or make it a text.
  if (!at.slice(0, -1).every((n) => field(`name-${n}`) !== '' && isKind(field(`kind-${n}`)))) return undefined;
  return at.map((n) => {
    const kind = field(`kind-${n}`);
    return {
      name: field(`name-${n}`),
      kind: isKind(kind) ? kind : ('text' as const),
      // Browsers send line breaks as CRLF.
      value: field(`value-${n}`).replaceAll('\r\n', '\n'),
      isRemoved: field(`remove-${n}`) !== '',
    };
  });
};

const isFlag = (value: string): boolean => /^(?:true|yes|false|no)$/i.test(value);
const isYes = (value: string): boolean => /^(?:true|yes)$/i.test(value);

const control = ({ kind, value }: PropertyField, attributes: Html): Html => {
  if (kind === 'flag' && isFlag(value))
    return html`<select ${attributes}>${['true', 'false'].map(
      (option) =>
        html`<option value="${option}"${isYes(option) === isYes(value) ? ' selected' : ''}>${option === 'true' ? 'yes' : 'no'}</option>`,
    )}</select>`;
  if (kind === 'json' || value.includes('\n') || value.length > 80)
    return html`<textarea class="${kind === 'json' ? 'short' : 'short prose'}" ${attributes} rows="${Math.min(12, value.split('\n').length + 1)}" spellcheck="false" autocapitalize="off">\n${value}</textarea>`;
  return html`<input ${attributes} value="${value}"${kind === 'number' ? html` inputmode="decimal"` : nothing} autocomplete="off">`;
};

const row = (property: PropertyField, at: number, errors: FormErrors): Html => {
  const { name, kind, isRemoved = false } = property;
  const label = kind === 'text' ? name : `${name} (${kinds[kind]})`;
  return html`<div class="property"><div>${labelled({ id: `value-${at}`, path: name, label, errors }, (attributes) => control(property, attributes))}</div>
<label class="check"><input type="checkbox" name="remove-${at}" value="yes"${isRemoved ? html` checked` : nothing} aria-label="Remove ${name}"> Remove</label>
<input type="hidden" name="name-${at}" value="${name}"><input type="hidden" name="kind-${at}" value="${kind}"></div>\n`;
};

/** The path of an error of another property that has a value and no name. */
export const withoutName = '';

/** The row for another property. */
const addition = ({ name, kind, value }: PropertyField, at: number, errors: FormErrors): Html => {
  const options = Object.entries(kinds).map(
    ([option, label]) => html`<option value="${option}"${option === kind ? ' selected' : ''}>${label}</option>`,
  );
  return html`<fieldset class="addition"><legend>Another property</legend>
<div>${labelled({ id: `name-${at}`, path: withoutName, label: 'Name', errors }, (attributes) => html`<input ${attributes} value="${name}" autocomplete="off" autocapitalize="off" spellcheck="false">`)}</div>
<div>${labelled({ id: `kind-${at}`, label: 'Kind', errors: [] }, (attributes) => html`<select ${attributes}>${options}</select>`)}</div>
<div>${labelled({ id: `value-${at}`, path: name, label: 'Value', errors: name === withoutName ? [] : errors }, (attributes) => html`<input ${attributes} value="${value}" autocomplete="off">`)}</div></fieldset>`;
};

const none: PropertyField = { name: '', kind: 'text', value: '' };

/** A field for each property, and for another one. After a refusal they have what was entered. */
export const propertyRows = (fields: readonly PropertyField[], entered: FieldReader, errors: FormErrors): Html => {
  const shown = submitted(entered) ?? [...fields, none];
  const rows = shown.slice(0, -1).map((property, at) => row(property, at, errors));
  const count = shown.length - 1;
  return html`<input type="hidden" name="count" value="${count}">\n${rows}${addition(shown[count] ?? none, count, errors)}`;
};

/** The text of a value, or why it is none. */
const jsonOf = ({ kind, value }: PropertyField): { readonly json: string } | { readonly error: string } => {
  if (kind === 'text') return { json: JSON.stringify(value) };
  const trimmed = value.trim();
  if (kind === 'flag') return isFlag(trimmed) ? { json: String(isYes(trimmed)) } : { error: 'must be yes or no' };
  if (kind === 'number' && !/^-?\d[\d.eE+-]*$/.test(trimmed)) return { error: 'must be a number, such as 12 or -0.5' };
  // A value of its own, and not the rest of an object.
  const wrapped = `{"value":${trimmed}\n}`;
  const error = jsonErrorIn(wrapped);
  if (error !== undefined) return { error };
  const object = readJsonObject(wrapped);
  return isRight(object) && object.right.members.length === 1 ? { json: trimmed } : { error: 'must be one JSON value' };
};

/** The JSON object that a submitted form stands for, or what is wrong with its fields. */
export const submittedProperties = (
  field: FieldReader,
): { readonly text: string } | { readonly errors: readonly FieldError[] } => {
  const all = submitted(field);
  if (all === undefined) return { errors: [{ path: 'properties', message: 'did not arrive as a whole form' }] };
  const kept = all.filter(({ name, isRemoved }) => name !== '' && isRemoved !== true);
  const values = kept.map((property) => ({ name: property.name, ...jsonOf(property) }));
  const errors = values.flatMap((value) => ('error' in value ? [{ path: value.name, message: value.error }] : []));
  const names = kept.map(({ name }) => name);
  const repeated = names.filter((name, at) => names.indexOf(name) !== at);
  const unnamed = all.filter(({ name, value }) => name === '' && value !== '');
  const refused = [
    ...errors,
    ...repeated.map((path) => ({ path, message: 'is a property already' })),
    ...unnamed.map(() => ({ path: withoutName, message: 'must not be empty beside a value' })),
  ];
  if (refused.length > 0) return { errors: refused };
  return {
    text: `{${values.map((value) => `${JSON.stringify(value.name)}:${'json' in value ? value.json : ''}`).join(',')}}`,
  };
};

/** The new properties, in which the text of unchanged strings stays as it was written, with its escapes. */
export const withFormerTexts = (next: JsonObject, properties: CustomProperties): JsonObject => {
  const former = readJsonObject(properties);
  if (!isRight(former)) return next;
  const { members, values } = former.right;
  const texts = new Map(members.map(({ name, text }) => [name, text]));
  return {
    values: next.values,
    members: next.members.map((member) => {
      const { name } = member;
      const isSame = typeof values[name] === 'string' && values[name] === next.values[name];
      return isSame ? { name, text: texts.get(name) ?? member.text } : member;
    }),
  };
};
