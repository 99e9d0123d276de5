import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import { Fault } from '../../application/fault.ts';

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

const withinPatience = async (check: () => Promise<string>): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault('timed_out', `no answer within ${patience / 1000} s`)), patience);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** The health of a component; a failure that is no Fault says nothing of itself, because it may hold a value. */
export const healthOf = async (component: Component): Promise<Health> => {
  try {
    return { healthy: true, message: await withinPatience(() => component.check()) };
  } catch (error) {
    return { healthy: false, message: error instanceof Fault ? error.message : 'failed' };
  }
};

/** Asks every component at most once at a time, however many ask for the answer. */
const shared = (components: readonly Component[]): (() => Promise<ReadonlyMap<string, Health>>) => {
  let asked: Promise<ReadonlyMap<string, Health>> | undefined;
  const ask = async (): Promise<ReadonlyMap<string, Health>> => {
    try {
      return new Map(
        await Promise.all(components.map(async (component) => [component.name, await healthOf(component)] as const)),
      );
    } finally {
      asked = undefined;
    }
  };
  return () => {
    asked ??= ask();
    return asked;
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
 * The application behind the admin port: `/healthcheck` with a line per component, `/readyz` for balancers (ready when
 * the critical component answers and the service is not stopping), `/livez` (the process answers).
 */
export const createAdmin = (critical: Component, others: readonly Component[], isStopping: () => boolean): Koa => {
  const health = shared([critical, ...others]);
  const readiness = shared([critical]);
  const router = new Router();
  router.get('/healthcheck', async (ctx) => {
    const components = await health();
    const allWell = [...components.values()].every(({ healthy }) => healthy);
    answer(ctx, allWell ? 200 : 503, components);
  });
  router.get('/livez', (ctx) => answer(ctx, 200, [['alive', true]]));
  router.get('/readyz', async (ctx) => {
    const ready = !isStopping() && [...(await readiness()).values()].every(({ healthy }) => healthy);
    answer(ctx, ready ? 200 : 503, [['ready', ready]]);
  });
  const app = new Koa();
  app.use(router.routes());
  return app;
};
