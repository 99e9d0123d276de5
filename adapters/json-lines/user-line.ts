import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left } from 'fp-ts/lib/Either.js';
import type { FieldError } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { readJsonObject } from '../kit/exact-json.ts';
import { decodeExportedUser, userJson } from '../kit/user-json.ts';

const start = '{"email":{';

/** A user as one line without its end: the JSON of every response plus `tokenTime` and `mailTime`, if known. */
export const lineOf = (user: User): string => {
  const { tokenTime, mailTime } = user.email;
  const times = JSON.stringify({ tokenTime, mailTime }).slice(1, -1);
  const json = userJson(user);
  return times === '' ? json : `${start}${times},${json.slice(start.length)}`;
};

/** Why a line is no user, with the codes and errors of problem documents; no error contains a value. */
export interface LineProblem {
  readonly code: 'invalid_json' | 'invalid_body';
  readonly errors: readonly FieldError[];
}

const invalidJson = (message: string): LineProblem => ({ code: 'invalid_json', errors: [{ path: '', message }] });

/** Reads the user of a line; `now` replaces missing times, in milliseconds since the epoch. */
export const userIn = (line: Buffer, now: number): Either<LineProblem, User> => {
  if (!isUtf8(line)) return left(invalidJson('must be valid UTF-8'));
  const object = readJsonObject(line.toString());
  if (isLeft(object)) return left(invalidJson(object.left));
  const user = decodeExportedUser(object.right, now);
  return isLeft(user) ? left({ code: 'invalid_body', errors: user.left }) : user;
};
