import { type Either, isLeft, left, map, right } from 'fp-ts/lib/Either.js';
import type { FieldError } from '../../../../domain/failure.ts';
import type { CustomProperties } from '../../../../domain/user.ts';
import { type JsonObject, readJsonObject } from '../../../kit/exact-json.ts';
import { propertiesOf } from '../../../kit/user-json/user-codecs.ts';
import { fixedFields } from '../../../kit/user-json/user-writer.ts';
import { mergePatch } from '../../api/accounts/merge-patch.ts';
import { exampleProperties, jsonLimits, patchSchema } from '../../api/accounts/property-schemas.ts';
import { type RequestRefusal, refusal } from '../../api/refusal.ts';
import { patchBody } from '../../api/request-body.ts';
import { html, nothing } from '../../pages/html.ts';
import type { AdministeredOptions } from './administered-user.ts';
import { labelled } from './form-fields.ts';
import { jsonErrorIn } from './json-errors.ts';
import { pathTo } from './pages/page-frame.ts';
import { indentedJson } from './pages/readable-json.ts';
import {
  propertyFieldsOf,
  propertyRows,
  submittedProperties,
  withFormerTexts,
  withoutName,
} from './property-fields.ts';
import type { FormBody } from './user-action.ts';

const decodePatch = (body: JsonObject): Either<readonly FieldError[], CustomProperties> => {
  const fixed = Object.keys(body.values).filter((name) => fixedFields.has(name));
  return fixed.length === 0
    ? right(propertiesOf(body))
    : left(fixed.map((path) => ({ path, message: 'is not a custom property' })));
};

/** The object and the custom properties in the text of a form. */
export const readProperties = (
  text: string,
): Either<RequestRefusal, { readonly object: JsonObject; readonly properties: CustomProperties }> => {
  const object = readJsonObject(text);
  if (isLeft(object))
    return left(refusal('invalid_json', [{ path: 'properties', message: jsonErrorIn(text) ?? object.left }]));
  const properties = decodePatch(object.right);
  if (isLeft(properties)) return left(refusal('invalid_body', properties.left));
  return right({ object: object.right, properties: properties.right });
};

/** Returns the custom properties after a change. */
type PropertiesChange = (properties: CustomProperties) => CustomProperties;

/**
 * The body that changes custom properties: a JSON merge patch. Fixed fields are refused, because they have routes of
 * their own. Other members that only the service sets are ignored, so that a user can be sent back as it was read. The
 * form has a field for each property, or one for all of them as JSON, and replaces them as a whole.
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
  labels: { properties: 'Custom properties', [withoutName]: 'Name' },
  fields: ({ properties }, entered, errors, reference) => {
    const rows = propertyFieldsOf(properties);
    const isText = rows === undefined || entered('as') === 'json';
    const other = isText ? {} : { as: 'json' };
    const query = { ...reference, list: entered('list'), ...other };
    const link = html`<p><a href="${pathTo('/admin/properties', query)}">${isText ? 'Edit as fields' : 'Edit as JSON'}</a></p>`;
    if (!isText) return [propertyRows(rows, entered, errors), link];
    const text = entered('properties') === '' ? indentedJson(properties) : entered('properties');
    return [
      html`<input type="hidden" name="as" value="json">`,
      labelled(
        { id: 'properties', label: 'Custom properties as a JSON object', errors },
        (attributes) =>
          html`<textarea ${attributes} rows="${Math.min(40, Math.max(12, text.split('\n').length + 1))}" required spellcheck="false" autocapitalize="off">\n${text}</textarea>`,
      ),
      rows === undefined ? nothing : link,
    ];
  },
  read: (field) => {
    const isText = field('as') === 'json' || field('count') === '';
    const given = isText ? { text: field('properties') } : submittedProperties(field);
    if ('errors' in given) return left(refusal('invalid_json', given.errors));
    const read = readProperties(given.text);
    if (isLeft(read)) return read;
    const { object, properties: replaced } = read.right;
    // Nobody would see it again: responses have the member of the service instead.
    const hidden = Object.keys(object.values).filter((name) => ignoredNames.includes(name));
    if (hidden.length > 0)
      return left(
        refusal(
          'invalid_body',
          hidden.map((path) => ({ path, message: 'is set by the service; remove it here' })),
        ),
      );
    return right((properties) => (isText ? replaced : propertiesOf(withFormerTexts(object, properties))));
  },
  replacesShown: true,
});
