import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { type JsonObject, readJsonObject } from '../../kit/exact-json.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { BodyFormat } from './route-types.ts';

/** The maximum size of a body after decompression. */
const maxBodyBytes = 1024 * 1024;

// Reads the body as bytes, because the JSON parser of the library accepts malformed UTF-8, repeated names and lossy
// numbers, and overflows its stack on deep nesting.
const asBytes = {
  enableTypes: ['text'],
  extendTypes: { text: ['application/json'] },
  textLimit: String(maxBodyBytes),
  // Missing in the types of the library: without an encoding it returns a buffer.
  encoding: '',
};
const readBytes = bodyParser(asBytes);
const noNext = async (): Promise<void> => {};

const contentEncodings: ReadonlySet<string> = new Set(['identity', 'gzip', 'deflate', 'br']);
// Also types whose syntax is JSON (RFC 6839), but not those of patches, which are not a whole user.
const jsonInUtf8 = /^application\/(?:[\w!#$&^.-]+\+)?json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;
const anyPatch = /patch\+json/i;

/** A JSON object in UTF-8. */
export const jsonBody: BodyFormat = {
  mediaTypes: ['application/json'],
  accepts: (type) => jsonInUtf8.test(type) && !anyPatch.test(type),
  read: readJsonObject,
};

const isEmpty = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] === undefined && Number(ctx.req.headers['content-length'] ?? 0) === 0;

const bytesOf = async (ctx: Context): Promise<Either<Refusal, Buffer>> => {
  try {
    await readBytes(ctx, noNext);
  } catch (error) {
    const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') return left(refusal('body_too_large'));
    return left(refusal('invalid_body', [{ path: '', message: 'does not match its headers, or was cut short' }]));
  }
  const raw: unknown = ctx.request.rawBody;
  return right(Buffer.isBuffer(raw) ? raw : Buffer.alloc(0));
};

/** Reads a body: 415 for another type or encoding, 413 if it is too large, 400 for what can't be kept exactly. */
export const readBody = async (ctx: Context, format = jsonBody): Promise<Either<Refusal, JsonObject>> => {
  const { headers, httpVersion } = ctx.req;
  const type = headers['content-type'];
  const empty = isEmpty(ctx);
  if (!format.accepts(type ?? '') && !(empty && type === undefined))
    return left({ code: 'unsupported_media_type', headers: format.refusalHeaders ?? {} });
  if (empty) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!contentEncodings.has(encoding)) return left(refusal('unsupported_encoding'));
  // The library accepts encodings in lower case only, against RFC 9110, section 8.4.1. The fixed content type keeps it
  // from parsing a header of the client.
  headers['content-encoding'] = encoding;
  headers['content-type'] = 'application/json';
  // A client with this header sends the body only after an interim response (RFC 9110, section 10.1.1).
  if (headers.expect !== undefined && httpVersion === '1.1') ctx.res.writeContinue();
  const bytes = await bytesOf(ctx);
  if (isLeft(bytes)) return bytes;
  if (!isUtf8(bytes.right)) return left(refusal('invalid_json', [{ path: '', message: 'must be valid UTF-8' }]));
  const object = format.read(bytes.right.toString());
  return isLeft(object) ? left(refusal('invalid_json', [{ path: '', message: object.left }])) : object;
};
