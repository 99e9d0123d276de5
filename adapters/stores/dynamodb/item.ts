import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { EmailAddress, type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { Email, User } from '../../../domain/user.ts';
import { CustomProperties } from '../../kit/user-json.ts';

/** An item, or a part of one, in DynamoDB's own form: each value under the letter of its type. */
export type Item = Record<string, AttributeValue>;

/** The partition key of the table, whose type is S. */
export const keyAttribute = 'email';

/** What names the item of a user. */
export const keyItem = (key: EmailKey): Item => ({ [keyAttribute]: { S: key } });

/** DynamoDB sends numbers as text; those written here are whole and within 2^53, where none is rounded. */
export const wholeNumber = new t.Type<number, string, unknown>(
  'whole number',
  t.number.is,
  (value, context) => {
    const read = typeof value === 'string' ? Number(value) : Number.NaN;
    return Number.isSafeInteger(read) ? t.success(read) : t.failure(value, context);
  },
  String,
);

/** A time that is absent where it is not known. */
const time = t.union([t.type({ N: wholeNumber }), t.undefined]);

const storedItem = t.type({
  version: t.type({ S: t.string }),
  address: t.type({ S: EmailAddress }),
  verified: t.type({ BOOL: t.boolean }),
  verificationToken: t.union([t.type({ S: t.string }), t.type({ NULL: t.literal(true) })]),
  tokenTime: time,
  mailTime: time,
  password: t.type({ S: t.string }),
  creationTime: t.type({ N: wholeNumber }),
  lastUpdateTime: t.type({ N: wholeNumber }),
  properties: t.type({ S: CustomProperties }),
});

type StoredItem = t.TypeOf<typeof storedItem>;

/** The item of a user. The properties stay one text, so that no encoding of the engine can change them. */
export const toItem = (user: User, version: string): Item => {
  const { address, verified, verificationToken, tokenTime, mailTime } = user.email;
  return {
    ...keyItem(keyOf(address)),
    version: { S: version },
    address: { S: address },
    verified: { BOOL: verified },
    verificationToken: verificationToken === null ? { NULL: true } : { S: verificationToken },
    ...(tokenTime !== undefined && { tokenTime: { N: String(tokenTime) } }),
    ...(mailTime !== undefined && { mailTime: { N: String(mailTime) } }),
    password: { S: user.password },
    creationTime: { N: String(user.creationTime) },
    lastUpdateTime: { N: String(user.lastUpdateTime) },
    properties: { S: user.properties },
  };
};

const toEmail = (item: Pick<StoredItem, keyof Email>): Email => ({
  address: item.address.S,
  verified: item.verified.BOOL,
  verificationToken: 'S' in item.verificationToken ? item.verificationToken.S : null,
  ...(item.tokenTime && { tokenTime: item.tokenTime.N }),
  ...(item.mailTime && { mailTime: item.mailTime.N }),
});

/** The user in an item; throws a Fault `store_rejected` when somebody else's program wrote it. */
export const toStoredUser = (item: Item): StoredUser => {
  const decoded = storedItem.decode(item);
  if (isLeft(decoded)) throw new Fault('store_rejected', 'DynamoDB: an item of the table is not a user');
  const { version, password, creationTime, lastUpdateTime, properties, ...email } = decoded.right;
  return {
    version: version.S,
    user: {
      email: toEmail(email),
      password: password.S,
      creationTime: creationTime.N,
      lastUpdateTime: lastUpdateTime.N,
      properties: properties.S,
    },
  };
};

/** The version in an item; undefined when there is no item, or none of ours. */
export const versionIn = (item: Item | undefined): string | undefined => item?.version?.S;

/** The key in an item; throws a Fault `store_rejected` when there is none, which DynamoDB does not let happen. */
export const keyIn = (item: Item): string => {
  const key = item[keyAttribute]?.S;
  if (key === undefined) throw new Fault('store_rejected', 'DynamoDB: an item has no key');
  return key;
};
