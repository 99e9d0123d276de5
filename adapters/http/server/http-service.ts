import Router from '@koa/router';
import type Koa from 'koa';
import type { Log } from '../../../application/ports/log.ts';
import type { RequestTracer } from '../../../application/ports/request-tracer.ts';
import { type Endpoint, endpoint } from '../api/route.ts';
import type { Route } from '../api/route-types.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { addDocumentation, type Documentation } from '../openapi/documentation.ts';
import type { ErrorPageFrame } from '../pages/error-page.ts';
import { endWithError, exactRoutes, Pipeline } from './pipeline.ts';
import { answerUnrouted } from './protocol-errors.ts';
import { traced } from './request-id.ts';
import type { Observer } from './request-log.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Koa middleware, including that of a router. */
export type ServiceMiddleware = ReturnType<Router['routes']>;

export interface ServiceParts {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly operationTimeoutMs: number;
  /** Null without the OpenAPI document and its page. */
  readonly documentation: Documentation | null;
  /** Called after each request. */
  readonly observers: readonly Observer[];
  /** Null where requests are not traced. */
  readonly tracer: RequestTracer | null;
  readonly log: Log;
  /** Null where X-Forwarded headers are ignored. */
  readonly proxies: TrustedProxies | null;
  readonly errorPages: ErrorPageFrame;
  /** Middleware that runs before the routes. */
  readonly before: readonly ServiceMiddleware[];
}

/** The Koa application that serves routes, and answers errors with problem documents. */
export const createService = (parts: ServiceParts): Koa => {
  const { routes, authenticator, operationTimeoutMs, documentation, observers, tracer, log, proxies } = parts;
  const { errorPages, before } = parts;
  const paths = new Set(routes.map(({ path }) => path));
  // Not strict, because clients of other implementations send `/users/`.
  const router = new Router({ sensitive: true });
  const endpoints = new Map<string, Map<string, Endpoint>>();
  for (const route of routes) {
    const serve = endpoint(route, authenticator, operationTimeoutMs);
    router[route.method](route.path, serve);
    const methods = endpoints.get(route.path) ?? new Map<string, Endpoint>();
    endpoints.set(route.path, methods.set(route.method.toUpperCase(), serve));
  }
  if (documentation !== null) addDocumentation(router, routes, documentation);

  const serveExact = exactRoutes(endpoints);
  const app = new Pipeline(before.length === 0 ? serveExact : (ctx, chain) => chain(ctx), paths, observers, log);
  app.context.errorPages = errorPages;
  proxies?.addTo(app);
  if (tracer !== null) app.handleRequest = traced(tracer, paths, app.handleRequest.bind(app), endWithError);
  for (const middleware of before) app.use(middleware);
  if (before.length > 0) app.use(serveExact);
  app.use(router.routes());
  app.use(answerUnrouted(router));
  return app;
};
