import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { writeBody } from './response.ts';

/** A body that never changes while the process runs, and the headers that belong to it. */
export interface StaticContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

interface Representation {
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const representationOf = ({ headers, body: content }: StaticContent): Representation => {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return { tag: `"${createHash('sha256').update(body).digest('base64url')}"`, headers, body };
};

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110, section 13.1.2). */
const isNamedBy = (condition: string | undefined, tag: string): boolean =>
  condition === '*' || (condition?.split(',').some((named) => named.trim().replace(/^W\//, '') === tag) ?? false);

const answer = (ctx: Context, { tag, headers, body }: Representation): void => {
  ctx.respond = false;
  ctx.set(headers);
  ctx.set('ETag', tag);
  if (isNamedBy(ctx.req.headers['if-none-match'], tag)) {
    ctx.remove('Content-Type');
    ctx.res.writeHead(304).end();
    return;
  }
  writeBody(ctx.res.writeHead(200, { 'Content-Length': body.length }), body);
};

/**
 * Serves content that is rendered by the first request and shared by all of them, so that a request costs neither the
 * work nor the memory again. A request whose `If-None-Match` names its strong entity tag is answered with 304. When
 * `render` fails, the next request tries again.
 */
export const staticResource = (render: () => StaticContent | Promise<StaticContent>): Middleware => {
  let rendered: Promise<Representation> | undefined;
  const renderOnce = (): Promise<Representation> =>
    Promise.resolve()
      .then(render)
      .then(representationOf)
      .catch((error: unknown) => {
        rendered = undefined;
        throw error;
      });
  return async (ctx) => {
    rendered ??= renderOnce();
    answer(ctx, await rendered);
  };
};
