// The global of this name is a getter, which is called at each use.
import { performance } from 'node:perf_hooks';
import type { Context, Middleware } from 'koa';

/**
 * The declared path of the route that a request came to, or `other`. It stands for the path of the request in logs and
 * metrics: any other path is its caller's invention, there is no end of them, and a misspelt one may hold an address or
 * a token.
 */
export const routeNameOf = (ctx: Context, paths: ReadonlySet<string>): string => {
  if (paths.has(ctx.path)) return ctx.path;
  // What the router leaves when a pattern such as /admin/users/:address matched.
  const matched: unknown = ctx._matchedRoute;
  return typeof matched === 'string' && paths.has(matched) ? matched : 'other';
};

/** Is told of a request once its answer is ready: the path of its route (or `other`), and how many milliseconds it took. */
export type Observer = (ctx: Context, route: string, milliseconds: number) => void;

/** Answers a request to a route (its path, or `other`) with what is left to say after an error. */
export type ErrorAnswer = (ctx: Context, error: unknown, route: string) => void;

/** The outermost middleware: whatever is thrown inside is answered, and the observers are told of every request. */
export const observed =
  (observers: readonly Observer[], paths: ReadonlySet<string>, answerError: ErrorAnswer): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    try {
      await next();
    } catch (error) {
      answerError(ctx, error, routeNameOf(ctx, paths));
    }
    const milliseconds = performance.now() - started;
    const route = routeNameOf(ctx, paths);
    for (const observe of observers) observe(ctx, route, milliseconds);
  };
