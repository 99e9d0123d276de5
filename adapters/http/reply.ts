import type { Context } from 'koa';

/** An answer, complete. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Sends an answer at once. Koa would look at the body again, to find out its type and its length. */
export const send = (ctx: Context, { status, headers, body }: Reply): void => {
  ctx.respond = false;
  if (ctx.headerSent) return;
  const length = { 'Content-Length': Buffer.byteLength(body) };
  ctx.res.writeHead(status, status === 204 ? headers : { ...headers, ...length }).end(body);
};
