import { isUtf8 } from 'node:buffer';
import { type Either, left, right } from 'fp-ts/lib/Either.js';

/** No key is longer, and nothing that a store makes of one. */
const longest = 1024;
const base64url = /^[\w-]+$/;

/** A position in the list as callers hand it back: text of letters that mean nothing to them. */
export const cursorOf = (position: string): string => Buffer.from(position).toString('base64url');

/** The position in a cursor. Left: it is none that was given. */
export const positionIn = (cursor: string): Either<string, string> => {
  const bytes = base64url.test(cursor) && cursor.length <= longest ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
  const isWhole = bytes.length > 0 && isUtf8(bytes) && bytes.toString('base64url') === cursor;
  return isWhole ? right(bytes.toString()) : left('must be the next of another page');
};
