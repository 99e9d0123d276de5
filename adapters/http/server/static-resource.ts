import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { writeBody } from './response.ts';

/** A body that does not change while the process runs, and its headers. */
export interface StaticContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

interface Representation {
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const representationOf = ({ headers, body: content }: StaticContent): Representation => {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  return { entityTag: `"${createHash('sha256').update(body).digest('base64url')}"`, headers, body };
};

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110, section 13.1.2). */
const matches = (condition: string | undefined, entityTag: string): boolean =>
  condition === '*' || (condition?.split(',').some((named) => named.trim().replace(/^W\//, '') === entityTag) ?? false);

const sendRepresentation = (ctx: Context, { entityTag, headers, body }: Representation): void => {
  ctx.respond = false;
  ctx.set(headers);
  ctx.set('ETag', entityTag);
  if (matches(ctx.req.headers['if-none-match'], entityTag)) {
    ctx.remove('Content-Type');
    ctx.res.writeHead(304).end();
    return;
  }
  writeBody(ctx.res.writeHead(200, { 'Content-Length': body.length }), body);
};

/**
 * Serves content that the first request renders and all requests share. Answers 304 when `If-None-Match` names its entity
 * tag. When `render` fails, the next request tries again.
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
    sendRepresentation(ctx, await rendered);
  };
};
