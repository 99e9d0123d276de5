import { isIP } from 'node:net';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { Fault } from '../../../application/fault.ts';
import { type Component, HealthMonitor, isHealthy } from '../../../application/health.ts';
import type { Log } from '../../../application/ports/log.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';
import type { ServiceMiddleware } from '../api/http-service.ts';
import { refusal, refuse } from '../api/refusal.ts';
import { prefersPage } from '../pages/error-page.ts';
import type { AdminSite } from '../pages/operator-pages.ts';
import { adminPaths } from '../paths.ts';
import { logError } from '../server/error-log.ts';
import type { Readiness } from '../server/readiness.ts';
import { requestIdOf } from '../server/request-id.ts';
import type { AdministrationParts } from './administration/index.ts';
import type { Outbox } from './outbox/mail-content.ts';

/** The host of a Host header (RFC 9110, section 7.2) in lower case, without port, brackets and final dot. */
const hostIn = (header: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(header)?.[1];
  const host = bracketed ?? header.replace(/:\d*$/, '').replace(/\.$/, '');
  return host.toLowerCase();
};

/**
 * Decides whether a Host header names this service: an IP address, `localhost`, or one of `names`, in any case and with
 * any port. The owner of a web page can point the host name of the page to an address of this machine and let the page
 * read the responses (DNS rebinding), but the browser still sends that name. A request without the header passes: it is
 * HTTP/1.0, which no browser speaks.
 */
export const knownHosts = (names: readonly string[]): ((header: string | undefined) => boolean) => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (header) => {
    if (header === undefined) return true;
    const host = hostIn(header);
    return known.has(host) || isIP(host) !== 0;
  };
};

/**
 * Refuses requests for other hosts, before any route runs. The log omits host and path, because the caller chooses
 * them.
 */
export const onlyKnownHosts = (names: readonly string[], log: Log): Middleware => {
  const isKnown = knownHosts(names);
  return (ctx, next) => {
    if (isKnown(ctx.req.headers.host)) return next();
    const { method, ip: address } = ctx;
    log.warn(
      { method, address, request: requestIdOf(ctx.req) },
      'a request to the admin port was refused: server.adminHosts does not list the name in its Host header',
    );
    return refuse(ctx, refusal('misdirected_request'));
  };
};

export interface AdminParts {
  /** The host names of the port, besides `localhost` and IP addresses. */
  readonly hosts: readonly string[];
  readonly components: readonly Component[];
  readonly readiness: Readiness;
  /** The metrics as text, with its media type. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Opens the outbox on the first request to `/outbox`; null if the configured mailer really sends mails. */
  readonly openOutbox: (() => Promise<Outbox | undefined>) | null;
  /** Opens the dependencies of `/admin` on the first request to it; null without administrators. */
  readonly openAdministration: (() => Promise<Omit<AdministrationParts, 'site'>>) | null;
  /** The name of the product, and the pages that this port has besides `/`. */
  readonly site: AdminSite;
  readonly log: Log;
}

/** Answers with a JSON object, one member per line. */
const sendJson = (ctx: Context, status: number, members: Iterable<readonly [string, unknown]>): void => {
  const lines = [...members].map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  ctx.status = status;
  ctx.set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  ctx.body = `{\n${lines.join(',\n')}\n}\n`;
};

/**
 * Serves `path` and all paths below it with middleware that is opened by the first request. When that fails, the request
 * is answered with `store_unavailable`, and the next one tries again.
 */
const section = (path: string, open: () => Promise<ServiceMiddleware>, log: Log): ServiceMiddleware => {
  let opened: Promise<ServiceMiddleware> | undefined;
  return async (ctx, next) => {
    if (ctx.path !== path && !ctx.path.startsWith(`${path}/`)) return next();
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      log.warn({ code: error instanceof Fault ? error.code : undefined }, `${path} cannot be opened`);
      return (failed: Context) => refuse(failed, refusal('store_unavailable'));
    });
    const serve = await opened;
    return serve(ctx, next);
  };
};

const healthRoutes = (router: Router, { components, readiness }: AdminParts): void => {
  const health = new HealthMonitor(components);
  router.get(adminPaths.health, async (ctx) => {
    const report = await health.report();
    sendJson(ctx, isHealthy(report) ? 200 : 503, report);
  });
  // As in Dropwizard, whose health checkers expect this text.
  router.get('/ping', (ctx) => {
    ctx.set({ 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    ctx.body = 'pong\n';
  });
  router.get('/livez', (ctx) => sendJson(ctx, 200, [['alive', true]]));
  router.get('/readyz', async (ctx) => {
    const ready = await readiness.isReady();
    sendJson(ctx, ready ? 200 : 503, [['ready', ready]]);
  });
};

/** Whether a browser opens `/`. Programs get a problem document. */
const isIndex = (ctx: Context): boolean =>
  ctx.path === '/' && ['GET', 'HEAD'].includes(ctx.method) && prefersPage(ctx.request);

/**
 * The application of the admin port: `/` with links for people, `/healthcheck` with a line per component, `/readyz` for load balancers (the service can
 * serve requests and is not stopping), `/livez` (the process answers), `/metrics`, `/outbox` and `/admin`.
 */
export const createAdmin = (parts: AdminParts): Koa => {
  const { hosts, metrics, openOutbox, openAdministration, site, log } = parts;
  const router = new Router();
  healthRoutes(router, parts);
  const collect = singleFlight(metrics);
  router.get(adminPaths.metrics, async (ctx) => {
    const { type, text } = await collect();
    ctx.set('Content-Type', type);
    ctx.body = text;
  });
  const app = new Koa();
  // Without a listener, Koa prints the message of the error to stderr.
  app.on('error', (error, ctx: Context) => logError(log, ctx, 'other', error));
  app.context.errorPages = site.errorPages;
  app.use(onlyKnownHosts(hosts, log));
  app.use(router.routes());
  if (openOutbox !== null) {
    const open = async (): Promise<ServiceMiddleware> => {
      const [{ outboxPages }, outbox] = await Promise.all([import('./outbox/index.ts'), openOutbox()]);
      return outbox === undefined ? (_, next) => next() : outboxPages(outbox, site);
    };
    app.use(section(adminPaths.outbox, open, log));
  }
  if (openAdministration !== null) {
    const open = async (): Promise<ServiceMiddleware> => {
      const [{ administration }, opened] = await Promise.all([
        import('./administration/index.ts'),
        openAdministration(),
      ]);
      return administration({ ...opened, site });
    };
    app.use(section(adminPaths.administration, open, log));
  }
  app.use(async (ctx, next) => (isIndex(ctx) ? (await import('./index-page.ts')).sendIndex(ctx, site) : next()));
  app.use((ctx) => refuse(ctx, refusal('route_not_found')));
  return app;
};
