import Koa, { type Context } from 'koa';

/**
 * Koa for a service that sends every answer itself. Koa's own way to handle a request hangs listeners on each response,
 * to hear when its connection breaks, and looks afterwards for a body to send. The listener knows the connections, and
 * there is nothing left to send.
 */
export class Application extends Koa {
  async handleRequest(ctx: Context, run: (ctx: Context) => Promise<void>): Promise<void> {
    try {
      await run(ctx);
      // A middleware that set a status and headers only, as that of CORS does.
      if (!ctx.res.writableEnded) ctx.res.end();
    } catch (error) {
      ctx.onerror(error instanceof Error ? error : new Error('not an error', { cause: error }));
    }
  }
}
