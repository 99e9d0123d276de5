// The global of this name is a getter, which is called at each use.
import { performance } from 'node:perf_hooks';
import type { Context, Middleware } from 'koa';

/** Is told of a request once its answer is ready: the path of its route (or `other`), and how many milliseconds it took. */
export type Observer = (ctx: Context, route: string, milliseconds: number) => void;

/** Answers a request with what is left to say after an error. */
export type ErrorAnswer = (ctx: Context, error: unknown) => void;

/** The outermost middleware: whatever is thrown inside is answered, and the observers are told of every request. */
export const observed =
  (observers: readonly Observer[], paths: ReadonlySet<string>, answerError: ErrorAnswer): Middleware =>
  async (ctx, next) => {
    const started = performance.now();
    try {
      await next();
    } catch (error) {
      answerError(ctx, error);
    }
    const milliseconds = performance.now() - started;
    const { path } = ctx;
    // Any other path is the caller's invention, and there is no end of them.
    const route = paths.has(path) ? path : 'other';
    for (const observe of observers) observe(ctx, route, milliseconds);
  };
