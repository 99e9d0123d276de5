import { left, right } from 'fp-ts/lib/Either.js';
import { Fault } from '../../../application/fault.ts';
import { asStored, type StoredUser } from '../../../application/ports/user-store.ts';
import type { Decoder } from '../../../domain/codec.ts';
import { EmailAddress, keyOf } from '../../../domain/email-address.ts';
import { CustomProperties as Properties, type User, UserId } from '../../../domain/user.ts';
import { type PartValues, type UserField, userFields, withParts } from '../../../domain/user-fields.ts';
import { maxUserBytes } from '../../../domain/user-limits.ts';
import { isUserName, type UserName } from '../../../domain/user-name.ts';
import { isReserved } from './reserved-record.ts';
import { fixedFields, noProperties } from './user-writer.ts';

/** The longest key of an address, in characters; that of a damaged record can be longer. */
const maxNameLength = 254;

/**
 * The Fault of a stored user that another program wrote or damaged. It names the fields, and the record by its key for the
 * log, and holds no value.
 */
export const unreadableUser = (fields: readonly string[], key?: string): Fault =>
  new Fault('store_rejected', `a stored user has no readable ${fields.join(', ')}`, {
    record: key?.slice(0, maxNameLength),
  });

/**
 * Whether a text that a driver has decoded may have been bytes that are not UTF-8: drivers read U+FFFD for them, and the next
 * change of the user would store that.
 */
export const mayBeMisread = (text: unknown): boolean => typeof text === 'string' && text.includes('\ufffd');

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
const readProperties = (text: unknown): CustomProperties | undefined => {
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

/** Whether a value is one of its kind; a text may be empty. */
const isOfKind: Readonly<Record<UserField['kind'], (value: unknown) => boolean>> = {
  address: EmailAddress.is,
  flag: (value) => typeof value === 'boolean',
  text: (value) => typeof value === 'string',
  time: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  id: UserId.is,
  properties: (value) => value !== undefined,
};

const fieldRules = userFields.map(({ name, of, member, kind, presence }) => ({
  name,
  of,
  member,
  isProperties: kind === 'properties',
  isValid: isOfKind[kind],
  isNullable: presence === 'nullable',
  isOptional: presence === 'optional',
}));

type Members = { [name: string]: unknown };

// The compiler checks the list of fields against the type User, and `assembleUser` each value against the list.
const isUser = (_user: Members, invalid: readonly string[]): _user is Members & User => invalid.length === 0;
const arePartValues = (_values: Members, invalid: readonly string[]): _values is Members & PartValues =>
  invalid.length === 0;

/** Throws if the address does not belong to the key, or if there is no password. */
const checkIdentity = ({ email: { address }, password }: User, key: string | undefined): void => {
  if (password === '') throw unreadableUser(['password'], key);
  if (key !== undefined && address !== key && keyOf(address) !== key) throw unreadableUser(['address'], key);
};

/**
 * Assembles a user from the stored values of `userFields`, in their order; null stands for none. Throws the Fault
 * `store_rejected` if one is not a value of its field, or if the address does not belong to the key of the record.
 */
export const assembleUser = (values: readonly unknown[], key?: string): User => {
  const verification: Members = {};
  const email: Members = { verification };
  const user: Members = { email };
  // Most users have no value of an optional part, which then costs nothing.
  let ofParts: Members | undefined;
  const invalid: string[] = [];
  let position = 0;
  for (const rule of fieldRules) {
    const stored = values[position++];
    // Most optional fields have no value: the others of the rule are read after this.
    if (stored === null && rule.isOptional) continue;
    const { name, of, member, isProperties: areProperties, isValid, isNullable } = rule;
    const value = areProperties ? readProperties(stored) : stored;
    if (!isValid(value) && (value !== null || !isNullable)) invalid.push(name);
    if (of === 'user') user[member] = value;
    else if (of === 'verification') verification[member] = value;
    else if (of === 'email') email[member] = value;
    else {
      ofParts ??= {};
      ofParts[name] = value;
    }
  }
  // The time of a token that another program removed means nothing.
  if (verification.token === null && verification.tokenTime !== undefined) delete verification.tokenTime;
  if (!isUser(user, invalid)) throw unreadableUser(invalid, key);
  checkIdentity(user, key);
  return ofParts !== undefined && arePartValues(ofParts, invalid) ? withParts(user, ofParts) : user;
};

// RFC 9110, section 8.8.3; callers get the version as an entity tag.
const versions = /^[!#-~]{1,200}$/;

const passwordPosition = userFields.findIndex(({ name }) => name === 'password');

const areNames = (values: readonly unknown[]): values is readonly UserName[] =>
  values.every((value) => typeof value === 'string' && isUserName(value));

/** The names in JSON, or what `storedUser` refuses instead. */
export const namesIn = (text: unknown): readonly unknown[] => {
  if (typeof text !== 'string') return text === null || text === undefined ? [] : [text];
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names : [names];
  } catch {
    return [undefined];
  }
};

/** The user, version and names in a record; undefined if it only reserves its address. Throws the Fault of `unreadableUser`. */
export const storedUser = (
  key: string,
  version: unknown,
  values: readonly unknown[],
  names: readonly unknown[] = [],
): StoredUser | undefined => {
  if (values[passwordPosition] === '') {
    const record = Object.fromEntries(userFields.map(({ name }, position) => [name, values[position]]));
    if (isReserved(key, record)) return undefined;
  }
  if (typeof version !== 'string' || !versions.test(version)) throw unreadableUser(['version'], key);
  if (!areNames(names)) throw unreadableUser(['names'], key);
  return asStored(assembleUser(values, key), version, names);
};

/** A record at a position of a listing: its user, why it cannot be read, or undefined for a reservation. */
export const listedUser = (
  position: string,
  read: () => StoredUser | undefined,
): readonly [string, User | Fault | undefined] => {
  try {
    return [position, read()?.user];
  } catch (error) {
    if (error instanceof Fault) return [position, error];
    throw error;
  }
};
