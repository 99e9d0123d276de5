import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { EmailAddress } from '../../domain/email-address.ts';
import type { FieldError } from '../../domain/failure.ts';
import { type User, userJson } from '../../domain/user.ts';
import { type JsonObject, readJsonObject } from '../kit/exact-json.ts';
import { fieldErrors } from '../kit/field-errors.ts';
import { customPropertiesIn } from '../kit/user-json.ts';

const start = '{"email":{';

/** A user as one line, without its end: the JSON of every answer, and the two times that no answer shows. */
export const lineOf = (user: User): string => {
  const { tokenTime, mailTime } = user.email;
  const times = JSON.stringify({ tokenTime, mailTime }).slice(1, -1);
  const json = userJson(user);
  return times === '' ? json : `${start}${times},${json.slice(start.length)}`;
};

const member = <A>(is: (value: unknown) => value is A, message: string): t.Type<A, unknown, unknown> =>
  new t.Type<A, unknown, unknown>(
    message,
    is,
    (value, context) => (is(value) ? t.success(value) : t.failure(value, context, message)),
    t.identity,
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed();

const time = member(
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be whole milliseconds since the epoch',
);
const address = member(EmailAddress.is, 'must be a valid email address');
const password = member((value): value is string => isText(value) && value !== '', 'must be a non-empty string');
const token = member((value): value is string | null => value === null || isText(value), 'must be a string or null');
const verified = member(t.boolean.is, 'must be true or false');

const verification = { verified, verificationToken: token, tokenTime: time, mailTime: time };

const record = t.intersection([
  t.type({ email: t.intersection([t.type({ address }), t.partial(verification)]), password }),
  t.partial({ creationTime: time, lastUpdateTime: time }),
]);

type Record = t.TypeOf<typeof record>;

/** Members of `email` that nobody knows: a name that is misspelt would be lost without a word. */
const strangers = ({ values: { email } }: JsonObject): readonly FieldError[] =>
  typeof email !== 'object' || email === null
    ? []
    : Object.keys(email)
        .filter((key) => key !== 'address' && !Object.hasOwn(verification, key))
        .map((key) => ({ path: `email.${key}`, message: 'is not a member of email' }));

const emailOf = ({ email }: Record): User['email'] => ({
  address: email.address,
  verified: email.verified ?? false,
  verificationToken: email.verificationToken ?? null,
  ...(email.tokenTime !== undefined && { tokenTime: email.tokenTime }),
  ...(email.mailTime !== undefined && { mailTime: email.mailTime }),
});

/** What is wrong with a line, as problem documents say it; none of it repeats a value. */
export interface LineProblem {
  readonly code: 'invalid_json' | 'invalid_body';
  readonly errors: readonly FieldError[];
}

const invalidJson = (message: string): LineProblem => ({ code: 'invalid_json', errors: [{ path: '', message }] });

/**
 * The user of a line. What may be left out, because another system has none of it: the verification, which is then
 * outstanding, and the times, which are then `now`.
 */
export const userIn = (line: Buffer, now: number): Either<LineProblem, User> => {
  if (!isUtf8(line)) return left(invalidJson('must be valid UTF-8'));
  const object = readJsonObject(line.toString());
  if (isLeft(object)) return left(invalidJson(object.left));
  const decoded = record.decode(object.right.values);
  const errors = [...(isLeft(decoded) ? fieldErrors(decoded.left) : []), ...strangers(object.right)];
  if (errors.length > 0 || isLeft(decoded)) return left({ code: 'invalid_body', errors });
  const creationTime = decoded.right.creationTime ?? decoded.right.lastUpdateTime ?? now;
  return right({
    email: emailOf(decoded.right),
    password: decoded.right.password,
    creationTime,
    lastUpdateTime: Math.max(decoded.right.lastUpdateTime ?? creationTime, creationTime),
    properties: customPropertiesIn(object.right),
  });
};
