import type { Middleware } from 'koa';
import type { AdministrationBus } from '../../../../application/bus.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { createService } from '../../api/http-service.ts';
import { type BasicKey, basicAuthenticator } from '../../authentication/authenticator.ts';
import type { ApiInformation } from '../../openapi/openapi-document.ts';
import type { AdminSite } from '../../pages/operator-pages.ts';
import type { Observer } from '../../server/pipeline.ts';
import { accessGuard } from './access-guard.ts';
import { type AdministrationFeatures, administrationRoutes } from './administration-routes.ts';
import { administrationPages, mailPageRoutes, pageRoutes } from './pages/index.ts';

export interface AdministrationParts extends AdministrationFeatures {
  readonly bus: AdministrationBus;
  /** The keys of administrators. */
  readonly keys: readonly BasicKey[];
  /** Called after each request. */
  readonly observers: readonly Observer[];
  /** What the OpenAPI document says besides the routes; null if none is published. */
  readonly information: ApiInformation | null;
  readonly operationTimeoutMs: number;
  readonly site: AdminSite;
  readonly log: Log;
}

/** Serves `/admin` and everything below it: pages for people, and the API. */
export const administration = (parts: AdministrationParts): Middleware => {
  const { bus, keys, observers, information, queuesMails, recovers, operationTimeoutMs, site, log } = parts;
  const authenticator = basicAuthenticator(keys, 'latchkey admin');
  const routes = administrationRoutes(bus, information, parts);
  const guard = accessGuard({
    authenticator,
    routes: [...routes, ...pageRoutes(recovers), ...(queuesMails ? mailPageRoutes : [])],
    log,
  });
  const pages = administrationPages({ ...parts, authenticator });
  const serve = createService({
    routes,
    authenticator,
    operationTimeoutMs,
    documentation: null,
    observers,
    tracer: null,
    log,
    proxies: null,
    errorPages: site.errorPages,
    before: [guard, pages],
  }).callback();
  return async (ctx) => {
    ctx.respond = false;
    await serve(ctx.req, ctx.res);
  };
};
