// Custom properties that not every client may read or write (docs/configuration.md, `auth.keys[].properties`).
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { type Failure, failure } from '../../../domain/failure.ts';
import type { CustomProperties } from '../../../domain/user.ts';
import { endOfString, unquote } from '../exact-json.ts';
import { asProperties, noProperties } from './user-writer.ts';

/** The names of the custom properties that a client may read and write; undefined for all of them. */
export interface PropertyAccess {
  readonly read?: ReadonlySet<string>;
  readonly write?: ReadonlySet<string>;
}

/** The same as lists of the configuration; null for all. */
export interface PropertyLists {
  readonly read: readonly string[] | null;
  readonly write: readonly string[] | null;
}

export const accessOf = ({ read, write }: PropertyLists): PropertyAccess => ({
  ...(read !== null && { read: new Set(read) }),
  ...(write !== null && { write: new Set(write) }),
});

interface Member {
  readonly name: string;
  /** The value as it is written. */
  readonly value: string;
  /** The name and the value as they are written. */
  readonly text: string;
}

/**
 * The members of the text of a JSON object, in one pass over its outermost level. Not with `readJsonObject`, which refuses
 * numbers that another program may have stored, and parses every value.
 */
const membersOf = (properties: CustomProperties): readonly Member[] => {
  const members: Member[] = [];
  if (properties === noProperties) return members;
  let depth = 0;
  let start = 1;
  let colon = 0;
  for (let at = 1; at < properties.length; at++) {
    const character = properties[at];
    if (character === '"') at = endOfString(properties, at) - 1;
    else if (character === ':' && colon === 0) colon = at;
    else if (character === '{' || character === '[') depth++;
    else if (depth > 0 && (character === '}' || character === ']')) depth--;
    else if (depth === 0 && colon > 0 && (character === ',' || character === '}')) {
      const quotedName = properties.slice(start, colon).trim();
      const value = properties.slice(colon + 1, at).trim();
      members.push({ name: unquote(quotedName), value, text: `${quotedName}:${value}` });
      start = at + 1;
      colon = 0;
    }
  }
  return members;
};

const propertiesWith = (members: readonly Member[]): CustomProperties =>
  members.length === 0 ? noProperties : asProperties(`{${members.map(({ text }) => text).join(',')}}`);

/** The custom properties whose names are in a list, exactly as they were written. */
export const visibleProperties = (properties: CustomProperties, read: ReadonlySet<string>): CustomProperties => {
  const members = membersOf(properties);
  const visible = members.filter(({ name }) => read.has(name));
  return visible.length === members.length ? properties : propertiesWith(visible);
};

const notWritable = (members: readonly Member[]): Failure<'not_permitted'> =>
  failure(
    'not_permitted',
    members.map(({ name }) => ({ path: name, message: 'may not be written with this key' })),
  );

/** Left: names what a new user or a patch has although the client may not write it. */
export const checkWritable = (
  { write }: PropertyAccess,
  sent: CustomProperties,
): Either<Failure<'not_permitted'>, CustomProperties> => {
  if (write === undefined) return right(sent);
  const denied = membersOf(sent).filter(({ name }) => !write.has(name));
  return denied.length > 0 ? left(notWritable(denied)) : right(sent);
};

/**
 * Whether a patch has properties that the client may not read. It is then written even if it changes nothing, because the
 * entity tag and the time would tell whether the client guessed the values.
 */
export const namesHidden = ({ read }: PropertyAccess, patch: CustomProperties): boolean =>
  read !== undefined && membersOf(patch).some(({ name }) => !read.has(name));

/**
 * What is stored where a client replaces the properties that it may read and write: those that it sends, in its order, and
 * all others, in their places. A property that it may not write can be repeated as it is stored, unless the client may not
 * read it either, because the response would tell whether it guessed the value. Left: names the properties that differ.
 */
export const replaceProperties = (
  { read, write }: PropertyAccess,
  stored: CustomProperties,
  sent: CustomProperties,
): Either<Failure<'not_permitted'>, CustomProperties> => {
  const before = membersOf(stored);
  const valuesBefore = new Map(before.map(({ name, value }) => [name, value]));
  const isHidden = (name: string) => read?.has(name) === false;
  const isFixed = (name: string) => write?.has(name) === false;
  const next = membersOf(sent);
  const denied = next.filter(
    ({ name, value }) => isFixed(name) && (isHidden(name) || valuesBefore.get(name) !== value),
  );
  if (denied.length > 0) return left(notWritable(denied));
  const names = new Set(next.map(({ name }) => name));
  const isKept = (name: string) => (isHidden(name) || isFixed(name)) && !names.has(name);
  // What is sent takes the places of what it replaces, so that repeating what was read changes nothing.
  const rest = next.values();
  const placed = before.flatMap((member) => (isKept(member.name) ? member : (rest.next().value ?? [])));
  return right(propertiesWith([...placed, ...rest]));
};
