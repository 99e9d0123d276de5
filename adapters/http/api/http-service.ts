import cors from '@koa/cors';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../../application/ports/request-tracer.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ErrorPageFrame } from '../pages/error-page.ts';
import { type Chain, type Endpoint, endWithError, exactRoutes, type Observer, Pipeline } from '../server/pipeline.ts';
import { traced } from '../server/request-id.ts';
import { send } from '../server/response.ts';
import type { TrustedProxies } from '../server/trusted-proxies.ts';
import { refusal, refusalOfError, refuse } from './refusal.ts';
import { acceptPatch } from './request-body.ts';
import { serveRoute } from './route.ts';
import type { Route } from './route-types.ts';

/** Koa middleware, including that of a router. */
export type ServiceMiddleware = ReturnType<Router['routes']>;

interface ServiceParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly operationTimeoutMs: number;
  /** Called after each request. */
  readonly observers: readonly Observer[];
  /** Undefined where requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
  readonly log: Log;
  /** Undefined where X-Forwarded headers are ignored. */
  readonly proxies?: TrustedProxies | undefined;
  readonly errorPages: ErrorPageFrame;
  /** Middleware that runs before the routes. */
  readonly before: readonly ServiceMiddleware[];
  /** Whether paths match in any case; only exactly by default. */
  readonly ignoresCase?: boolean;
}

/** Lets browsers read responses on pages of these origins; `*` allows every origin. */
export const corsFor = (origins: readonly string[]): Middleware =>
  cors({
    // An empty string omits the headers.
    origin: ({ header }) =>
      origins.includes('*') ? '*' : (origins.find((allowed) => allowed === header.origin) ?? ''),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      ...['Authorization', 'Content-Type', 'password', 'password*', 'Prefer', 'If-Match'],
      ...['X-Request-Id', 'traceparent'],
    ],
    exposeHeaders: ['ETag', 'X-Request-Id', 'Preference-Applied', 'Retry-After', 'WWW-Authenticate'],
    maxAge: 600,
  });

/** Answers requests that match no route: 204 to OPTIONS, 405 for a known path, otherwise 404 (RFC 9110, sections 9.3.7 and 15.5.6). */
const answerUnrouted = (router: Router): Middleware => {
  const methodsOf = (path: string): readonly string[] => [
    ...new Set(router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods)),
  ];
  return (ctx) => {
    const known = methodsOf(ctx.path);
    // `OPTIONS *`, which is read as the path `/`, asks about the service as a whole.
    const asksForAll = ctx.method === 'OPTIONS' && ctx.path === '/';
    if ((known.length === 0 && !asksForAll) || known.includes(ctx.method))
      return refuse(ctx, refusal('route_not_found'));
    const headers = { Allow: [...known, 'OPTIONS'].join(', ') };
    if (ctx.method !== 'OPTIONS') return refuse(ctx, { code: 'method_not_allowed', headers });
    const ofPatch = known.includes('PATCH') ? acceptPatch : {};
    send(ctx, { status: 204, headers: { ...headers, ...ofPatch }, body: '' });
  };
};

/** The Koa application that serves routes, and answers errors with problem documents. */
export const createService = (parts: ServiceParts): Pipeline => {
  const { routes, authenticator, operationTimeoutMs, observers, tracer, log, proxies } = parts;
  const { errorPages, before, ignoresCase = false } = parts;
  const endpoints = routes.map((route): Endpoint => {
    const { method, path } = route;
    return { method, path, serve: serveRoute(route, authenticator, operationTimeoutMs) };
  });
  const paths = new Set(endpoints.map(({ path }) => path));
  // Not strict, because clients of other implementations send `/users/`.
  const router = new Router({ sensitive: !ignoresCase });
  for (const { method, path, serve } of endpoints) router[method](path, serve);

  const serveExact = exactRoutes(endpoints);
  const serve = before.length === 0 ? serveExact : (ctx: Context, chain: Chain) => chain(ctx);
  const answerError = (ctx: Context, error: unknown): void => refuse(ctx, refusalOfError(error));
  const app = new Pipeline(serve, answerError, paths, observers, log);
  app.context.errorPages = errorPages;
  proxies?.addTo(app);
  if (tracer !== undefined) app.handleRequest = traced(tracer, paths, app.handleRequest.bind(app), endWithError);
  for (const middleware of before) app.use(middleware);
  if (before.length > 0) app.use(serveExact);
  app.use(router.routes());
  app.use(answerUnrouted(router));
  return app;
};
