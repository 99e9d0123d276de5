import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../kit/request-tracer.ts';
import { endpoint } from '../api/endpoint.ts';
import { type Refusal, refusal } from '../api/problems.ts';
import type { Route } from '../api/route.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { addDocumentation, type Documentation } from '../openapi/openapi-routes.ts';
import { logError } from './error-log.ts';
import { Application } from './koa-application.ts';
import { type ErrorAnswer, type Observer, observed, routeNameOf } from './request-log.ts';
import { traced } from './request-trace.ts';
import { refuse, send } from './response.ts';
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
}

/** What the caller is told of an error. */
export const refusalOfError = (error: unknown): Refusal => {
  if (!(error instanceof Fault)) return refusal('internal_error');
  return error.retryAfterSeconds === undefined
    ? refusal(error.code)
    : { code: error.code, headers: { 'Retry-After': String(error.retryAfterSeconds) } };
};

/** Whatever is thrown becomes a problem document, and a line in the log. */
const answerErrors =
  (log: Log, pagesAt: ReadonlyMap<string, Route>): ErrorAnswer =>
  (ctx, error, name) => {
    logError(log, ctx, name, error);
    const route = pagesAt.get(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${ctx.path}`);
    const reason = refusalOfError(error);
    ctx.state.code = reason.code;
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
    if (known.length === 0) return refuse(ctx, refusal('route_not_found'));
    const headers = { Allow: [...known, 'OPTIONS'].join(', ') };
    if (known.includes(ctx.method)) return refuse(ctx, refusal('route_not_found'));
    if (ctx.method !== 'OPTIONS') return refuse(ctx, { code: 'method_not_allowed', headers });
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
}: ServiceParts): Application => {
  const router = new Router({ sensitive: true, strict: true });
  const direct = new Map<string, Middleware>();
  for (const route of routes) {
    const serve = endpoint(route, authenticator);
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
  app.use(observed(observers, paths, answerErrors(log, pages)));
  if (cors !== null) app.use(cors);
  app.use(straight(direct));
  app.use(router.routes());
  app.use(answerTheRest(router));
  // Koa's own line would print the error with its text.
  app.on('error', (error, ctx: Context) => logError(log, ctx, routeNameOf(ctx, paths), error));
  return app;
};
