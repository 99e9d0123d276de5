import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { guarded } from '../../../domain/codec.ts';
import { addressType } from '../../../domain/email-address.ts';
import { type FieldError, failure } from '../../../domain/failure.ts';
import type { CustomProperties, User } from '../../../domain/user.ts';
import { type FieldSetBy, fieldOf } from '../../../domain/user-fields.ts';
import {
  headerError,
  maxHeaderPasswordBytes,
  maxUserBytes,
  type PropertyRules,
  propertyErrors,
  type UserLimits,
} from '../../../domain/user-limits.ts';
import { maxReasonLength } from '../../../domain/user-state.ts';
import { type JsonObject, readJsonObject } from '../exact-json.ts';
import { asProperties, fixedFields, noProperties, responseFields, userJson } from './user-writer.ts';

/** The custom properties of a user's JSON, exactly as they were written except for insignificant white space. */
export const propertiesOf = ({ members }: JsonObject): CustomProperties => {
  let custom = '';
  for (const { name, text } of members) if (!fixedFields.has(name)) custom += (custom === '' ? '{' : ',') + text;
  return custom === '' ? noProperties : asProperties(`${custom}}`);
};

/** Custom properties without one of them: the same text if it is not there. */
const withoutProperty = (properties: CustomProperties, name: string): CustomProperties => {
  const object = readJsonObject(properties);
  if (isLeft(object)) throw new TypeError('custom properties are the text of a JSON object');
  const others = object.right.members.filter((member) => member.name !== name);
  if (others.length === object.right.members.length) return properties;
  return others.length === 0 ? noProperties : asProperties(`{${others.map(({ text }) => text).join(',')}}`);
};

/** A codec with a fixed error message. */
export const memberCodec = <A>(is: (value: unknown) => value is A, message: string): t.Type<A, unknown, unknown> =>
  guarded(message, is, message);

/**
 * Text without lone surrogates. UTF-8 encodes all of them alike, so that different passwords would have the same hash.
 */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

const verified = memberCodec(t.boolean.is, 'must be true or false');
const verificationToken = memberCodec(
  (value): value is string | null => value === null || isText(value),
  'must be a string or null',
);
export const password = memberCodec(
  (value): value is string => isText(value) && value !== '',
  'must be a non-empty string',
);
/** Why a user is disabled. */
export const disabledReason = memberCodec(
  (value): value is string => isText(value) && value.trim() !== '' && [...value].length <= maxReasonLength,
  `must be a text of 1 to ${maxReasonLength} characters`,
);

type EmailMembers = Readonly<Record<string, t.Mixed>>;

/** A codec of `email` with further optional members. */
export const emailCodec = <Members extends EmailMembers>(optional: Members) =>
  t.intersection([t.type({ address: addressType }), t.partial(optional)]);

type EmailMember = Exclude<FieldSetBy<'requests' | 'updates', 'email'>, 'address'>;

/** The optional members of `email` in a request. */
export const emailMembers = { verified, verificationToken } satisfies Record<EmailMember, t.Mixed>;

const nullableVerified = memberCodec(
  (value): value is boolean | null => value === null || t.boolean.is(value),
  'must be true or false',
);
/** `email` in a whole user. Clients of other implementations write null for what they do not set. */
export const emailOfUser = emailCodec({ ...emailMembers, verified: nullableVerified });

/** The errors of a failed decoding, one for each path. They contain no value. */
export const fieldErrors = (errors: t.Errors): readonly FieldError[] => {
  const messages = new Map<string, string>();
  for (const { value, context, message } of errors) {
    // The context lists the parts of an intersection as numbers, and each part reports a value that is no object.
    const path = context.map(({ key }) => key).filter((key) => /\D/.test(key));
    messages.set(path.join('.'), value === undefined ? 'is required' : (message ?? 'must be an object'));
  }
  return [...messages].map(([path, message]) => ({ path, message }));
};

/** Unknown members of `email`: a misspelt name would otherwise be lost without an error. */
const unknownEmailMembers = (email: unknown, known: EmailMembers): readonly FieldError[] =>
  typeof email !== 'object' || email === null
    ? []
    : Object.keys(email)
        .filter((key) => key !== 'address' && !Object.hasOwn(known, key))
        .map((key) => ({ path: `email.${key}`, message: 'is not a member of email' }));

/** Decodes a user, whose `email` may have the members `known` besides the address. Left: every error. */
export const decodeUser = <A>(
  codec: t.Type<A, unknown, unknown>,
  known: EmailMembers,
  { values }: JsonObject,
): Either<readonly FieldError[], A> => {
  const decoded = codec.decode(values);
  const unknown = unknownEmailMembers(values.email, known);
  if (isLeft(decoded)) return left([...fieldErrors(decoded.left), ...unknown]);
  return unknown.length > 0 ? left(unknown) : decoded;
};

const textFields = responseFields.filter(({ kind }) => kind === 'text' || kind === 'address');
const maxOtherBytes = responseFields.reduce((sum, { name }) => sum + name.length + 24, 20);

/**
 * Serializes only users that may be too large: a character takes at most 3 bytes of JSON, or 6 where it may be escaped.
 */
const isTooLarge = (user: User): boolean => {
  let maxBytes = maxOtherBytes + 3 * user.properties.length;
  for (const field of textFields) maxBytes += 6 * String(fieldOf(user, field) ?? '').length;
  return maxBytes > maxUserBytes && Buffer.byteLength(userJson(user)) > maxUserBytes;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header cannot carry
const controlCharacters = /[\0-\x08\x0a-\x1f\x7f]/;

/** Why the `password` header cannot carry a text as it is, one error for each reason. */
const headerErrors = (password: string): readonly FieldError[] => {
  const errors = [
    /^[\t ]|[\t ]$/.test(password) && headerError('outerSpaces'),
    controlCharacters.test(password) && headerError('controlCharacters'),
    Buffer.byteLength(password) > maxHeaderPasswordBytes && headerError('tooManyBytes'),
  ];
  return errors.filter((error) => error !== false);
};

/**
 * The limits of stored users: the maximum size, the configured rules for custom properties, if any, and whether new
 * passwords must fit into a header.
 */
export const userLimits = (rules?: PropertyRules, headerSafe = false): UserLimits => ({
  checkProperties: (properties) => {
    if (Buffer.byteLength(properties) > maxUserBytes) return left(failure('user_too_large'));
    const errors = rules === undefined ? [] : propertyErrors(rules, JSON.parse(properties));
    return errors.length > 0 ? left(failure('invalid_properties', errors)) : right(properties);
  },
  checkUnique: right,
  withId: (user, id) => ({ ...user, id, properties: withoutProperty(user.properties, 'id') }),
  checkPassword: (password) => {
    const errors = headerSafe ? headerErrors(password) : [];
    return errors.length > 0 ? left(failure('unsuitable_password', errors)) : right(password);
  },
  checkSize: (user) => (isTooLarge(user) ? left(failure('user_too_large')) : right(user)),
});
