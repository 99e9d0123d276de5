import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { entityTagOf, type VersionedUser } from '../../../domain/entity-tag.ts';
import type { User } from '../../../domain/user.ts';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag?: string;
  readonly body: string | Buffer;
}

const jsonHeaders = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** A reply without a body. */
export const emptyReply = (status: number, additional: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'Cache-Control': 'no-store', ...additional },
  body: '',
});

/** Presents a result as JSON, which `write` returns, with the status 200. */
export const json = <Result>(write: (result: Result) => string, additional: Readonly<Record<string, string>> = {}) => {
  const headers = { ...jsonHeaders, ...additional };
  return (result: Result): Reply => ({ status: 200, headers, body: write(result) });
};

/** Presents a user as JSON, which `write` returns, with a strong entity tag (RFC 9110, section 8.8.3). */
export const userWithTag = <Client>(
  status: number,
  write: (user: User, client?: Client) => string,
  additional: Readonly<Record<string, string>> = {},
) => {
  const headers = { ...jsonHeaders, ...additional };
  return (stored: VersionedUser, _?: unknown, client?: Client): Reply => {
    return { status, headers, body: write(stored.user, client), etag: `"${entityTagOf(stored)}"` };
  };
};

const maxWriteBytes = 64 * 1024;

const writeFrom = (response: ServerResponse, body: Buffer, start: number): void => {
  const end = start + maxWriteBytes;
  if (end >= body.length) {
    response.end(body.subarray(start));
    return;
  }
  const goOn = (): void => writeFrom(response, body, end);
  // Yield to the event loop between parts, so that other connections are served.
  if (response.write(body.subarray(start, end))) setImmediate(goOn);
  else response.once('drain', () => setImmediate(goOn));
};

/**
 * Ends a response with a body, as fast as the client reads it. A large body is written in parts, because TLS copies each
 * part, and because progress is visible only after a complete write. A buffer is not copied.
 */
export const writeBody = (response: ServerResponse, body: string | Buffer): void => {
  if (body.length <= maxWriteBytes) response.end(body);
  else writeFrom(response, typeof body === 'string' ? Buffer.from(body) : body, 0);
};

/** Sends a response at once. Koa would inspect the body again to determine its type and length. */
export const send = (ctx: Context, { status, headers, etag, body }: Reply): void => {
  ctx.respond = false;
  if (ctx.headerSent) return;
  // A list, because a copy of the object with one more member would cost 5 % of a read.
  const fields: (string | number)[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  if (etag !== undefined) fields.push('ETag', etag);
  if (status !== 204 && status !== 304) fields.push('Content-Length', Buffer.byteLength(body));
  writeBody(ctx.res.writeHead(status, fields), body);
};
