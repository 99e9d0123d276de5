import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { FieldError } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { decodeUser, emailCodec, member, password, propertiesOf, userJson, verification } from '../kit/user-json.ts';

const start = '{"email":{';

/** A user as one line without its end: the JSON of every response plus `tokenTime` and `mailTime`, if known. */
export const lineOf = (user: User): string => {
  const { tokenTime, mailTime } = user.email;
  const times = JSON.stringify({ tokenTime, mailTime }).slice(1, -1);
  const json = userJson(user);
  return times === '' ? json : `${start}${times},${json.slice(start.length)}`;
};

const time = member(
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be whole milliseconds since the epoch',
);
const emailMembers = { ...verification, tokenTime: time, mailTime: time };
const lineCodec = t.intersection([
  t.type({ email: emailCodec(emailMembers), password }),
  t.partial({ creationTime: time, lastUpdateTime: time }),
]);

/** Why a line is no user, with the codes and errors of problem documents; no error contains a value. */
export interface LineProblem {
  readonly code: 'invalid_json' | 'invalid_body';
  readonly errors: readonly FieldError[];
}

const invalidJson = (message: string): LineProblem => ({ code: 'invalid_json', errors: [{ path: '', message }] });

/**
 * Reads the user of a line. A line of another system may lack the verification and the times: the address is then not
 * verified, and the times are `now`, in milliseconds since the epoch.
 */
export const userIn = (line: Buffer, now: number): Either<LineProblem, User> => {
  if (!isUtf8(line)) return left(invalidJson('must be valid UTF-8'));
  const object = readJsonObject(line.toString());
  if (isLeft(object)) return left(invalidJson(object.left));
  const decoded = decodeUser(lineCodec, emailMembers, object.right);
  if (isLeft(decoded)) return left({ code: 'invalid_body', errors: decoded.left });
  const { email, password, lastUpdateTime } = decoded.right;
  const creationTime = decoded.right.creationTime ?? lastUpdateTime ?? now;
  return right({
    email: {
      address: email.address,
      verified: email.verified ?? false,
      verificationToken: email.verificationToken ?? null,
      ...(email.tokenTime !== undefined && { tokenTime: email.tokenTime }),
      ...(email.mailTime !== undefined && { mailTime: email.mailTime }),
    },
    password,
    creationTime,
    lastUpdateTime: Math.max(lastUpdateTime ?? creationTime, creationTime),
    properties: propertiesOf(object.right),
  });
};
