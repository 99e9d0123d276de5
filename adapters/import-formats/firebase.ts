import * as t from 'io-ts';
import { importFormat } from './import-format.ts';
import { hasValue, isSet, objectMember, optional, textsOf, timeOf } from './record-members.ts';
import { firebaseScrypt } from './stored-hashes.ts';

/** The columns of identity providers. */
const providerColumns = ['google', 'facebook', 'twitter', 'github'].flatMap((provider) =>
  ['Id', 'Email', 'Name', 'Photo'].map((value) => provider + value),
);

/** The columns of the command-line tool. */
const columns = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...providerColumns,
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
];

/**
 * Firebase Authentication: the JSON or comma-separated values of `firebase auth:export`. Times are milliseconds in a
 * text, and `customAttributes` is JSON in a text.
 * https://firebase.google.com/docs/cli/auth#file_format
 */
export const firebase = importFormat({
  listName: 'users',
  columns,
  codec: t.type({
    email: optional.text,
    emailVerified: optional.flag,
    passwordHash: optional.text,
    salt: optional.text,
    createdAt: optional.time,
    lastLoginAt: optional.time,
    lastSignedInAt: optional.time,
    customAttributes: optional.text,
    disabled: optional.flag,
  }),
  otherKnown: [
    ...['localId', 'displayName', 'photoUrl', 'phoneNumber', 'mfaInfo', 'providerUserInfo'],
    ...providerColumns,
  ],
  user: (values, record) => ({
    id: record.values.localId,
    address: values.email,
    verified: isSet(values.emailVerified),
    password: values.passwordHash ? firebaseScrypt(values.salt ?? '', values.passwordHash) : undefined,
    creationTime: timeOf(values.createdAt),
    lastCheckTime: timeOf(values.lastSignedInAt ?? values.lastLoginAt),
    isDisabled: isSet(values.disabled),
    properties: [
      ...textsOf(record, ['localId', 'displayName', 'photoUrl', 'phoneNumber']),
      ...objectMember('customAttributes', values.customAttributes),
    ],
    leftOut: {
      linked_accounts: ['providerUserInfo', ...providerColumns].some((name) => hasValue(record.values[name])),
      second_factors: hasValue(record.values.mfaInfo),
    },
  }),
});
