import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { type JsonObject, readJsonObject } from '../../kit/exact-json.ts';
import { type Refusal, refusal } from '../api/problems.ts';

/** The largest body, in bytes after inflation. */
const largestBody = 1024 * 1024;

// As text without an encoding, which leaves the bytes alone: the JSON parser behind it would accept malformed UTF-8,
// repeated names and lossy numbers, and overflow its stack on deep nesting.
const asBytes = {
  enableTypes: ['text'],
  extendTypes: { text: ['application/json'] },
  textLimit: String(largestBody),
  encoding: '',
};
const readBytes = bodyParser(asBytes);

const done = async (): Promise<void> => {};

const encodings: ReadonlySet<string> = new Set(['identity', 'gzip', 'deflate', 'br']);
const jsonInUtf8 = /^application\/json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

const unsent = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] === undefined && Number(ctx.req.headers['content-length'] ?? 0) === 0;

/** Whether the client waits for a word before it sends the body (RFC 9110, section 10.1.1). */
const awaitsWord = ({ req }: Context): boolean => req.headers.expect !== undefined && req.httpVersion === '1.1';

const typeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : '';

const bytesOf = async (ctx: Context): Promise<Either<Refusal, Buffer>> => {
  try {
    await readBytes(ctx, done);
  } catch (error) {
    if (typeOf(error) === 'entity.too.large') return left(refusal('body_too_large'));
    // Whatever else goes wrong while it is read is the sender's doing: it was cut short, or is not what its headers say.
    return left(refusal('invalid_body', [{ path: '', message: 'does not match its headers, or was cut short' }]));
  }
  const raw: unknown = ctx.request.rawBody;
  return right(Buffer.isBuffer(raw) ? raw : Buffer.alloc(0));
};

/** Reads a JSON body: 415 for another type or encoding, 413 over 1 MiB after inflation, 400 for what can't be kept exactly. */
export const readBody = async (ctx: Context): Promise<Either<Refusal, JsonObject>> => {
  const type = ctx.req.headers['content-type'];
  const empty = unsent(ctx);
  if (!jsonInUtf8.test(type ?? '') && !(empty && type === undefined)) return left(refusal('unsupported_media_type'));
  if (empty) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
  const encoding = (ctx.req.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (!encodings.has(encoding)) return left(refusal('unsupported_encoding'));
  // The reader knows it in this case only (RFC 9110, section 8.4.1).
  ctx.req.headers['content-encoding'] = encoding;
  // What it means is known by now: the libraries that read the body parse no text of the client's.
  ctx.req.headers['content-type'] = 'application/json';
  if (awaitsWord(ctx)) ctx.res.writeContinue();
  const bytes = await bytesOf(ctx);
  if (isLeft(bytes)) return bytes;
  if (!isUtf8(bytes.right)) return left(refusal('invalid_json', [{ path: '', message: 'must be valid UTF-8' }]));
  const read = readJsonObject(bytes.right.toString());
  return isLeft(read) ? left(refusal('invalid_json', [{ path: '', message: read.left }])) : read;
};
