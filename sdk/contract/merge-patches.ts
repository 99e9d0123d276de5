import * as fc from 'fast-check';
import { propertyValues } from './arbitraries.ts';

/** The test cases of RFC 7396, appendix A: an original, a patch and the result. */
export const patchVectors: readonly (readonly [target: string, patch: string, result: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pseudocode of RFC 7396, section 2, for parsed values. */
export const mergeValues = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergeValues(members.get(name), value));
  }
  return Object.fromEntries(members);
};

/** A patch of some members of a value: removes, replaces or merges them. */
const patchOf = (target: Readonly<Record<string, unknown>>): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc
    .tuple(
      propertyValues,
      ...Object.entries(target).map(([name, value]) =>
        fc
          .option(fc.oneof(propertyValues, ...(isObject(value) ? [patchOf(value)] : []), fc.constant(value)))
          .chain((change) => fc.constantFrom({}, { [name]: change })),
      ),
    )
    .map((parts) => Object.assign({}, ...parts));

/** Integers that share their double with others, which bodies must not have. */
const isLossy = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Custom properties and a patch that has names in common with them, without -0, which JSON.stringify does not keep. */
export const patchedValues = propertyValues
  .chain((target) => fc.record({ target: fc.constant(target), patch: patchOf(target) }))
  .map((values): typeof values => JSON.parse(JSON.stringify(values), (_, value) => (isLossy(value) ? 0 : value)));
