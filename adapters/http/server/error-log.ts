import type { Context } from 'koa';
import { Fault, stackFrames } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { requestIdOf } from './request-id.ts';

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
export const logError = (log: Log, ctx: Context, route: string, error: unknown): void => {
  const request = { method: ctx.method, route, request: requestIdOf(ctx.req) };
  if (error instanceof Fault) {
    const cause = error.cause === undefined ? undefined : outlineOf(error.cause);
    log.warn({ ...request, code: error.code, record: error.record, cause }, error.message);
    return;
  }
  if (error instanceof Error && 'code' in error && clientCloseCodes.has(error.code)) return;
  log.error({ ...request, error: outlineOf(error) }, 'unexpected error');
};
