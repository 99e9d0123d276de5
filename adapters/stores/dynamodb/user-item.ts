import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type User, userFields } from '../../../domain/user.ts';
import { assembleUser, hasFormat, UnreadableUser } from '../../kit/stored-user.ts';

/** An item in DynamoDB's own form: each value under the letter of its type. */
export type Item = Record<string, AttributeValue>;

/** The partition key of the table of users, of type S. */
export const keyAttribute = 'email';

export const keyItem = (key: EmailKey): Item => ({ [keyAttribute]: { S: key } });

/** DynamoDB sends numbers as text. Those written here are whole and within 2^53, where none is rounded. */
export const wholeNumber = new t.Type<number, string, unknown>(
  'whole number',
  t.number.is,
  (value, context) => {
    const read = typeof value === 'string' ? Number(value) : Number.NaN;
    return Number.isSafeInteger(read) ? t.success(read) : t.failure(value, context);
  },
  String,
);

const toAttribute = (value: string | number | boolean | null): AttributeValue => {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  return typeof value === 'number' ? { N: String(value) } : { S: value };
};

/** The value of an attribute; undefined for a type that no field has. */
const fromAttribute = ({ S, N, BOOL, NULL }: AttributeValue): unknown => {
  if (NULL === true) return null;
  if (N === undefined) return S ?? BOOL;
  const number = Number(N);
  return Number.isSafeInteger(number) ? number : undefined;
};

/** The item of a user. An optional field without a value has no attribute; the properties stay one text. */
export const toItem = (user: User, version: string): Item => {
  const item: Item = { ...keyItem(keyOf(user.email.address)), version: { S: version } };
  for (const field of userFields) {
    const value = fieldOf(user, field);
    if (value !== undefined) item[field.name] = toAttribute(value);
  }
  return item;
};

/** The user in an item; throws a Fault `store_rejected` when another program wrote it. */
export const toStoredUser = (item: Item): StoredUser => {
  const version = versionIn(item);
  const values = userFields.map(({ name, kind, presence }) => {
    const attribute = item[name];
    if (attribute === undefined) return presence === 'optional' ? null : undefined;
    const value = fromAttribute(attribute);
    return hasFormat(kind, value) ? value : undefined;
  });
  try {
    if (version !== undefined) return { version, user: assembleUser(values) };
  } catch (error) {
    if (!(error instanceof UnreadableUser)) throw error;
  }
  throw new Fault('store_rejected', 'DynamoDB: an item of the table is not a user');
};

/** The version in an item; undefined where there is no item, or one of another program. */
export const versionIn = (item: Item | undefined): string | undefined => item?.version?.S;

/** The key in an item, which DynamoDB guarantees. */
export const keyIn = (item: Item): string => {
  const key = item[keyAttribute]?.S;
  if (key === undefined) throw new Fault('store_rejected', 'DynamoDB: an item has no key');
  return key;
};
