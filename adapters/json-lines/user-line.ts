import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { addressType } from '../../domain/email-address.ts';
import type { FieldError } from '../../domain/failure.ts';
import { type User, userIdType } from '../../domain/user.ts';
import { type UserField, userFields } from '../../domain/user-fields.ts';
import { maxImportedChangeTime, maxTime, maxUserBytes } from '../../domain/user-limits.ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { assembleUser } from '../kit/user-json/stored-user.ts';
import {
  decodeUser,
  disabledReason,
  emailCodec,
  emailMembers,
  isText,
  memberCodec,
  password,
  propertiesOf,
} from '../kit/user-json/user-codecs.ts';
import { inLineOrder, writerOf } from '../kit/user-json/user-writer.ts';

type LineField = Exclude<UserField, { readonly member: 'keptTag' }>;

// An import makes a new version, whose entity tag no client has yet.
const fields: readonly LineField[] = userFields.filter((field) => field.member !== 'keptTag');

/** A user as one line without its end: the internal fields, if known, followed by the JSON of every response. */
export const lineOf = writerOf(inLineOrder(fields));

const timeUntil = (latest: number) =>
  memberCodec(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= latest,
    `must be whole milliseconds since the epoch, at most ${latest}`,
  );
const time = timeUntil(maxTime);
const changeTime = timeUntil(maxImportedChangeTime);
const digest = memberCodec(
  (value): value is string => typeof value === 'string' && /^[\w-]{43}$/.test(value),
  'must be a SHA-256 in base64url without padding',
);

/** The texts that only the service or an administrator sets, in the form in which they are stored. */
const formats: Readonly<Partial<Record<LineField['name'], t.Mixed>>> = {
  disabledReason,
  recoveryDigest: digest,
  pendingDigest: digest,
  cancelDigest: digest,
  invitationDigest: digest,
  formerHashDigest: digest,
};
const texts = {
  required: password,
  nullable: emailMembers.verificationToken,
  optional: memberCodec(isText, 'must be a string'),
};

const codecOf = (field: LineField): t.Mixed => {
  if (field.kind === 'text') return formats[field.name] ?? texts[field.presence];
  if (field.kind === 'address') return addressType;
  if (field.kind === 'id') return userIdType;
  if (field.kind === 'flag') return emailMembers.verified;
  return field.in === 'user' ? changeTime : time;
};

/** The same codec without the type of its values, which `assembleUser` checks again. */
const untyped = (codec: t.Mixed): t.Type<unknown, unknown, unknown> =>
  new t.Type<unknown, unknown, unknown>(
    codec.name,
    (value): value is unknown => codec.is(value),
    codec.validate,
    t.identity,
  );

const codecsOf = (owner: UserField['in']) =>
  Object.fromEntries(
    fields
      .filter((field) => field.in === owner && field.kind !== 'properties')
      .map((field) => [field.name, untyped(codecOf(field))]),
  );

const emailCodecs = codecsOf('email');
const lineCodec = t.intersection([
  t.type({ email: emailCodec(emailCodecs), password }),
  t.partial({ creationTime: changeTime, lastUpdateTime: changeTime }),
  t.partial(codecsOf('user')),
]);

/** The value of a field that a line lacks; null stands for none. */
const valueWithout = ({ kind, presence }: UserField): false | null =>
  kind === 'flag' && presence === 'required' ? false : null;

/** Why a line does not hold a user, with the codes and errors of problem documents; no error contains a value. */
interface LineProblem {
  readonly code: 'invalid_json' | 'invalid_body' | 'user_too_large';
  readonly errors: readonly FieldError[];
  /** As the line has it; undefined if it could not be read. */
  readonly address?: string | undefined;
}

const tooLarge: FieldError = { path: '', message: `must have at most ${maxUserBytes} bytes` };

const invalidJson = (message: string): LineProblem => ({ code: 'invalid_json', errors: [{ path: '', message }] });

// Without this time the user would not be disabled.
const withoutDisabledTime: FieldError = {
  path: 'email.disabledTime',
  message: 'is required with disabledUntil and disabledReason',
};

const withAddress = t.type({ address: t.string });

/**
 * Reads the user of a line. A line of another system may lack the verification and the times: the address is then not
 * verified, and the times are `now`, in milliseconds since the epoch.
 */
export const userIn = (line: Buffer, now: number): Either<LineProblem, User> => {
  if (!isUtf8(line)) return left(invalidJson('must be valid UTF-8'));
  const object = readJsonObject(line.toString());
  if (isLeft(object)) return left(invalidJson(object.left));
  const decoded = decodeUser(lineCodec, emailCodecs, object.right);
  const { email: given } = object.right.values;
  const address = withAddress.is(given) ? given.address : undefined;
  if (isLeft(decoded)) return left({ code: 'invalid_body', errors: decoded.left, address });
  const { email, ...others } = decoded.right;
  if (email.disabledTime === undefined && (email.disabledUntil ?? email.disabledReason) !== undefined)
    return left({ code: 'invalid_body', errors: [withoutDisabledTime], address });
  const creationTime = others.creationTime ?? others.lastUpdateTime ?? now;
  const lastUpdateTime = Math.max(others.lastUpdateTime ?? creationTime, creationTime);
  const properties = propertiesOf(object.right);
  if (Buffer.byteLength(properties) > maxUserBytes)
    return left({ code: 'user_too_large', errors: [tooLarge], address });
  const members: Readonly<Record<UserField['in'], Readonly<Record<string, unknown>>>> = {
    email,
    user: { ...others, creationTime, lastUpdateTime, properties },
  };
  return right(assembleUser(userFields.map((field) => members[field.in][field.name] ?? valueWithout(field))));
};
