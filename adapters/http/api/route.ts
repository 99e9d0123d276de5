// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { FailureCode } from '../../../domain/failure.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { Serve } from '../server/pipeline.ts';
import { type Reply, send } from '../server/response.ts';
import { queryOf } from './parameters.ts';
import { notPermitted, type RequestRefusal, refusal, refuse } from './refusal.ts';
import { readBody } from './request-body.ts';
import type {
  Body,
  BodyDecoder,
  OperationDescription,
  ParameterMap,
  ParameterValues,
  Route,
  RouteDefinition,
  Undocumented,
} from './route-types.ts';

/** Reads parameters in their order up to the first invalid one. */
const parameterReader = (
  parameters: ParameterMap,
): ((request: KoaRequest) => Either<RequestRefusal, ParameterValues<ParameterMap>>) => {
  const entries = Object.entries(parameters);
  const readsQuery = entries.some(([, parameter]) => parameter.in === 'query');
  return (request) => {
    const values: Record<string, unknown> = {};
    const query = readsQuery ? queryOf(request) : [];
    for (const [key, parameter] of entries) {
      const value = parameter.read(request, query);
      if (isLeft(value)) {
        const error = value.left;
        const { name, message } = typeof error === 'string' ? { name: parameter.name, message: error } : error;
        return left(refusal('invalid_parameter', [{ path: `${parameter.in}.${name}`, message }]));
      }
      values[key] = value.right;
    }
    return right(values);
  };
};

/** Each route gets the values of its own parameters, whatever their types are. */
const runner = <B, Result>(
  route: RouteDefinition<ParameterMap, B, Result, FailureCode, FailureCode>,
  decodeBody: (body: JsonObject | undefined) => Either<RequestRefusal, B>,
): Route['run'] => {
  const readParameters = parameterReader(route.parameters);
  return (request, sent, startedMs) => {
    const body = decodeBody(sent);
    if (isLeft(body)) return body;
    const values = readParameters(request);
    if (isLeft(values)) return values;
    const present = (outcome: Awaited<ReturnType<typeof route.handle>>): Either<RequestRefusal, Reply> => {
      const { state } = request.ctx;
      state.outcome = outcome;
      return isLeft(outcome) ? outcome : right(route.present(outcome.right, values.right, state.client));
    };
    const handled = route.handle(values.right, body.right, startedMs);
    return handled instanceof Promise ? handled.then(present) : present(handled);
  };
};

/** Defines a route without a body. */
export const defineRoute = <P extends ParameterMap, Result, Listed extends FailureCode, Code extends Listed>(
  route: RouteDefinition<P, undefined, Result, Code, Listed> & (OperationDescription | Undocumented),
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  body: undefined,
  document: 'document' in route ? null : { ...route, body: undefined },
  run: runner(route, () => right(undefined)),
});

/** Defines a route with a body. */
export const defineRouteWithBody = <P extends ParameterMap, B, Result, Listed extends FailureCode, Code extends Listed>(
  route: RouteDefinition<P, B, Result, Code, Listed> &
    ((OperationDescription & { readonly body: Body<B> }) | (Undocumented & { readonly body: BodyDecoder<B> })),
): Route => ({
  ...route,
  parameters: Object.values(route.parameters),
  document: 'document' in route ? null : route,
  run: runner(route, (sent) => {
    if (sent === undefined) return left(refusal('invalid_body', [{ path: '', message: 'is required' }]));
    const decoded = route.body.decode(sent);
    return isLeft(decoded) ? left(refusal('invalid_body', decoded.left)) : decoded;
  }),
});

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
export const serveRoute =
  (route: Route, authenticator: Authenticator, operationTimeoutMs: number): Serve =>
  async (ctx) => {
    const { state } = ctx;
    state.route = route;
    state.path = route.path;
    const { startedMs = performance.now() } = state;
    let waitedMs = performance.now() - startedMs;
    if (waitedMs >= operationTimeoutMs)
      throw new Fault('timed_out', 'a request waited for the whole operation timeout', { retryAfterSeconds: 1 });
    const { requires } = route;
    if (requires !== 'nothing') {
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
      if (client.may !== undefined && requires !== 'key' && !client.may.has(requires)) {
        const challenge = authenticator.challengeToScope?.(requires);
        return refuse(ctx, {
          ...notPermitted(requires),
          ...(challenge !== undefined && { headers: { 'WWW-Authenticate': challenge } }),
        });
      }
    }
    const body = route.body === undefined ? undefined : await readBody(ctx, route.body.format);
    if (body !== undefined && isLeft(body)) return refuse(ctx, body.left);
    state.body = body?.right;
    const countedFromMs = body === undefined ? startedMs : performance.now() - waitedMs;
    const running = route.run(ctx.request, body?.right, countedFromMs);
    const reply = await (waitedMs <= maxUncountedWaitMs
      ? running
      : withinTimeout(Promise.resolve(running), countedFromMs, operationTimeoutMs));
    if (isLeft(reply)) return refuse(ctx, reply.left);
    send(ctx, reply.right);
  };

/** Defines a GET route without authentication and OpenAPI document. `answer` resolves to undefined for an unknown path. */
export const defineResource = (path: string, answer: (request: KoaRequest) => Promise<Reply | undefined>): Route => ({
  method: 'get',
  path,
  operation: path,
  requires: 'nothing',
  parameters: [],
  body: undefined,
  document: null,
  refusals: [],
  run: async (request) => {
    const reply = await answer(request);
    return reply === undefined ? left(refusal('route_not_found')) : right(reply);
  },
});
