import type { Context } from 'koa';
import type { Log } from '../../../application/ports/log.ts';
import { requestIdOf } from './request-id.ts';

/** Called for each request after its response: with its route as `routeNameOf` gives it, and its duration. */
export type Observer = (ctx: Context, route: string, durationMs: number) => void;

/**
 * The declared path of the route that a request reached, or `other`. Logs and metrics hold it instead of the path of the
 * request: callers can invent any number of paths, and a misspelt one may hold an address or a token.
 */
export const routeNameOf = (ctx: Context, paths: ReadonlySet<string>): string => {
  const { route, path } = ctx.state;
  if (route !== undefined) return route.path;
  if (path !== undefined) return path;
  if (paths.has(ctx.path)) return ctx.path;
  // The router sets it when a pattern such as /admin/users/:address matches.
  const matched: unknown = ctx._matchedRoute;
  return typeof matched === 'string' && paths.has(matched) ? matched : 'other';
};

/** Which requests get a line in the log: the slow ones and those with a status of 500 or above, all of them, or none. */
export type LoggedRequests = 'failed' | 'all' | 'none';

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
