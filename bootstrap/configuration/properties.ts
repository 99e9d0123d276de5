import { right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { block, required, withDefault } from '../../adapters/kit/option-block.ts';
import { flag, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { fixedFields } from '../../adapters/kit/user-json.ts';
import type { PropertyRules } from '../../domain/custom-properties.ts';

/** An entry of `properties.allowed`. */
export const allowedBlock = block({
  name: required(
    refine(text, (name) => !fixedFields.has(name), 'is a field that every user has, and no custom property'),
    'The name of the property.',
  ),
  type: required(
    text,
    'string, integer, double, boolean, list or map; any other word, such as object, accepts anything.',
  ),
});

/** The block `properties` (specification, section 1). */
export const propertiesBlock = block({
  allowSubset: withDefault(flag, true, 'Whether a user may lack allowed properties.'),
  allowSuperset: withDefault(flag, true, 'Whether a user may have properties beside the allowed ones.'),
  allowed: withDefault(list(allowedBlock), [], 'The properties that a user may have, each with its type.'),
});

/** Decodes the block; null when it is absent, and then properties are not checked. */
export const decodeProperties = (given: unknown, context: t.Context): t.Validation<PropertyRules | null> =>
  given === undefined ? right(null) : propertiesBlock.validate(given, context);
