import type Koa from 'koa';
import type { Context } from 'koa';
import { Fault } from '../../../application/fault.ts';
import { type Component, HealthMonitor, isHealthy } from '../../../application/health.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import type { Log } from '../../../application/ports/log.ts';
import { singleFlight } from '../../concurrency/shared-call.ts';
import { createService, type ServiceMiddleware } from '../api/http-service.ts';
import { refusal, refuse } from '../api/refusal.ts';
import { defineResource } from '../api/route.ts';
import type { Route } from '../api/route-types.ts';
import { basicAuthenticator } from '../authentication/authenticator.ts';
import { prefersPage } from '../pages/error-page.ts';
import type { AdminSite } from '../pages/operator-pages.ts';
import { adminPaths } from '../paths.ts';
import type { Pipeline } from '../server/pipeline.ts';
import type { Readiness } from '../server/readiness.ts';
import type { Reply } from '../server/response.ts';
import type { AdministrationParts } from './administration/index.ts';
import type { KeptMails } from './kept-mails/mail-content.ts';
import { onlyKnownHosts } from './known-hosts.ts';

interface AdminParts {
  /** The host names of the port, besides `localhost` and IP addresses. */
  readonly hosts: readonly string[];
  /** Called for each check. */
  readonly components: () => readonly Component[];
  readonly readiness: Readiness;
  /** The metrics as text, with its media type. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Opens the mails that were kept, on the first request to `/outbox`; undefined if the configured mailer sends mails. */
  readonly openKeptMails: (() => Promise<KeptMails | undefined>) | undefined;
  /** Opens the dependencies of `/admin` on the first request to it; undefined without administrators. */
  readonly openAdministration: (() => Promise<AdministrationParts>) | undefined;
  /** The name of the product, and the pages that this port has besides `/`. */
  readonly site: AdminSite;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer than scrapes and probes wait: what they ask is not an operation of the service. */
const probeTimeoutMs = 60_000;

const plainHeaders = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };

/** A JSON object, one member per line. */
const jsonReply = (status: number, members: Iterable<readonly [string, unknown]>): Reply => {
  const lines = [...members].map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return { status, headers, body: `{\n${lines.join(',\n')}\n}\n` };
};

/** Pages for people, loaded by the first request of a browser. */
const pages = () => import('./status-pages.ts');

/** What load balancers, monitoring and a person with a browser ask the port itself. */
const ownRoutes = ({ readiness, metrics, site }: AdminParts, health: HealthMonitor): readonly Route[] => {
  const collect = singleFlight(metrics);
  return [
    defineResource(adminPaths.health, async (request) => {
      const report = await health.report();
      const status = isHealthy(report) ? 200 : 503;
      return prefersPage(request) ? (await pages()).healthReply(site, status, report) : jsonReply(status, report);
    }),
    // As in Dropwizard, whose health checkers expect this text.
    defineResource('/ping', async () => ({ status: 200, headers: plainHeaders, body: 'pong\n' })),
    defineResource('/livez', async () => jsonReply(200, [['alive', true]])),
    defineResource('/readyz', async () => {
      const ready = await readiness.isReady();
      return jsonReply(ready ? 200 : 503, [['ready', ready]]);
    }),
    defineResource(adminPaths.metrics, async (request) => {
      const { type, text } = await collect();
      if (prefersPage(request)) return (await pages()).metricsReply(site, text);
      return { status: 200, headers: { 'Content-Type': type }, body: text };
    }),
    defineResource(adminPaths.index, async (request) => {
      // Programs get a problem document.
      if (!prefersPage(request)) return undefined;
      const [{ indexReply }, report] = await Promise.all([pages(), health.report()]);
      return indexReply(site, report);
    }),
  ];
};

/** Whether a request is for a path, or one below it. */
const isWithin =
  (path: string) =>
  (ctx: Context): boolean =>
    ctx.path === path || ctx.path.startsWith(`${path}/`);

/** Whether a browser that has the key of an administrator asks for the index. */
const isIndexWithKey = ({ path, request }: Context): boolean =>
  path === adminPaths.index && request.headers.authorization !== undefined && prefersPage(request);

/**
 * Serves the requests that `covers` with an application that is opened by the first of them; undefined leaves them to the
 * port. When that fails, the request is answered with `store_unavailable`, the index without what needs a database, and
 * the next request tries again.
 */
const section = (
  name: string,
  covers: (ctx: Context) => boolean,
  open: () => Promise<Koa | undefined>,
  log: Log,
): ServiceMiddleware => {
  let opened: Promise<ServiceMiddleware> | undefined;
  const openMiddleware = async (): Promise<ServiceMiddleware> => {
    const serve = (await open())?.callback();
    return serve === undefined ? (_, next) => next() : (ctx) => serve(ctx.req, ctx.res);
  };
  return async (ctx, next) => {
    if (!covers(ctx)) return next();
    opened ??= openMiddleware().catch((error: unknown) => {
      opened = undefined;
      log.warn({ code: error instanceof Fault ? error.code : undefined }, `${name} cannot be opened`);
      return (failed: Context, next: () => Promise<unknown>) =>
        failed.path === adminPaths.index ? next() : refuse(failed, refusal('store_unavailable'));
    });
    const serve = await opened;
    return serve(ctx, next);
  };
};

/**
 * The application of the admin port: `/` with links for people, `/healthcheck` with a line per component, `/readyz` for
 * load balancers (the service can serve requests and is not stopping), `/livez` (the process answers), `/metrics`,
 * `/outbox` and `/admin`.
 */
export const createAdmin = (parts: AdminParts): Pipeline => {
  const { hosts, components, openKeptMails, openAdministration, site, clock, log } = parts;
  const health = new HealthMonitor(components);
  const common = {
    authenticator: basicAuthenticator([]),
    operationTimeoutMs: probeTimeoutMs,
    observers: [],
    log,
    errorPages: site.errorPages,
  };
  const sections: ServiceMiddleware[] = [];
  if (openKeptMails !== undefined) {
    const open = async (): Promise<Koa | undefined> => {
      const [{ keptMailRoutes }, mails] = await Promise.all([import('./kept-mails/index.ts'), openKeptMails()]);
      return mails && createService({ ...common, routes: keptMailRoutes(mails, site, clock), before: [] });
    };
    sections.push(section(adminPaths.keptMails, isWithin(adminPaths.keptMails), open, log));
  }
  if (openAdministration !== undefined) {
    const open = async (): Promise<Koa> => {
      const [{ administration }, opened] = await Promise.all([
        import('./administration/index.ts'),
        openAdministration(),
      ]);
      return administration(opened, site, () => health.report());
    };
    const { administration: path } = adminPaths;
    const isWithinPath = isWithin(path);
    sections.push(section(path, (ctx) => isWithinPath(ctx) || isIndexWithKey(ctx), open, log));
  }
  const before = [onlyKnownHosts(hosts, log), ...sections];
  // Probes of former versions may be configured with another case.
  return createService({ ...common, routes: ownRoutes(parts, health), before, ignoresCase: true });
};
