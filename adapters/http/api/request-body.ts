import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import { type JsonObject, readJsonObject } from '../../kit/exact-json.ts';
import { type BodyFailure, bodyReader } from '../server/body-reader.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { BodyFormat } from './route-types.ts';

// Also types whose syntax is JSON (RFC 6839), but not those of patches, which are not a whole user.
const jsonInUtf8 = /^application\/(?:[\w!#$&^.-]+\+)?json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;
const anyPatch = /patch\+json/i;

/** A JSON object in UTF-8. */
export const jsonBody: BodyFormat = {
  mediaTypes: ['application/json'],
  accepts: (type) => jsonInUtf8.test(type) && !anyPatch.test(type),
  readBytes: bodyReader({ maxBytes: 1024 * 1024, allowsCompression: true }),
  parse: readJsonObject,
};

const isEmpty = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] === undefined && Number(ctx.req.headers['content-length'] ?? 0) === 0;

const refusalOf: Readonly<Record<BodyFailure, Refusal>> = {
  unsupported_encoding: refusal('unsupported_encoding'),
  body_too_large: refusal('body_too_large'),
  invalid_body: refusal('invalid_body', [{ path: '', message: 'does not match its headers, or was cut short' }]),
  overloaded: { code: 'overloaded', retryAfterSeconds: 1 },
};

/**
 * Reads a body: 415 for another type or encoding, 413 if it is too large, 400 for what can't be kept exactly, 503 if the
 * bodies that are being read hold too much memory.
 */
export const readBody = async (ctx: Context, format = jsonBody): Promise<Either<Refusal, JsonObject>> => {
  const type = ctx.req.headers['content-type'];
  const empty = isEmpty(ctx);
  if (!format.accepts(type ?? '') && !(empty && type === undefined))
    return left({ code: 'unsupported_media_type', headers: format.refusalHeaders ?? {} });
  if (empty) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
  const bytes = await format.readBytes(ctx);
  if (isLeft(bytes)) return left(refusalOf[bytes.left]);
  if (!isUtf8(bytes.right)) return left(refusal('invalid_json', [{ path: '', message: 'must be valid UTF-8' }]));
  const object = format.parse(bytes.right.toString());
  return isLeft(object) ? left(refusal('invalid_json', [{ path: '', message: object.left }])) : object;
};
