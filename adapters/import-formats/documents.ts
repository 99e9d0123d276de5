import { isLeft } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { memberCodec } from '../kit/user-json/user-codecs.ts';
import { fixedFields } from '../kit/user-json/user-writer.ts';
import { importFormat } from './import-format.ts';
import { isMeaningful, isSet, optional, timeOf } from './record-members.ts';

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

/** The names of other members that have a value. */
const othersIn = (values: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): readonly string[] =>
  Object.keys(values).filter((name) => !known.has(name) && isMeaningful(values[name]));

/** The user in a text, and its custom properties with their texts; undefined if the text is not the JSON of a user. */
const userIn = (text: unknown) => {
  const document = typeof text === 'string' ? readJsonObject(text) : undefined;
  if (document === undefined || isLeft(document)) return undefined;
  const user = storedUser.decode(document.right.values);
  if (isLeft(user)) return undefined;
  const properties = document.right.members.find(({ name }) => name === 'properties')?.text ?? '{}';
  const custom = readJsonObject(properties.slice(properties.indexOf('{')));
  const { values } = document.right;
  const otherMembers = [
    ...othersIn(values, knownMembers).map((name) => `document.${name}`),
    ...othersIn({ ...user.right.email }, knownEmailMembers).map((name) => `document.email.${name}`),
  ];
  return { ...user.right, custom: isLeft(custom) ? [] : custom.right.members, otherMembers };
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
    document: memberCodec(isUser, 'must be the JSON of a user'),
    creation_time: time,
    update_time: time,
  }),
  otherKnown: ['_id', 'id', 'version'],
  user: (values) => {
    const { email, password, custom = [], otherMembers = [] } = userIn(values.document) ?? {};
    return {
      address: email?.address,
      verified: isSet(email?.verified),
      verificationToken: email?.verificationToken,
      password: password || undefined,
      creationTime: timeIn(values.creation_time),
      lastUpdateTime: timeIn(values.update_time),
      isDisabled: false,
      properties: custom.filter(({ name }) => !fixedFields.has(name)).map(({ text }) => text),
      leftOut: { reserved_names: custom.some(({ name }) => fixedFields.has(name)) },
      otherMembers,
    };
  },
});
