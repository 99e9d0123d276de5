import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import type { Context } from 'koa';
import type { FieldError } from '../../../domain/failure.ts';
import { type JsonObject, readJsonObject } from '../../kit/exact-json.ts';
import { decodeUser } from '../../kit/user-json/user-codecs.ts';
import { type BodyFailure, bodyReader } from '../server/body-reader.ts';
import { type RequestRefusal, refusal } from './refusal.ts';
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

const patchTypes = ['application/merge-patch+json', 'application/json'];
const patchInUtf8 = /^application\/(?:merge-patch\+)?json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

/** Accept-Patch (RFC 5789, section 3.1). */
export const acceptPatch: Readonly<Record<string, string>> = { 'Accept-Patch': patchTypes.join(', ') };

/** A merge patch (RFC 7396, section 4), also as plain JSON. */
export const patchBody: BodyFormat = {
  ...jsonBody,
  mediaTypes: patchTypes,
  accepts: (type) => patchInUtf8.test(type),
  refusalHeaders: acceptPatch,
};

const formInUtf8 = /^application\/x-www-form-urlencoded *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

/**
 * The text of each field, or the list of its texts where a field is repeated: decoders expect text, and so refuse a list
 * (OWASP WSTG, HTTP Parameter Pollution).
 */
const fieldsOf = (form: URLSearchParams): Readonly<Record<string, unknown>> => {
  const fields = new Map<string, string | string[]>();
  for (const [name, text] of form) {
    const former = fields.get(name);
    if (typeof former === 'object') former.push(text);
    else fields.set(name, former === undefined ? text : [former, text]);
  }
  return Object.fromEntries(fields);
};

/** More than any form of the public port has. */
const usualMaxFields = 16;

/**
 * The fields of an HTML form of at most `maxBytes` and `maxFields`, as an object. Browsers do not compress forms, and a form
 * is often sent without credentials, so that its limits are narrow.
 */
export const formBody = (maxBytes: number, maxFields = usualMaxFields): BodyFormat => ({
  mediaTypes: ['application/x-www-form-urlencoded'],
  accepts: (type) => formInUtf8.test(type),
  readBytes: bodyReader({ maxBytes, allowsCompression: false }),
  parse: (text) => {
    // Before they are decoded, which takes long for a MiB of empty fields.
    if (text.split('&', maxFields + 1).length > maxFields) return left(`must have at most ${maxFields} fields`);
    return right({ values: fieldsOf(new URLSearchParams(text)), members: [] });
  },
});

const isEmpty = (ctx: Context): boolean =>
  ctx.req.headers['transfer-encoding'] === undefined && Number(ctx.req.headers['content-length'] ?? 0) === 0;

const refusalOf: Readonly<Record<BodyFailure, RequestRefusal>> = {
  unsupported_encoding: refusal('unsupported_encoding'),
  body_too_large: refusal('body_too_large'),
  invalid_body: refusal('invalid_body', [{ path: '', message: 'does not match its headers, or was cut short' }]),
  overloaded: { code: 'overloaded', retryAfterSeconds: 1 },
};

/**
 * Reads a body: 415 for another type or encoding, 413 if it is too large, 400 for what can't be kept exactly, 503 if the
 * bodies that are being read hold too much memory.
 */
export const readBody = async (ctx: Context, format = jsonBody): Promise<Either<RequestRefusal, JsonObject>> => {
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

/**
 * Decodes a body that has the members of a codec and no others, which would be ignored silently. `known` are the names of
 * members that are decoded otherwise.
 */
export const decodeOnly = <P extends t.Props>(
  codec: t.TypeC<P>,
  body: JsonObject,
  known: readonly string[],
): Either<readonly FieldError[], t.TypeOf<t.TypeC<P>>> => {
  const names = [...known, ...Object.keys(codec.props)];
  const hasOthers = body.members.some(({ name }) => !names.includes(name));
  // The name is not repeated, because it may be a misplaced password or token.
  const message = `must have no members other than ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const others = hasOthers ? [{ path: '', message }] : [];
  const decoded = decodeUser(codec, {}, body);
  return isLeft(decoded) ? left([...decoded.left, ...others]) : hasOthers ? left(others) : decoded;
};
