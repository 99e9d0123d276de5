import Router from '@koa/router';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Context, Middleware } from 'koa';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../kit/request-tracer.ts';
import { type Refusal, refusal, refuse } from '../api/problems.ts';
import type { Route } from '../api/route.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { addDocumentation, type Documentation } from '../openapi/openapi-routes.ts';
import { Application } from './koa-application.ts';
import { type ErrorAnswer, type Observer, observed, routeNameOf } from './observer.ts';
import type { Audit } from './request-audit.ts';
import { readBody } from './request-body.ts';
import { logFailure } from './request-log.ts';
import { traced } from './request-trace.ts';
import { send } from './response.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** What the public port is made of. */
export interface ServiceParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  /** Null when the OpenAPI document and its page are switched off. */
  readonly documentation: Documentation | null;
  /** Told of every request. */
  readonly observers: readonly Observer[];
  /** Null where requests are not traced. */
  readonly tracer: RequestTracer | null;
  readonly log: Log;
  /** Null where no X-Forwarded header is believed. */
  readonly proxies: TrustedProxies | null;
  /** Answers browsers that ask from other origins; null where none may. */
  readonly cors: Middleware | null;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
}

/** A route as Koa runs it: authenticate, read the body, decode and dispatch, present. */
const endpoint = (route: Route, authenticator: Authenticator, audit: Audit | null): Middleware => {
  const { authenticated, body, answersPerson } = route;
  const refused = (ctx: Context, reason: Refusal): void => {
    audit?.noteRefusal(ctx, reason.code);
    refuse(ctx, reason, answersPerson?.(ctx.request) ?? false);
  };
  return async (ctx) => {
    audit?.begin(ctx, route);
    if (authenticated) {
      const { authorization } = ctx.req.headers;
      const found = authenticator.authenticate(authorization);
      // Waiting for what is there already would cost every request a turn.
      const client = found instanceof Promise ? await found : found;
      if (client === undefined) {
        const headers = { 'WWW-Authenticate': authenticator.challenge(authorization) };
        return refused(ctx, { code: 'client_unauthorized', headers });
      }
      audit?.noteClient(ctx, client);
    }
    const sent = body === undefined ? undefined : await readBody(ctx);
    if (sent !== undefined && isLeft(sent)) return refused(ctx, sent.left);
    if (sent !== undefined) audit?.noteBody(ctx, sent.right);
    const outcome = await route.run(ctx.request, sent?.right);
    if (isLeft(outcome)) return refused(ctx, outcome.left);
    send(ctx, outcome.right);
  };
};

/** What the caller is told of an error. */
export const refusalOfError = (error: unknown): Refusal => {
  if (!(error instanceof Fault)) return refusal('internal_error');
  return error.retryAfterSeconds === undefined
    ? refusal(error.code)
    : { code: error.code, headers: { 'Retry-After': String(error.retryAfterSeconds) } };
};

/** Whatever is thrown becomes a problem document, and a line in the log. */
const answerErrors =
  (log: Log, pagesAt: ReadonlyMap<string, Route>, audit: Audit | null): ErrorAnswer =>
  (ctx, error, name) => {
    logFailure(log, ctx, name, error);
    const route = pagesAt.get(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${ctx.path}`);
    const reason = refusalOfError(error);
    audit?.noteRefusal(ctx, reason.code);
    refuse(ctx, reason, route?.answersPerson?.(ctx.request) ?? false);
  };

/** Takes a request for a fixed path to its endpoint; the router, which tries one pattern after the other, gets the rest. */
const straight =
  (endpoints: ReadonlyMap<string, Middleware>): Middleware =>
  (ctx, next) => {
    const serve = endpoints.get(`${ctx.method} ${ctx.path}`);
    return serve === undefined ? next() : serve(ctx, next);
  };

/** Answers what no route did: 204 to OPTIONS, 405 where the path is known, 404 elsewhere (RFC 9110, section 9.3.7 and 15.5.6). */
const answerTheRest = (router: Router): Middleware => {
  const methodsOf = (path: string): readonly string[] => [
    ...new Set(router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods)),
  ];
  return (ctx) => {
    const known = methodsOf(ctx.path);
    if (known.length === 0) return refuse(ctx, refusal('route_not_found'), false);
    const headers = { Allow: [...known, 'OPTIONS'].join(', ') };
    if (known.includes(ctx.method)) return refuse(ctx, refusal('route_not_found'), false);
    if (ctx.method !== 'OPTIONS') return refuse(ctx, { code: 'method_not_allowed', headers }, false);
    send(ctx, { status: 204, headers, body: '' });
  };
};

/** The application behind the public port. */
export const createService = ({
  routes,
  authenticator,
  documentation,
  observers,
  tracer,
  log,
  proxies,
  cors,
  audit,
}: ServiceParts): Application => {
  const router = new Router({ sensitive: true, strict: true });
  const direct = new Map<string, Middleware>();
  for (const route of routes) {
    const serve = endpoint(route, authenticator, audit);
    router[route.method](route.path, serve);
    direct.set(`${route.method.toUpperCase()} ${route.path}`, serve);
  }
  if (documentation !== null) addDocumentation(router, routes, documentation);

  const app = new Application(proxies);
  const pages = new Map(
    routes
      .filter((route) => route.answersPerson !== undefined)
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]),
  );
  const paths = new Set(routes.map(({ path }) => path));
  if (tracer !== null) app.use(traced(tracer, paths));
  const watchers = audit === null ? observers : [...observers, audit.observe];
  app.use(observed(watchers, paths, answerErrors(log, pages, audit)));
  if (cors !== null) app.use(cors);
  app.use(straight(direct));
  app.use(router.routes());
  app.use(answerTheRest(router));
  // Koa's own line would print the error with its text.
  app.on('error', (error, ctx: Context) => logFailure(log, ctx, routeNameOf(ctx, paths), error));
  return app;
};
