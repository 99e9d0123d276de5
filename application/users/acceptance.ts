import { breaches, type CustomProperties, type PropertyRules } from '../../domain/custom-properties.ts';
import { type Failure, failure } from '../../domain/failure.ts';
import { largestUser } from '../../domain/user.ts';

/**
 * Why custom properties can't be stored whoever's they are, or undefined: `user_too_large`, `invalid_properties`.
 * Asked before anything is read or hashed, because the request alone decides it.
 */
export const refusalOf = (properties: CustomProperties, rules: PropertyRules | null): Failure | undefined => {
  if (Buffer.byteLength(properties) > largestUser) return failure('user_too_large');
  const broken = rules === null ? [] : breaches(rules, properties);
  return broken.length > 0 ? failure('invalid_properties', broken) : undefined;
};
