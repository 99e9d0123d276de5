import Koa, { type Middleware } from 'koa';
import type { AdministrationBus } from '../../../../application/bus.ts';
import type { Log } from '../../../../application/ports/log.ts';
import { type BasicKey, basicAuthenticator } from '../../authentication/basic.ts';
import { createService } from '../../server/pipeline.ts';
import type { Observer } from '../../server/request-log.ts';
import { guard } from './access-guard.ts';
import { administrationRoutes } from './administration-routes.ts';
import { administrationPages, pageRoutes } from './pages/index.ts';

/** What the administration is made of. */
export interface AdministrationParts {
  readonly bus: AdministrationBus;
  /** Those who may administrate. */
  readonly keys: readonly BasicKey[];
  /** Are called for every request. */
  readonly observers: readonly Observer[];
  readonly log: Log;
}

/** Serves `/admin` and everything below it, on the admin port: pages for people, and the API. */
export const administration = ({ bus, keys, observers, log }: AdministrationParts): Middleware => {
  const authenticator = basicAuthenticator(keys, 'latchkey admin');
  const routes = administrationRoutes(bus);
  const pages = administrationPages({ bus, authenticator, observers, log });
  const api = createService({
    routes,
    authenticator,
    documentation: null,
    observers,
    tracer: null,
    log,
    proxies: null,
    cors: null,
  }).callback();
  const application = new Koa();
  application.use(guard({ authenticator, routes: [...routes, ...pageRoutes], observers, log }));
  application.use(pages.routes());
  // That of the API answers by itself.
  application.use(async (ctx) => {
    ctx.respond = false;
    await api(ctx.req, ctx.res);
  });
  const serve = application.callback();
  return async (ctx) => {
    ctx.respond = false;
    await serve(ctx.req, ctx.res);
  };
};
