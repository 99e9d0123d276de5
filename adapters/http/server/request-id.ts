import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { RequestTracer } from '../../../application/ports/request-tracer.ts';

const id: unique symbol = Symbol('the id of a request');

declare module 'node:http' {
  interface IncomingMessage {
    /** A WeakMap instead of a property would cost the garbage collector far more. */
    [id]?: string;
  }
}

// Only characters that are harmless in logs, headers and JSON.
const plainId = /^[\w.~:/+=@-]{1,128}$/;
// W3C Trace Context, section 3.2: version, trace, span, flags.
const traceParent = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;

const idOfCaller = ({ headers }: IncomingMessage): string | undefined => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && plainId.test(given) ? given : undefined;
};

const traceOfCaller = ({ headers }: IncomingMessage): string | undefined => {
  const parent = headers.traceparent;
  return typeof parent === 'string' ? traceParent.exec(parent)?.[1] : undefined;
};

/**
 * The id of a request in the log and in its problem document: the caller's `X-Request-Id`, the trace id of its
 * `traceparent`, or a new one. It is created on first use and does not change.
 */
export const requestIdOf = (request: IncomingMessage): string => {
  request[id] ??= idOfCaller(request) ?? traceOfCaller(request) ?? randomUUID();
  return request[id];
};

/** Serves each request in a span. The request id is then the trace id, unless the caller sent an `X-Request-Id`. */
export const traced =
  <Chain>(
    tracer: RequestTracer,
    paths: ReadonlySet<string>,
    handle: (ctx: Context, chain: Chain) => Promise<void>,
    onError: (ctx: Context, error: unknown) => void,
  ) =>
  async (ctx: Context, chain: Chain): Promise<void> => {
    const { method, path, protocol, req } = ctx;
    const route = paths.has(path) ? path : undefined;
    const scheme = protocol === 'https' ? 'https' : 'http';
    const serve = async (trace: string): Promise<number> => {
      if (idOfCaller(req) === undefined) req[id] = trace;
      await handle(ctx, chain);
      return ctx.status;
    };
    try {
      await tracer.traceRequest({ method, route, scheme, headers: req.headers }, serve);
    } catch (error) {
      onError(ctx, error);
    }
  };
