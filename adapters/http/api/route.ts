import { isUtf8 } from 'node:buffer';
// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Context, Request as KoaRequest } from 'koa';
import bodyParser from 'koa-bodyparser';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { FailureCode } from '../../../domain/failure.ts';
import { type JsonObject, readJsonObject } from '../../kit/exact-json.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { send } from '../server/response.ts';
import { queryOf } from './query.ts';
import { acceptPatch, type Refusal, refusal, refuse } from './refusal.ts';
import type { Body, ParameterMap, ParameterValues, Route, RouteDefinition } from './route-types.ts';

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
const patchInUtf8 = /^application\/(?:merge-patch\+)?json *(?:; *(?:charset="?utf-8"? *;?)?)?$/i;

const isAccepted = (type: string, isPatch: boolean): boolean =>
  isPatch ? patchInUtf8.test(type) : jsonInUtf8.test(type) && !anyPatch.test(type);

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

/** Reads a JSON body: 415 for another type or encoding, 413 if it is too large, 400 for what can't be kept exactly. */
const readBody = async (ctx: Context): Promise<Either<Refusal, JsonObject>> => {
  const { headers, httpVersion } = ctx.req;
  const type = headers['content-type'];
  const empty = isEmpty(ctx);
  const isPatch = ctx.method === 'PATCH';
  if (!isAccepted(type ?? '', isPatch) && !(empty && type === undefined))
    return left({ code: 'unsupported_media_type', ...(isPatch && { headers: acceptPatch }) });
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
  const object = readJsonObject(bytes.right.toString());
  return isLeft(object) ? left(refusal('invalid_json', [{ path: '', message: object.left }])) : object;
};

/** Reads parameters in their order up to the first invalid one. */
const parameterReader = <P extends ParameterMap>(
  parameters: P,
): ((request: KoaRequest) => Either<Refusal, ParameterValues<P>>) => {
  const entries = Object.entries(parameters);
  const isComplete = (_: Readonly<Record<string, unknown>>, read: number): _ is ParameterValues<P> =>
    read === entries.length;
  const readsQuery = entries.some(([, parameter]) => parameter.in === 'query');
  return (request) => {
    const values: Record<string, unknown> = {};
    const query = readsQuery ? queryOf(request) : [];
    let read = 0;
    for (const [key, parameter] of entries) {
      const value = parameter.read(request, query);
      if (isLeft(value)) {
        return left(refusal('invalid_parameter', [{ path: `${parameter.in}.${parameter.name}`, message: value.left }]));
      }
      values[key] = value.right;
      read++;
    }
    return isComplete(values, read) ? right(values) : left(refusal('internal_error'));
  };
};

const runner = <P extends ParameterMap, B, Result>(
  route: RouteDefinition<P, B, Result, FailureCode, FailureCode>,
  decodeBody: (body: JsonObject | undefined) => Either<Refusal, B>,
): Route['run'] => {
  const readParameters = parameterReader(route.parameters);
  return async (request, sent, startedMs) => {
    const body = decodeBody(sent);
    if (isLeft(body)) return body;
    const values = readParameters(request);
    if (isLeft(values)) return values;
    const outcome = await route.handle(values.right, body.right, startedMs);
    return isLeft(outcome) ? outcome : right(route.present(outcome.right, values.right));
  };
};

/** Defines a route without a body. */
export const defineRoute = <P extends ParameterMap, Result, Listed extends FailureCode, Code extends Listed>(
  route: RouteDefinition<P, undefined, Result, Code, Listed>,
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  body: undefined,
  run: runner(route, () => right(undefined)),
});

/** Defines a route with a body. */
export const defineRouteWithBody = <P extends ParameterMap, B, Result, Listed extends FailureCode, Code extends Listed>(
  route: RouteDefinition<P, B, Result, Code, Listed> & { readonly body: Body<B> },
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  run: runner(route, (sent) => {
    if (sent === undefined) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
    const decoded = route.body.decode(sent);
    return isLeft(decoded) ? left(refusal('invalid_body', decoded.left)) : decoded;
  }),
});

/** Answers a request to a route. */
export type Endpoint = (ctx: Context) => Promise<void>;

/**
 * The timeout of a query starts at its dispatch and misses earlier waiting. Above this wait, a second timeout covers
 * both.
 */
const maxUncountedWaitMs = 50;

/** The result of `work`, or the Fault `timed_out` once `timeoutMs` have passed since `startedMs`. */
const withinTimeout = <Result>(work: Promise<Result>, startedMs: number, timeoutMs: number): Promise<Result> => {
  const message = `a request took longer than the operation timeout of ${timeoutMs} ms`;
  return withTimeout(timeoutMs - (performance.now() - startedMs), work, () => new Fault('timed_out', message));
};

/**
 * The steps of every request: authenticate, read the body, decode, dispatch, present. They take at most
 * `operationTimeoutMs` together, without the time that the client takes for the body.
 */
export const endpoint =
  (route: Route, authenticator: Authenticator, operationTimeoutMs: number): Endpoint =>
  async (ctx) => {
    const { state } = ctx;
    state.route = route;
    const { startedMs = performance.now() } = state;
    let waitedMs = performance.now() - startedMs;
    if (waitedMs >= operationTimeoutMs)
      throw new Fault('timed_out', 'a request waited for the whole operation timeout', { retryAfterSeconds: 1 });
    if (route.authenticated) {
      const { authorization } = ctx.req.headers;
      let client = authenticator.authenticate(authorization);
      // Awaiting a known value would cost every request a turn of the microtask queue.
      if (client instanceof Promise) {
        client = await withinTimeout(client, startedMs, operationTimeoutMs);
        waitedMs = performance.now() - startedMs;
      }
      if (client === undefined) {
        const headers = { 'WWW-Authenticate': authenticator.challenge(authorization) };
        return refuse(ctx, { code: 'client_unauthorized', headers });
      }
      state.client = client;
    }
    const body = route.body === undefined ? undefined : await readBody(ctx);
    if (body !== undefined && isLeft(body)) return refuse(ctx, body.left);
    state.body = body?.right;
    const countedFromMs = body === undefined ? startedMs : performance.now() - waitedMs;
    const running = route.run(ctx.request, body?.right, countedFromMs);
    const reply = await (waitedMs <= maxUncountedWaitMs
      ? running
      : withinTimeout(running, countedFromMs, operationTimeoutMs));
    if (isLeft(reply)) return refuse(ctx, reply.left);
    send(ctx, reply.right);
  };
