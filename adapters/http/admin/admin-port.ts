import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { Fault } from '../../../application/fault.ts';
import { type Component, HealthMonitor, isHealthy } from '../../../application/health.ts';
import type { Log } from '../../../application/ports/log.ts';
import { singleFlight } from '../../kit/single-flight.ts';
import { refusal, refuse } from '../api/refusal.ts';
import { adminPaths } from '../paths.ts';
import { logError } from '../server/error-log.ts';
import type { ServiceMiddleware } from '../server/http-service.ts';
import type { AdministrationParts } from './administration/index.ts';
import { onlyKnownHosts } from './host-check.ts';
import type { Outbox } from './outbox/mail-content.ts';

export interface AdminParts {
  /** The host names of the port, besides `localhost` and IP addresses. */
  readonly hosts: readonly string[];
  readonly components: readonly Component[];
  /** Without it the service is not ready. */
  readonly readiness: Component;
  readonly isStopping: () => boolean;
  /** The metrics as text, with its media type. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Opens the mails for the first request to `/outbox`; null where mails are really sent. */
  readonly openOutbox: (() => Promise<Outbox | undefined>) | null;
  /** Opens what `/admin` needs for the first request to it; null without administrators. */
  readonly openAdministration: (() => Promise<AdministrationParts>) | null;
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

const healthRoutes = (router: Router, { components, readiness, isStopping }: AdminParts): void => {
  const health = new HealthMonitor(components);
  const readinessMonitor = new HealthMonitor([readiness]);
  router.get(adminPaths.health, async (ctx) => {
    const report = await health.report();
    sendJson(ctx, isHealthy(report) ? 200 : 503, report);
  });
  router.get('/livez', (ctx) => sendJson(ctx, 200, [['alive', true]]));
  router.get('/readyz', async (ctx) => {
    const ready = !isStopping() && isHealthy(await readinessMonitor.report());
    sendJson(ctx, ready ? 200 : 503, [['ready', ready]]);
  });
};

/**
 * The application of the admin port: `/healthcheck` with a line per component, `/readyz` for load balancers (the service can
 * serve requests and is not stopping), `/livez` (the process answers), `/metrics`, `/outbox` and `/admin`.
 */
export const createAdmin = (parts: AdminParts): Koa => {
  const { hosts, metrics, openOutbox, openAdministration, log } = parts;
  const router = new Router();
  healthRoutes(router, parts);
  const collect = singleFlight(metrics);
  router.get('/metrics', async (ctx) => {
    const { type, text } = await collect();
    ctx.set('Content-Type', type);
    ctx.body = text;
  });
  const app = new Koa();
  // Koa's own listener would print the message of the error.
  app.on('error', (error, ctx: Context) => logError(log, ctx, 'other', error));
  app.use(onlyKnownHosts(hosts, log));
  app.use(router.routes());
  if (openOutbox !== null) {
    const open = async (): Promise<ServiceMiddleware> => {
      const [{ outboxPages }, outbox] = await Promise.all([import('./outbox/index.ts'), openOutbox()]);
      return outbox === undefined ? (_, next) => next() : outboxPages(outbox);
    };
    app.use(section(adminPaths.outbox, open, log));
  }
  if (openAdministration !== null) {
    const open = async (): Promise<ServiceMiddleware> => {
      const [{ administration }, opened] = await Promise.all([
        import('./administration/index.ts'),
        openAdministration(),
      ]);
      return administration(opened);
    };
    app.use(section(adminPaths.administration, open, log));
  }
  app.use((ctx) => refuse(ctx, refusal('route_not_found')));
  return app;
};
