import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Decoder } from '../../../domain/codec.ts';
import { CustomProperties as Properties } from '../../../domain/user.ts';
import { maxUserBytes } from '../../../domain/user-limits.ts';
import { readJsonObject } from '../exact-json.ts';
import { fixedFields, noProperties } from './user-writer.ts';

export type CustomProperties = Properties;

/** No property, with white space: nothing but a brace can follow the comma after the other fields of a user. */
const blank = /^\{[\t\n\r ]*\}$/;

/** The maximum nesting of custom properties: the user is the first of 32 levels. */
const maxDepth = 32;

/** Whether a text has so few brackets that it cannot be nested too deeply, which is cheaper than to look at its values. */
const isFlat = (text: string): boolean => {
  let openings = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++openings > maxDepth) return false;
  return true;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/**
 * The custom properties in a stored value; undefined unless it is the text of a JSON object that can be a part of a user's
 * JSON. The text is parsed, because one that is not JSON would break every page that contains its user.
 */
export const readProperties = (text: unknown): CustomProperties | undefined => {
  if (text === noProperties) return noProperties;
  if (!Properties.is(text) || text.length > maxUserBytes) return undefined;
  try {
    const values: object = JSON.parse(text);
    if (!isFlat(text) && isDeeper(values, maxDepth)) return undefined;
    for (const name of fixedFields) if (Object.hasOwn(values, name)) return undefined;
    return blank.test(text) ? noProperties : text;
  } catch {
    return undefined;
  }
};

/** Decodes the text of custom properties in a store. */
export const CustomProperties: Decoder<CustomProperties> = {
  name: 'CustomProperties',
  is: (value): value is CustomProperties => readProperties(value) !== undefined,
  decode: (value) => {
    const properties = readProperties(value);
    return properties === undefined ? left([{}]) : right(properties);
  },
};

/**
 * The text of each property by its name. Empty for a text that the service would refuse, which another program has
 * written.
 */
const textsOf = (properties: CustomProperties): ReadonlyMap<string, string> => {
  const object = readJsonObject(properties);
  return new Map(isLeft(object) ? [] : object.right.members.map(({ name, text }) => [name, text]));
};

/**
 * The names of the properties that were added, removed or written differently, such as 1.0 instead of 1. Their order does
 * not count.
 */
export const changedProperties = (previous: CustomProperties, next: CustomProperties): readonly string[] => {
  if (previous === next) return [];
  const before = textsOf(previous);
  const after = textsOf(next);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
};
