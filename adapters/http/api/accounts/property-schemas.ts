import type { PropertyRule, PropertyRules } from '../../../../domain/user-limits.ts';
import type { Schema } from '../route-types.ts';

/** Custom properties by name. */
export type Properties = Readonly<Record<string, unknown>>;

interface PropertyType {
  readonly schema: Schema;
  readonly example: unknown;
}

/** The types that a rule can name; any other name accepts every value. */
const types: Readonly<Record<string, PropertyType>> = {
  string: { schema: { type: 'string' }, example: 'a text' },
  integer: {
    schema: { type: 'integer', format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    example: 3,
  },
  double: { schema: { type: 'number' }, example: 1.5 },
  boolean: { schema: { type: 'boolean' }, example: true },
  list: { schema: { type: 'array', items: {} }, example: ['early'] },
  map: { schema: { title: 'AnyObject', type: 'object', additionalProperties: true }, example: { theme: 'dark' } },
};
const anyValue: PropertyType = { schema: {}, example: 'any value' };

const isUnique = 'No two users have the same.';
/** The types that a rule can name for a unique property. Another text cannot be compared. */
const uniqueTypes: Readonly<Record<string, PropertyType>> = {
  string: {
    schema: { type: 'string', minLength: 1, maxLength: 254, description: `${isUnique} Without control characters.` },
    example: 'jane',
  },
  integer: { schema: { ...types.integer?.schema, description: isUnique }, example: 3 },
};

const typeOf = ({ type, unique = false }: PropertyRule): PropertyType => {
  const known = unique ? uniqueTypes : types;
  return (Object.hasOwn(known, type) ? known[type] : undefined) ?? anyValue;
};

/** The description of each custom property that the rules name. */
const ofEach = <Value>(
  { allowed }: PropertyRules,
  describe: (type: PropertyType) => Value,
): Readonly<Record<string, Value>> => Object.fromEntries(allowed.map((rule) => [rule.name, describe(typeOf(rule))]));

/** Custom properties for an example: the allowed ones, or `free` where the rules name none and allow others. */
export const exampleProperties = (rules: PropertyRules | undefined, free: Properties): Properties =>
  rules === undefined || (rules.allowSuperset && rules.allowed.length === 0)
    ? free
    : ofEach(rules, ({ example }) => example);

/** A member that requests may have with any value, so that a user can be sent back as it was read. */
export const ignored: Schema = { readOnly: true, description: 'Ignored.' };

/** The schema of a property in a patch; without a name if null is allowed, too, because it is another schema then. */
const patchedProperty = (property: Schema, mayBeRemoved: boolean): Schema => {
  const { type, title: _, ...schema } = property;
  if (!mayBeRemoved) return type === undefined ? { ...schema, not: { const: null } } : property;
  return type === undefined ? schema : { ...schema, type: [type, 'null'] };
};

/** The schemas of the custom properties that the rules name, and of the `ignoredNames` if the rules allow no others. */
export const propertySchemas = (
  rules: PropertyRules | undefined,
  ignoredNames: readonly string[],
  schemaOf = ({ schema }: PropertyType) => schema,
) =>
  rules !== undefined && {
    ...ofEach(rules, schemaOf),
    ...(!rules.allowSuperset && Object.fromEntries(ignoredNames.map((name) => [name, ignored]))),
  };

/**
 * The schema of a patch whose fixed members are `members`, and in which `ignoredNames` have no effect. Null removes a
 * property, also one that the rules do not allow any more, unless users must have it.
 */
export const patchSchema = (
  title: string,
  members: Readonly<Record<string, Schema>>,
  rules: PropertyRules | undefined,
  ignoredNames: readonly string[],
): Schema => ({
  title,
  type: 'object',
  properties: {
    ...members,
    ...propertySchemas(rules, ignoredNames, ({ schema }) => patchedProperty(schema, rules?.allowSubset === true)),
  },
  // Not `additionalProperties`, whose schema generators of clients do not support here.
  ...(rules === undefined || rules.allowSuperset
    ? { additionalProperties: true }
    : { unevaluatedProperties: { type: 'null' } }),
});

/** What JSON may contain that is kept exactly; no schema can say it. */
export const jsonLimits =
  ' No object has two members of one name or one named `__proto__`, nothing is nested deeper than 32 levels, and no number written as an integer is beyond ±9007199254740991.';
