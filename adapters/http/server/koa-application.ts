import Koa, { type Context, type Request } from 'koa';
import type { TrustedProxies } from './trusted-proxies.ts';

/**
 * Koa for a service that sends every answer itself. Koa's own way to handle a request hangs listeners on each response,
 * to hear when its connection breaks, and looks afterwards for a body to send. The listener knows the connections, and
 * there is nothing left to send.
 *
 * `handleRequest` is a private method of Koa, which may change with any minor version: package.json therefore pins koa
 * to one, and a newer one has to be compared with this class first.
 */
export class Application extends Koa {
  /** Without `proxies` no X-Forwarded header is read. */
  constructor(proxies: TrustedProxies | null = null) {
    super();
    if (proxies === null) return;
    // Koa's own switch believes the leftmost value, which anybody can write. These are read when they are asked for.
    Object.defineProperties(this.request, {
      ip: {
        get(this: Request) {
          return proxies.addressOf(this.req);
        },
      },
      host: {
        get(this: Request) {
          return proxies.hostOf(this.req);
        },
      },
      protocol: {
        get(this: Request) {
          return proxies.protocolOf(this.req);
        },
      },
    });
  }

  async handleRequest(ctx: Context, run: (ctx: Context) => Promise<void>): Promise<void> {
    try {
      await run(ctx);
      // A middleware that set a status and headers only, as that of CORS does.
      if (!ctx.res.headersSent) ctx.res.end();
    } catch (error) {
      ctx.onerror(error instanceof Error ? error : new Error('not an error', { cause: error }));
    }
  }
}
