import * as t from 'io-ts';
import type { FieldError } from './failure.ts';

interface CustomPropertiesBrand {
  readonly CustomProperties: unique symbol;
}

/**
 * A user's custom properties, as the text of one JSON object.
 * They stay text between the request and the answer, so that no store's own encoding and no number format can change them.
 */
export type CustomProperties = t.Branded<string, CustomPropertiesBrand>;

const isObjectText = (value: unknown): value is CustomProperties =>
  typeof value === 'string' && value.startsWith('{') && value.endsWith('}');

/** Takes the text of a JSON object whose syntax its source vouches for: the reader of a body, or the store that kept it. */
export const CustomProperties = new t.Type<CustomProperties, string, unknown>(
  'CustomProperties',
  isObjectText,
  (value, context) => (isObjectText(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
);

/** Brands the text of a JSON object; throws a TypeError on anything else, which is a bug of the caller. */
export const asProperties = (json: string): CustomProperties => {
  if (!isObjectText(json)) throw new TypeError('custom properties are the text of a JSON object');
  return json;
};

/** No custom properties. */
export const noProperties: CustomProperties = asProperties('{}');

/** Types that a rule can name (specification, section 1, `properties`); any other name accepts any value. */
const matches: Readonly<Record<string, { readonly is: (value: unknown) => boolean; readonly a: string }>> = {
  string: { is: (value) => typeof value === 'string', a: 'a string' },
  integer: { is: (value) => Number.isInteger(value), a: 'an integer' },
  double: { is: (value) => Number.isFinite(value), a: 'a number' },
  boolean: { is: (value) => typeof value === 'boolean', a: 'a boolean' },
  list: { is: (value) => Array.isArray(value), a: 'a list' },
  map: { is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), a: 'a map' },
};

export interface PropertyRule {
  readonly name: string;
  readonly type: string;
}

/** Which custom properties a user may and must have. */
export interface PropertyRules {
  readonly allowSubset: boolean;
  readonly allowSuperset: boolean;
  readonly allowed: readonly PropertyRule[];
}

/** What the properties break of the rules, one entry for each property; empty when they keep them all. */
export const breaches = (rules: PropertyRules, properties: CustomProperties): readonly FieldError[] => {
  const values = new Map<string, unknown>(Object.entries(JSON.parse(properties)));
  const errors: FieldError[] = [];
  for (const { name, type } of rules.allowed) {
    const rule = Object.hasOwn(matches, type) ? matches[type] : undefined;
    if (!values.has(name)) {
      if (!rules.allowSubset) errors.push({ path: name, message: 'is required' });
    } else if (rule !== undefined && !rule.is(values.get(name))) {
      errors.push({ path: name, message: `must be ${rule.a}` });
    }
  }
  if (!rules.allowSuperset) {
    const names = new Set(rules.allowed.map((rule) => rule.name));
    for (const name of values.keys()) {
      if (!names.has(name)) errors.push({ path: name, message: 'is not an allowed property' });
    }
  }
  return errors;
};
