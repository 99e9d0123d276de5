import type { Context } from 'koa';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { Observer } from './observer.ts';
import { requestIdOf } from './request-id.ts';

/** Which requests get a line: those that failed here or took long, all of them, or none. */
export type LoggedRequests = 'failed' | 'all' | 'none';

/** From when a request counts as slow, in milliseconds. */
const slow = 1000;

/**
 * One line per request, without its path, query, headers or body: they hold addresses, tokens and passwords. A misspelt
 * path holds what should have been the query.
 */
export const requestLog =
  (log: Log, which: LoggedRequests): Observer =>
  (ctx, route, milliseconds) => {
    const { status } = ctx;
    const isSlow = milliseconds > slow;
    if (which === 'none' || (which === 'failed' && status < 500 && !isSlow)) return;
    const fields = {
      method: ctx.method,
      route,
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      request: requestIdOf(ctx.req),
    };
    if (status >= 500) log.warn(fields, 'request failed');
    else log.info(fields, isSlow ? 'slow request' : 'request');
  };

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What may be said of an error: its kind and where it arose. Its message may hold a value, and stays out. */
const outline = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .map((line) => line.trim());
  return { name: error.name, code: 'code' in error ? textOf(error.code) : undefined, at: frames?.slice(0, 5) };
};

/**
 * Logs why a request to a route (its path, or `other`) failed: a Fault in its own words, which hold no value, anything
 * else in outline.
 */
export const logFailure = (log: Log, ctx: Context, route: string, error: unknown): void => {
  const request = { method: ctx.method, route, request: requestIdOf(ctx.req) };
  if (error instanceof Fault) {
    const cause = error.cause === undefined ? undefined : outline(error.cause);
    log.warn({ ...request, code: error.code, cause }, error.message);
    return;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // The caller went away before it had its answer: nobody's failure.
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
  log.error({ ...request, error: outline(error) }, 'unexpected error');
};
