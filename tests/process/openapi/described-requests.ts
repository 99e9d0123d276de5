import fc from 'fast-check';
import { addresses, codePoint } from '../../../sdk/contract/arbitraries.ts';
import type { Document, Judge } from './described-service.ts';

/** The keywords of JSON Schema that the documents use. A schema with another one fails, because it would not be tested. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly unevaluatedProperties?: Schema | false;
  readonly then?: Schema;
  readonly else?: Schema;
}
const known =
  /^(?:\$ref|type|enum|format|pattern|m(?:in|ax)(?:Length|imum)|items|required|properties|additionalProperties|unevaluatedProperties|propertyNames|not|if|then|else|default|title|description|examples|readOnly)$/;

// These limits of JSON are in the descriptions of the bodies.
const isKept = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isSafeInteger(value) || !/^-?\d+$/.test(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name !== '__proto__' && isKept(member));
};
const anyJson = fc.jsonValue({ maxDepth: 3 }).filter(isKept);
const anyText = fc.oneof(fc.string({ unit: codePoint, maxLength: 20 }), fc.string({ maxLength: 20 }));

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
  'idn-email': fc.oneof(fc.constant('jane@example.com'), addresses),
};

const textOf = ({ format, pattern, minLength = 0, maxLength, ...schema }: Schema): fc.Arbitrary<string> => {
  if (schema.then !== undefined && schema.else !== undefined) return fc.oneof(textOf(schema.then), textOf(schema.else));
  if (format !== undefined) return formats[format] ?? anyText;
  if (pattern !== undefined) return fc.oneof(fc.stringMatching(new RegExp(pattern, 'u')), anyText);
  const bounds = { minLength, maxLength: maxLength ?? minLength + 20, size: 'max' as const };
  return fc.oneof(fc.string(bounds), fc.string({ ...bounds, unit: codePoint }));
};

/** Values that a schema allows. */
export const allowedBy = (document: Document, judge: Judge) => {
  const ofType = (schema: Schema, type: string): fc.Arbitrary<unknown> => {
    const { minimum = -1e6, maximum = 1e6, items = {}, required = [], properties = {} } = schema;
    if (type === 'string') return textOf(schema);
    if (type === 'integer') return fc.integer({ min: Math.max(minimum, -(2 ** 40)), max: Math.min(maximum, 2 ** 40) });
    if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isKept);
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    if (type === 'array') return fc.array(allowed(items), { maxLength: 3 });
    const members = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, allowed(member)])),
      { requiredKeys: [...required] },
    );
    const others = fc.dictionary(anyText, anyJson, { maxKeys: 3 });
    return schema.additionalProperties === true
      ? fc.tuple(others, members).map(([other, member]) => ({ ...other, ...member }))
      : members;
  };
  const allowed = (schema: Schema): fc.Arbitrary<unknown> => {
    const unknown = Object.keys(schema).filter((keyword) => !known.test(keyword));
    if (unknown.length > 0) throw new Error(`the keywords ${unknown.join(', ')} are not tested`);
    if (schema.$ref !== undefined) {
      const named = document.components.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
      return allowed(Object(named));
    }
    const { type, enum: values } = schema;
    const candidates =
      values !== undefined
        ? fc.constantFrom(...values)
        : type === undefined
          ? anyJson
          : fc.oneof(...[type].flat().map((one) => ofType(schema, one)));
    return candidates.filter((value) => isKept(value) && judge(schema, value).length === 0);
  };
  return allowed;
};
