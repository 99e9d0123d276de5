import { isLeft } from 'fp-ts/lib/Either.js';
import { parse } from 'fp-ts/lib/Json.js';
import { lossIn, readJsonObject } from '../../../kit/exact-json.ts';

/** The tokens of a text that may not be JSON, without white space; a quote that is not closed is a token of its own. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:"]|[^\s"{}[\],:]+/g;

/** What may come next. */
type Expected = 'value' | 'first item' | 'name' | 'first name' | 'colon' | 'more' | 'nothing';

/** What may come after a token; undefined if it may not stand here. `open` has the brackets that are open. */
const after = (token: string, expected: Expected, open: string[]): Expected | undefined => {
  const isValue = expected === 'value' || expected === 'first item';
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : 'more');
  const close = (bracket: string, first: Expected): Expected | undefined => {
    if (open.at(-1) !== bracket || (expected !== first && expected !== 'more')) return undefined;
    open.pop();
    return afterValue();
  };
  switch (token) {
    case '{':
    case '[':
      if (!isValue) return undefined;
      open.push(token);
      return token === '{' ? 'first name' : 'first item';
    case '}':
      return close('{', 'first name');
    case ']':
      return close('[', 'first item');
    case ',':
      if (expected !== 'more') return undefined;
      return open.at(-1) === '{' ? 'name' : 'value';
    case ':':
      return expected === 'colon' ? 'value' : undefined;
    default:
      if (isLeft(parse(token))) return undefined;
      if (expected === 'name' || expected === 'first name') return token.startsWith('"') ? 'colon' : undefined;
      return isValue ? afterValue() : undefined;
  }
};

/** The index of the first character at which a text is no JSON any more. */
const syntaxErrorIn = (text: string): number => {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const next = after(token, expected, open);
    if (next === undefined) return index;
    expected = next;
  }
  return text.trimEnd().length;
};

/** Why a text is no JSON object that can be kept, for a person: with its line if it has several; undefined if it is one. */
export const jsonErrorIn = (text: string): string | undefined => {
  const object = readJsonObject(text);
  if (!isLeft(object)) return undefined;
  const error = object.left;
  const at = error === 'must be valid JSON' ? syntaxErrorIn(text) : lossIn(text);
  return `${error} (line ${text.slice(0, at).split('\n').length})`;
};
