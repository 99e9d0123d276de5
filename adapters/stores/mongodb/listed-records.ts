import { BSON, type Document, type Filter } from 'mongodb';
import {
  escapeCharacter,
  type FieldCondition,
  type PropertyValue,
  positionAfter,
  typeOfValue,
  type UserFilter,
} from '../../../application/ports/user-listing.ts';
import { listedUser, unreadableUser } from '../../kit/user-json/stored-user.ts';
import { toStoredUser, type UserRecord } from './user-record.ts';

/** Sorts by characters, regardless of the collation of the collection. */
export const byCharacters = { locale: 'simple' } as const;

/** The unique index has an entry for each text of a damaged `email` that is a list, so that it has no place of its own. */
export const isList = { email: { $type: 'array' } } as const;

/** A pattern that matches a text. A null character is escaped, too, because no pattern can contain it. */
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');

/**
 * A pattern that matches the JSON of custom properties with a value, or with an escape. A number may also be written with
 * an exponent, with more digits than its double has, or without the exponent that JavaScript writes.
 */
const propertyPattern = (property: PropertyValue): string => {
  const { value } = property;
  const [name, text] = [property.name, value].map((part) => literally(JSON.stringify(part)));
  const decimal = String(Math.abs(Number(value)));
  const written = {
    number: `-?${decimal.includes('e') ? '[0-9]' : literally(decimal)}|-?[0-9.]+[eE]|-?[0-9.]{16,}|${text}`,
    boolean: `${value}|${text}`,
    text,
  }[typeOfValue(property) ?? 'text'];
  return `${literally(escapeCharacter)}|${name}\\s*:\\s*(?:${written})`;
};

const filterOf = (condition: FieldCondition): Filter<UserRecord> => {
  const { field } = condition;
  if (condition.test === 'equals') return { [field]: condition.value };
  // A field without a value is null, or absent in documents of former versions; null matches both.
  if (condition.test === 'exists') return { [field]: { $ne: null } };
  if (condition.test === 'absentOrAfter') return { $or: [{ [field]: null }, { [field]: { $gt: condition.value } }] };
  const { value, unless } = condition;
  return {
    $or: [
      { [field]: null },
      { [field]: { $lt: value } },
      ...(unless === undefined ? [] : [{ [unless]: { $ne: null } }]),
    ],
  };
};

/** What documents have to meet besides the prefix of the key. */
export const filtersOf = ({ addressContains, conditions, property }: UserFilter): readonly Filter<UserRecord>[] => {
  const filters = conditions.map(filterOf);
  if (addressContains !== '') filters.push({ email: { $regex: literally(addressContains) } });
  if (property !== undefined) filters.push({ properties: { $regex: propertyPattern(property) } });
  return filters;
};

/** Reads each document alone: the driver would reject all of them for one text with bytes that are no UTF-8. */
export const decode = (bytes: Uint8Array): { readonly document: Document; readonly isValid: boolean } => {
  try {
    return { document: BSON.deserialize(bytes, { bsonRegExp: true }), isValid: true };
  } catch (error) {
    if (!(error instanceof BSON.BSONError)) throw error;
    return { document: BSON.deserialize(bytes, { bsonRegExp: true, validation: { utf8: false } }), isValid: false };
  }
};

export const toListedUser = ({ document, isValid }: ReturnType<typeof decode>): ReturnType<typeof listedUser> => {
  const key = String(document.email);
  const position = positionAfter(key);
  return isValid ? listedUser(position, () => toStoredUser(document, key)) : [position, unreadableUser(['text'], key)];
};
