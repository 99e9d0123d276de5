import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { Fault } from '../../../application/fault.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import { EmailAddress, type EmailKey, keyOf } from '../../../domain/email-address.ts';
import { CustomProperties } from '../../../domain/properties.ts';
import type { User } from '../../../domain/user.ts';

/** An item, or a part of one, in DynamoDB's own form: each value under the letter of its type. */
export type Item = Record<string, AttributeValue>;

/** The partition key of the table, whose type is S. */
export const keyAttribute = 'email';

/** What names the item of a user. */
export const keyItem = (key: EmailKey): Item => ({ [keyAttribute]: { S: key } });

/** DynamoDB sends numbers as text; those written here are whole and within 2^53, where none is rounded. */
const wholeNumber = new t.Type<number, string, unknown>(
  'whole number',
  t.number.is,
  (value, context) => {
    const read = typeof value === 'string' ? Number(value) : Number.NaN;
    return Number.isSafeInteger(read) ? t.success(read) : t.failure(value, context);
  },
  String,
);

const storedItem = t.type({
  version: t.type({ S: t.string }),
  address: t.type({ S: EmailAddress }),
  verified: t.type({ BOOL: t.boolean }),
  verificationToken: t.union([t.type({ S: t.string }), t.type({ NULL: t.literal(true) })]),
  password: t.type({ S: t.string }),
  creationTime: t.type({ N: wholeNumber }),
  lastUpdateTime: t.type({ N: wholeNumber }),
  properties: t.type({ S: CustomProperties }),
});

/** The item of a user. The properties stay one text, so that no encoding of the engine can change them. */
export const toItem = (user: User, version: string): Item => {
  const { address, verified, verificationToken } = user.email;
  return {
    ...keyItem(keyOf(address)),
    version: { S: version },
    address: { S: address },
    verified: { BOOL: verified },
    verificationToken: verificationToken === null ? { NULL: true } : { S: verificationToken },
    password: { S: user.password },
    creationTime: { N: String(user.creationTime) },
    lastUpdateTime: { N: String(user.lastUpdateTime) },
    properties: { S: user.properties },
  };
};

/** The user in an item; throws a Fault `store_rejected` when somebody else's program wrote it. */
export const toStoredUser = (item: Item): StoredUser => {
  const decoded = storedItem.decode(item);
  if (isLeft(decoded)) throw new Fault('store_rejected', 'DynamoDB: an item of the table is not a user');
  const { version, address, verified, verificationToken, password, creationTime, lastUpdateTime, properties } =
    decoded.right;
  return {
    version: version.S,
    user: {
      email: {
        address: address.S,
        verified: verified.BOOL,
        verificationToken: 'S' in verificationToken ? verificationToken.S : null,
      },
      password: password.S,
      creationTime: creationTime.N,
      lastUpdateTime: lastUpdateTime.N,
      properties: properties.S,
    },
  };
};

/** The version in an item; undefined when there is no item, or none of ours. */
export const versionIn = (item: Item | undefined): string | undefined => item?.version?.S;
