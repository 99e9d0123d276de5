// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import Koa, { type Context } from 'koa';
import type { Log } from '../../../application/ports/log.ts';
import { refusalOfError, refuse } from '../api/refusal.ts';
import type { Endpoint } from '../api/route.ts';
import { logError } from './error-log.ts';
import { type Observer, routeNameOf } from './request-log.ts';
import { arrivalOf } from './request-scheduler.ts';

/** The middleware of Koa, composed. */
export type Chain = (ctx: Context) => Promise<void>;

/** Serves requests with exactly the method and path of a route. The router, which tries every pattern, serves the rest. */
export const exactRoutes =
  (endpoints: ReadonlyMap<string, ReadonlyMap<string, Endpoint>>) =>
  (ctx: Context, next: Chain): Promise<void> => {
    const { url = '', method = '' } = ctx.req;
    const end = url.indexOf('?');
    const serve = endpoints.get(end === -1 ? url : url.slice(0, end))?.get(method);
    return serve === undefined ? next(ctx) : serve(ctx);
  };

/** Lets Koa end a request that failed outside of the error handling. */
export const endWithError = (ctx: Context, error: unknown): void =>
  ctx.onerror(error instanceof Error ? error : new Error('not an error', { cause: error }));

/**
 * Serves each request, answers its error with a problem document, and calls the observers.
 *
 * Every middleware sends its response itself. Koa's own `handleRequest` adds listeners to each response and then looks for
 * a body to send, neither of which is needed here. It is a private method of Koa, so package.json pins the minor version:
 * compare the method before an update.
 */
export class Pipeline extends Koa {
  constructor(
    private readonly serve: (ctx: Context, chain: Chain) => Promise<void>,
    /** The declared paths of the routes. */
    private readonly paths: ReadonlySet<string>,
    private readonly observers: readonly Observer[],
    private readonly log: Log,
  ) {
    super();
    // Without a listener, Koa prints the message of the error to stderr.
    this.on('error', (error, ctx: Context) => logError(log, ctx, routeNameOf(ctx, paths), error));
  }

  async handleRequest(ctx: Context, chain: Chain): Promise<void> {
    const startedMs = arrivalOf(ctx.req);
    ctx.state.startedMs = startedMs;
    try {
      try {
        await this.serve(ctx, chain);
      } catch (error) {
        this.answerError(ctx, error);
      }
      this.observe(ctx, performance.now() - startedMs);
      // The middleware for CORS sets only a status and headers.
      if (!ctx.res.headersSent) ctx.res.end();
    } catch (error) {
      endWithError(ctx, error);
    }
  }

  private answerError(ctx: Context, error: unknown): void {
    logError(this.log, ctx, routeNameOf(ctx, this.paths), error);
    refuse(ctx, refusalOfError(error));
  }

  private observe(ctx: Context, durationMs: number): void {
    const route = routeNameOf(ctx, this.paths);
    for (const observe of this.observers) observe(ctx, route, durationMs);
  }
}
