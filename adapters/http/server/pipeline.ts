// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../kit/request-tracer.ts';
import { type Endpoint, endpoint } from '../api/endpoint.ts';
import { type Refusal, refusal } from '../api/problems.ts';
import type { Route } from '../api/route.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { addDocumentation, type Documentation } from '../openapi/documentation.ts';
import { logError } from './error-log.ts';
import { traced } from './request-id.ts';
import { type Observer, routeNameOf } from './request-log.ts';
import { refuse, send } from './response.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Koa middleware, including that of a router. */
export type ServiceMiddleware = ReturnType<Router['routes']>;

export interface ServiceParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  /** Null without the OpenAPI document and its page. */
  readonly documentation: Documentation | null;
  /** Called after each request. */
  readonly observers: readonly Observer[];
  /** Null where requests are not traced. */
  readonly tracer: RequestTracer | null;
  readonly log: Log;
  /** Null where X-Forwarded headers are ignored. */
  readonly proxies: TrustedProxies | null;
  /** Middleware that runs before the routes. */
  readonly before: readonly ServiceMiddleware[];
}

type Chain = (ctx: Context) => Promise<void>;

/** The refusal with which an error is answered. */
export const refusalOfError = (error: unknown): Refusal => {
  if (!(error instanceof Fault)) return refusal('internal_error');
  const { code, retryAfterSeconds } = error;
  return { code, retryAfterSeconds };
};

/** Lets Koa end a request that failed outside of the error handling. */
const endWithError = (ctx: Context, error: unknown): void =>
  ctx.onerror(error instanceof Error ? error : new Error('not an error', { cause: error }));

/**
 * Koa for a service whose middleware sends every response itself. Koa's own `handleRequest` adds listeners to each
 * response and then looks for a body to send, neither of which is needed here.
 *
 * `handleRequest` is a private method of Koa, so package.json pins the minor version: compare the method before an update.
 */
class HttpApplication extends Koa {
  constructor(
    private readonly serve: (ctx: Context, chain: Chain) => Promise<void>,
    private readonly answerError: (ctx: Context, error: unknown) => void,
    private readonly observe: (ctx: Context, startedMs: number) => void,
  ) {
    super();
  }

  async handleRequest(ctx: Context, chain: Chain): Promise<void> {
    const startedMs = performance.now();
    try {
      try {
        await this.serve(ctx, chain);
      } catch (error) {
        this.answerError(ctx, error);
      }
      this.observe(ctx, startedMs);
      // The middleware for CORS sets only a status and headers.
      if (!ctx.res.headersSent) ctx.res.end();
    } catch (error) {
      endWithError(ctx, error);
    }
  }
}

/** Serves requests with exactly the method and path of a route. The router, which tries every pattern, serves the rest. */
const exactRoutes = (endpoints: ReadonlyMap<string, ReadonlyMap<string, Endpoint>>) => {
  return (ctx: Context, next: Chain): Promise<void> => {
    const { url = '', method = '' } = ctx.req;
    const end = url.indexOf('?');
    const serve = endpoints.get(end === -1 ? url : url.slice(0, end))?.get(method);
    return serve === undefined ? next(ctx) : serve(ctx);
  };
};

/** Answers requests that match no route: 204 to OPTIONS, 405 for a known path, otherwise 404 (RFC 9110, sections 9.3.7 and 15.5.6). */
const answerUnrouted = (router: Router): Middleware => {
  const methodsOf = (path: string): readonly string[] => [
    ...new Set(router.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods)),
  ];
  return (ctx) => {
    const known = methodsOf(ctx.path);
    if (known.length === 0 || known.includes(ctx.method)) return refuse(ctx, refusal('route_not_found'));
    const headers = { Allow: [...known, 'OPTIONS'].join(', ') };
    if (ctx.method !== 'OPTIONS') return refuse(ctx, { code: 'method_not_allowed', headers });
    send(ctx, { status: 204, headers, body: '' });
  };
};

/** The Koa application that serves routes, and answers errors with problem documents. */
export const createService = (parts: ServiceParts): Koa => {
  const { routes, authenticator, documentation, observers, tracer, log, proxies, before } = parts;
  const paths = new Set(routes.map(({ path }) => path));
  const router = new Router({ sensitive: true, strict: true });
  const endpoints = new Map<string, Map<string, Endpoint>>();
  for (const route of routes) {
    const serve = endpoint(route, authenticator);
    router[route.method](route.path, serve);
    const methods = endpoints.get(route.path) ?? new Map<string, Endpoint>();
    endpoints.set(route.path, methods.set(route.method.toUpperCase(), serve));
  }
  if (documentation !== null) addDocumentation(router, routes, documentation);

  const serveExact = exactRoutes(endpoints);
  const app = new HttpApplication(
    before.length === 0 ? serveExact : (ctx, chain) => chain(ctx),
    (ctx, error) => {
      logError(log, ctx, routeNameOf(ctx, paths), error);
      const reason = refusalOfError(error);
      ctx.state.code = reason.code;
      refuse(ctx, reason, ctx.state.route?.refusesWithPage?.(ctx.request));
    },
    (ctx, startedMs) => {
      const durationMs = performance.now() - startedMs;
      const route = routeNameOf(ctx, paths);
      for (const observe of observers) observe(ctx, route, durationMs);
    },
  );
  proxies?.addTo(app);
  if (tracer !== null) app.handleRequest = traced(tracer, paths, app.handleRequest.bind(app), endWithError);
  for (const middleware of before) app.use(middleware);
  if (before.length > 0) app.use(serveExact);
  app.use(router.routes());
  app.use(answerUnrouted(router));
  // Koa's own listener would print the message of the error.
  app.on('error', (error, ctx: Context) => logError(log, ctx, routeNameOf(ctx, paths), error));
  return app;
};
