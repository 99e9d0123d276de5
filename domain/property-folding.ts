import { keyPrefix } from './email-address.ts';
import { usernameOf } from './precis-username.ts';
import type { UniqueProperty } from './user-name.ts';

/** How the values of a unique property are compared. */
export type Folding = 'exact' | 'caseless' | 'username';

/** The length of a value, and of its folded form, in UTF-16 code units: a key of every database has room for it. */
const maxLength = 254;

const foldings: Readonly<Record<Folding, (text: string) => string | undefined>> = {
  exact: (text) => text,
  /** As addresses are compared. */
  caseless: keyPrefix,
  username: usernameOf,
};

const requirements: Readonly<Record<Folding, string>> = {
  exact: `must have 1 to ${maxLength} characters, without control characters`,
  caseless: `must have 1 to ${maxLength} characters, without control characters`,
  username: `must be a user name (RFC 8265) of 1 to ${maxLength} characters, without spaces`,
};

const integer = /^(?:0|-?[1-9]\d*)$/;

/** An integer as a query writes it; undefined for other values. */
const integerText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' && integer.test(value) ? value : undefined;
};

const isValue = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= maxLength && text.isWellFormed() && !/\p{Cc}/u.test(text);

/** The unique property of an entry of `properties.allowed`. */
export const uniqueProperty = (name: string, type: string, folding: Folding): UniqueProperty => ({
  name,
  requirement: requirements[folding],
  fold: (value) => {
    const text = type === 'integer' ? integerText(value) : value;
    const folded = isValue(text) ? foldings[folding](text) : undefined;
    return isValue(folded) ? folded : undefined;
  },
});
