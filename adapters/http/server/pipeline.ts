// The global of this name is a getter, which costs a call at each use.
import { performance } from 'node:perf_hooks';
import Koa, { type Context } from 'koa';
import { Fault, stackFrames } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { requestIdOf } from './request-id.ts';
import { arrivalOf } from './request-scheduler.ts';

interface RequestState {
  /** When the request arrived, by the clock of `performance.now()`. */
  startedMs?: number;
  /** The declared path of the endpoint that it reached. */
  path?: string;
}

declare module 'koa' {
  interface DefaultState extends RequestState {}
}

/** Answers a request, or rejects with an error that the pipeline answers. */
export type Serve = (ctx: Context) => Promise<void>;

/** Answers the requests of one method to one path, which may be a pattern of the router. */
export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly serve: Serve;
}

/** The middleware of Koa, composed. */
export type Chain = (ctx: Context) => Promise<void>;

/** Serves requests with exactly the method and path of an endpoint. The router, which tries every pattern, serves the rest. */
export const exactRoutes = (endpoints: readonly Endpoint[]): ((ctx: Context, next: Chain) => Promise<void>) => {
  const byPath = new Map<string, Map<string, Serve>>();
  for (const { method, path, serve } of endpoints) {
    const methods = byPath.get(path) ?? new Map<string, Serve>();
    byPath.set(path, methods.set(method.toUpperCase(), serve));
  }
  return (ctx, next) => {
    const { url = '', method = '' } = ctx.req;
    const end = url.indexOf('?');
    const serve = byPath.get(end === -1 ? url : url.slice(0, end))?.get(method);
    return serve === undefined ? next(ctx) : serve(ctx);
  };
};

/** Called for each request after its response: with its route as `routeNameOf` gives it, and its duration. */
export type Observer = (ctx: Context, route: string, durationMs: number) => void;

/**
 * The declared path of the route that a request reached, or `other`. Logs and metrics hold it instead of the path of the
 * request: callers can invent any number of paths, and a misspelt one may hold an address or a token.
 */
const routeNameOf = (ctx: Context, paths: ReadonlySet<string>): string => {
  const { path } = ctx.state;
  if (path !== undefined) return path;
  if (paths.has(ctx.path)) return ctx.path;
  // The router sets it when a pattern such as /admin/users/:address matches.
  const matched: unknown = ctx._matchedRoute;
  return typeof matched === 'string' && paths.has(matched) ? matched : 'other';
};

/** The number of logged stack frames: from an adapter, through the interceptors of its port, to the use case. */
const maxFrames = 8;

/** Codes of drivers and of Node.js, such as `ECONNREFUSED` and `08006`. */
const isConstant = (code: string): boolean => /^\w{1,64}$/.test(code);

/** The kind of an error and where it was thrown. Its message stays out, because it may hold a value. */
const outlineOf = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' && isConstant(error.code) ? error.code : undefined;
  return { name: error.name, code, at: stackFrames(error, maxFrames) };
};

/** Codes of client disconnects, which are not logged. */
const clientCloseCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Logs the error of a request to a route (its declared path, or `other`): a Fault with its message, which never holds a
 * value, any other error by its kind and stack only.
 */
const logError = (log: Log, ctx: Context, route: string, error: unknown): void => {
  const request = { method: ctx.method, route, request: requestIdOf(ctx.req) };
  if (error instanceof Fault) {
    const cause = error.cause === undefined ? undefined : outlineOf(error.cause);
    log.warn({ ...request, code: error.code, record: error.record, cause }, error.message);
    return;
  }
  if (error instanceof Error && 'code' in error && clientCloseCodes.has(error.code)) return;
  log.error({ ...request, error: outlineOf(error) }, 'unexpected error');
};

/** Which requests get a line in the log: the slow ones and those with a status of 500 or above, all of them, or none. */
type LoggedRequests = 'failed' | 'all' | 'none';

const slowMs = 1000;

/** Logs requests, without their path, query, headers and body, because these hold addresses, tokens and passwords. */
export const requestLog =
  (log: Log, which: LoggedRequests): Observer =>
  (ctx, route, durationMs) => {
    const { status } = ctx;
    const isSlow = durationMs > slowMs;
    if (which === 'none' || (which === 'failed' && status < 500 && !isSlow)) return;
    const milliseconds = Math.round(durationMs * 10) / 10;
    const fields = { method: ctx.method, route, status, milliseconds, request: requestIdOf(ctx.req) };
    if (status >= 500) log.warn(fields, 'request failed');
    else log.info(fields, isSlow ? 'slow request' : 'request');
  };

/**
 * Lets Koa end a request that failed outside of the error handling. If that fails, too, it closes the connection, because
 * nothing catches an error from here, and one that nothing catches ends the process.
 */
export const endWithError = (ctx: Context, error: unknown): void => {
  try {
    ctx.onerror(error instanceof Error ? error : new Error('not an error', { cause: error }));
  } catch {
    ctx.req.socket.destroy();
  }
};

/**
 * Serves each request, logs and answers its error, and calls the observers.
 *
 * Every middleware sends its response itself. Koa's own `handleRequest` adds listeners to each response and then looks for
 * a body to send, neither of which is needed here. It is a private method of Koa, so package.json pins the minor version:
 * compare the method before an update.
 */
export class Pipeline extends Koa {
  private pending = 0;
  private reportIdle = (): void => undefined;

  constructor(
    private readonly serve: (ctx: Context, chain: Chain) => Promise<void>,
    /** Answers a request that ended with an error. */
    private readonly answerError: (ctx: Context, error: unknown) => void,
    /** The declared paths of the endpoints. */
    private readonly paths: ReadonlySet<string>,
    private readonly observers: readonly Observer[],
    private readonly log: Log,
  ) {
    super();
    // Without a listener, Koa prints the message of the error to stderr.
    this.on('error', (error, ctx: Context) => logError(log, ctx, routeNameOf(ctx, paths), error));
  }

  /** Resolves once no request is being served; to be called when no further one follows. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.reportIdle = resolve;
      if (this.pending === 0) resolve();
    });
  }

  async handleRequest(ctx: Context, chain: Chain): Promise<void> {
    const startedMs = arrivalOf(ctx.req);
    this.pending++;
    ctx.state.startedMs = startedMs;
    try {
      try {
        await this.serve(ctx, chain);
      } catch (error) {
        logError(this.log, ctx, routeNameOf(ctx, this.paths), error);
        this.answerError(ctx, error);
      }
      this.observe(ctx, performance.now() - startedMs);
      // The middleware for CORS sets only a status and headers.
      if (!ctx.res.headersSent) ctx.res.end();
    } catch (error) {
      endWithError(ctx, error);
    } finally {
      if (--this.pending === 0) this.reportIdle();
    }
  }

  private observe(ctx: Context, durationMs: number): void {
    const route = routeNameOf(ctx, this.paths);
    for (const observe of this.observers) observe(ctx, route, durationMs);
  }
}
