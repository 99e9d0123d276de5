import Koa, { type Context } from 'koa';

/**
 * Koa for a service that sends every answer itself. Koa's own way to handle a request hangs listeners on each response,
 * to hear when its connection breaks, and looks afterwards for a body to send: a twentieth of the time of a request.
 * The listener knows the connections, and there is never anything left to send.
 */
export class Application extends Koa {
  handleRequest(ctx: Context, run: (ctx: Context) => Promise<void>): Promise<void> {
    return run(ctx).catch((error) => ctx.onerror(error));
  }
}
