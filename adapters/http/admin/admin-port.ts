import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { Log } from '../../../application/ports/log.ts';
import { refusal } from '../api/problems.ts';
import { logError } from '../server/error-log.ts';
import { requestIdOf } from '../server/request-id.ts';
import { refuse } from '../server/response.ts';
import { knownHosts } from './host-check.ts';
import type { OutboxRoutes } from './outbox/index.ts';

/** A part of the service that can be well or not: resolves with a line about it, or throws. */
export interface Component {
  readonly name: string;
  check(): Promise<string>;
}

interface Health {
  readonly healthy: boolean;
  readonly message: string;
}

/** How long a component may take to answer, in milliseconds. */
const patience = 3_000;

const late = (): Fault => new Fault('timed_out', `no answer within ${patience / 1000} s`);

/** The health of a component; a failure that is no Fault says nothing of itself, because it may hold a value. */
export const healthOf = async (component: Component): Promise<Health> => {
  try {
    return { healthy: true, message: await withTimeout(patience, component.check(), late) };
  } catch (error) {
    return { healthy: false, message: error instanceof Fault ? error.message : 'failed' };
  }
};

/** For how long an answer is good, in milliseconds; up to the second one it is given while a new one is sought. */
const fresh = 1_000;
const acceptable = 4_000;

type Healths = ReadonlyMap<string, Health>;

const isWell = (healths: Healths): boolean => [...healths.values()].every(({ healthy }) => healthy);

/**
 * Asks every component at most once at a time, however many ask for the answer: a probe costs a write to the disk or a
 * round trip. While all is well those who ask often don't wait for it; whoever asks rarely gets today's answer.
 */
const shared = (components: readonly Component[]): (() => Promise<Healths>) => {
  let asked: Promise<Healths> | undefined;
  let last: { readonly healths: Healths; readonly at: number } | undefined;
  const ask = async (): Promise<Healths> => {
    const healths = new Map(
      await Promise.all(components.map(async (component) => [component.name, await healthOf(component)] as const)),
    );
    last = { healths, at: performance.now() };
    asked = undefined;
    return healths;
  };
  return async () => {
    const age = last === undefined || !isWell(last.healths) ? acceptable : performance.now() - last.at;
    if (age >= fresh) asked ??= ask();
    return last !== undefined && age < acceptable ? last.healths : (asked ?? ask());
  };
};

/** Gives everybody who asks while an answer is made the same one, so that asking often at once costs no more. */
const sharedWhilePending = <Answer>(ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let pending: Promise<Answer> | undefined;
  return () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
};

/** Answers with a JSON object, a member on each line. */
const answer = (ctx: Context, status: number, members: Iterable<readonly [string, unknown]>): void => {
  const lines = [...members].map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  ctx.status = status;
  ctx.set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  ctx.body = `{\n${lines.join(',\n')}\n}\n`;
};

/**
 * Refuses requests that are meant for another host, before anything is read or done for them. The line in the log leaves
 * out the host and the path: both are the caller's own text.
 */
const onlyKnownHosts = (hosts: readonly string[], log: Log): Middleware => {
  const isKnown = knownHosts(hosts);
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

/** What the admin port is made of. */
export interface AdminParts {
  /** The names under which the port is reached, besides `localhost` and IP addresses. */
  readonly hosts: readonly string[];
  /** The first is critical: without it the service is of no use. */
  readonly components: readonly Component[];
  readonly isStopping: () => boolean;
  /** What was measured, as text, with its media type. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  /** Serves `/outbox`; null where mails are really sent. */
  readonly outbox: OutboxRoutes | null;
  /** Serves `/admin`; null where nobody administrates. */
  readonly administration: Middleware | null;
  readonly log: Log;
}

/**
 * The application behind the admin port: `/healthcheck` with a line per component, `/readyz` for balancers (ready when
 * its critical component answers and the service is not stopping), `/livez` (the process answers), `/metrics`, the mails
 * where they are kept, and the administration of users where somebody has a key.
 */
export const createAdmin = ({
  hosts,
  components,
  isStopping,
  metrics,
  outbox,
  administration,
  log,
}: AdminParts): Koa => {
  const health = shared(components);
  const readiness = shared(components.slice(0, 1));
  const router = new Router();
  router.get('/healthcheck', async (ctx) => {
    const healths = await health();
    answer(ctx, isWell(healths) ? 200 : 503, healths);
  });
  router.get('/livez', (ctx) => answer(ctx, 200, [['alive', true]]));
  router.get('/readyz', async (ctx) => {
    const ready = !isStopping() && isWell(await readiness());
    answer(ctx, ready ? 200 : 503, [['ready', ready]]);
  });
  const collect = sharedWhilePending(metrics);
  router.get('/metrics', async (ctx) => {
    const { type, text } = await collect();
    ctx.set('Content-Type', type);
    ctx.body = text;
  });
  const app = new Koa();
  // Koa's own line would print the error with its text.
  app.on('error', (error, ctx: Context) => logError(log, ctx, 'other', error));
  app.use(onlyKnownHosts(hosts, log));
  app.use(router.routes());
  if (outbox !== null) app.use(outbox);
  if (administration !== null) app.use(administration);
  app.use((ctx) => refuse(ctx, refusal('route_not_found')));
  return app;
};
