import type { Context, Middleware } from 'koa';

/** Is told of a request once its answer is ready: the path of its route (or `other`), and how many milliseconds it took. */
export type Observer = (ctx: Context, route: string, milliseconds: number) => void;

/** The outermost middleware: tells the observers of every request, also of those that fail. */
export const observed =
  (observers: readonly Observer[], paths: ReadonlySet<string>): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    await next();
    const milliseconds = performance.now() - started;
    const { path } = ctx;
    // Any other path is the caller's invention, and there is no end of them.
    const route = paths.has(path) ? path : 'other';
    for (const observe of observers) observe(ctx, route, milliseconds);
  };
