import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { EmailAddress } from '../../domain/email-address.ts';
import { type CustomProperties as Properties, type User, type UserField, userFields } from '../../domain/user.ts';
import { readJsonObject } from './exact-json.ts';
import { isProperties } from './user-json.ts';

export type CustomProperties = Properties;

/** Decodes the text of custom properties in a store. */
export const CustomProperties = new t.Type<CustomProperties, string, unknown>(
  'CustomProperties',
  isProperties,
  (value, context) => (isProperties(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
);

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

/** A stored user that another program wrote or damaged. The message names the fields and holds no value. */
export class UnreadableUser extends Error {
  constructor(fields: readonly string[]) {
    super(`a stored user has no readable ${fields.join(', ')}`);
  }
}

const typeOf = { address: 'string', flag: 'boolean', text: 'string', time: 'number', properties: 'string' } as const;

const fieldRules = userFields.map(({ in: owner, name, kind, presence }) => ({
  name,
  isOfEmail: owner === 'email',
  type: typeOf[kind],
  isNullable: presence === 'nullable',
  isOptional: presence === 'optional',
}));

type Members = { [name: string]: unknown };

// The compiler checks the list of fields against the type User, and `assembleUser` each value against the list.
const isUser = (_user: Members, invalid: readonly string[]): _user is Members & User => invalid.length === 0;

/**
 * Assembles a user from the values of `userFields`, in their order; null stands for none. Throws UnreadableUser if a
 * value does not have the type of its field.
 */
export const assembleUser = (values: readonly unknown[]): User => {
  const email: Members = {};
  const user: Members = { email };
  const invalid: string[] = [];
  let position = 0;
  for (const field of fieldRules) {
    const value = values[position++];
    if (value === null && field.isOptional) continue;
    if (typeof value !== field.type && (value !== null || !field.isNullable)) invalid.push(field.name);
    if (field.isOfEmail) email[field.name] = value;
    else user[field.name] = value;
  }
  if (isUser(user, invalid)) return user;
  throw new UnreadableUser(invalid);
};

/** Whether a value has the format of its kind, for stores that other programs can write to. */
export const hasFormat = (kind: UserField['kind'], value: unknown): boolean => {
  if (kind === 'address') return EmailAddress.is(value);
  return kind !== 'properties' || isProperties(value);
};
