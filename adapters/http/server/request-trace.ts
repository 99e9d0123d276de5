import type { Middleware } from 'koa';
import type { RequestTracer } from '../../kit/request-tracer.ts';
import { nameByTrace } from './request-id.ts';

/** The outermost middleware where requests are traced. In the log a request has the id of its trace then. */
export const traced =
  (tracer: RequestTracer, paths: ReadonlySet<string>): Middleware =>
  (ctx, next) => {
    const { method, path, protocol, req } = ctx;
    const route = paths.has(path) ? path : undefined;
    const scheme = protocol === 'https' ? 'https' : 'http';
    return tracer.follow({ method, route, scheme, headers: req.headers }, async (trace) => {
      nameByTrace(req, trace);
      await next();
      return ctx.status;
    });
  };
