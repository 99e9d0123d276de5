import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { fixedFields, member } from '../kit/user-json.ts';
import { importFormat } from './import-format.ts';
import { optional, timeOf } from './record-members.ts';

/** The exports of MongoDB write a long integer as an object (MongoDB Extended JSON, canonical mode). */
const long = t.type({ $numberLong: optional.time });
const time = t.union([optional.time, long]);
const timeIn = (value: t.TypeOf<typeof time>): number | undefined => timeOf(long.is(value) ? value.$numberLong : value);

const storedUser = t.type({
  email: t.union([
    t.type({ address: optional.text, verified: optional.flag, verificationToken: optional.text }),
    t.null,
    t.undefined,
  ]),
  password: optional.text,
  properties: optional.object,
});

/** The members of a user that the import reads, and those that the record repeats. */
const knownMembers: ReadonlySet<string> = new Set([
  ...['email', 'password', 'properties'],
  ...['id', 'version', 'creationTime', 'lastUpdateTime'],
]);
const knownEmailMembers: ReadonlySet<string> = new Set(['address', 'verified', 'verificationToken']);

/** The user in a text, and its custom properties with their texts; undefined if the text is not the JSON of a user. */
const userIn = (text: unknown) => {
  const document = typeof text === 'string' ? readJsonObject(text) : undefined;
  if (document === undefined || isLeft(document)) return undefined;
  const user = storedUser.decode(document.right.values);
  if (isLeft(user)) return undefined;
  const properties = document.right.members.find(({ name }) => name === 'properties')?.text ?? '{}';
  const custom = readJsonObject(properties.slice(properties.indexOf('{')));
  const hasOthers =
    document.right.members.some(({ name }) => !knownMembers.has(name)) ||
    Object.keys(user.right.email ?? {}).some((name) => !knownEmailMembers.has(name));
  return { ...user.right, custom: isLeft(custom) ? [] : custom.right.members, hasOthers };
};

const isUser = (value: unknown): value is string => userIn(value) !== undefined;

/**
 * The documents of an older server with this API, of the layout `{ _id, id, version, creation_time, update_time,
 * document }`: times are milliseconds since the epoch, and `document` is the JSON of a user with `email`, `password` and
 * `properties`. Such an export is JSON Lines or a list.
 */
export const documents = importFormat({
  listName: 'documents',
  mayHoldPasswords: true,
  codec: t.type({
    document: member(isUser, 'must be the JSON of a user'),
    creation_time: time,
    update_time: time,
  }),
  user: (values) => {
    const { email, password, custom = [], hasOthers } = userIn(values.document) ?? {};
    return {
      address: email?.address,
      verified: email?.verified === true,
      verificationToken: email?.verificationToken,
      password: password || undefined,
      creationTime: timeIn(values.creation_time),
      lastUpdateTime: timeIn(values.update_time),
      isDisabled: false,
      properties: custom.filter(({ name }) => !fixedFields.has(name)).map(({ text }) => text),
      leftOut: { other_members: hasOthers === true, reserved_names: custom.some(({ name }) => fixedFields.has(name)) },
    };
  },
});
