import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { problemDocument, problems, type Refusal, refusalHeaders } from '../api/problems.ts';
import { pageHeaders } from '../pages/html.ts';
import { failurePage, pagePolicy } from '../pages/link-pages.ts';
import { requestIdOf } from './request-id.ts';

/** An answer, complete. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** How much of a body is written at once, in bytes. */
const sliceSize = 64 * 1024;

const writeFrom = (response: ServerResponse, body: Buffer, start: number): void => {
  const end = start + sliceSize;
  if (end >= body.length) {
    response.end(body.subarray(start));
    return;
  }
  const goOn = (): void => writeFrom(response, body, end);
  // Others come in between, also where the connection takes it all at once.
  if (response.write(body.subarray(start, end))) setImmediate(goOn);
  else response.once('drain', () => setImmediate(goOn));
};

/**
 * Ends an answer with a body, as fast as its client reads it. A large one is written in slices: TLS copies what it is
 * given, and what a connection has taken is known only when a whole write is done. A buffer is not copied.
 */
export const writeBody = (response: ServerResponse, body: string | Buffer): void => {
  if (body.length <= sliceSize) response.end(body);
  else writeFrom(response, typeof body === 'string' ? Buffer.from(body) : body, 0);
};

/** Sends an answer at once. Koa would look at the body again, to find out its type and its length. */
export const send = (ctx: Context, { status, headers, body }: Reply): void => {
  ctx.respond = false;
  if (ctx.headerSent) return;
  // As a list: a copy of the object with one more member would cost a twentieth of a read.
  const fields: (string | number)[] = [];
  for (const name in headers) fields.push(name, headers[name] ?? '');
  if (status !== 204) fields.push('Content-Length', Buffer.byteLength(body));
  writeBody(ctx.res.writeHead(status, fields), body);
};

/** Answers with a problem document, or with a small HTML page where a person followed a link. */
export const refuse = (ctx: Context, refused: Refusal, asPage = false): void => {
  const { status } = problems[refused.code];
  const requestId = requestIdOf(ctx.req);
  const form = asPage ? pageHeaders(pagePolicy) : { 'Content-Type': 'application/problem+json' };
  const headers = { ...form, 'Cache-Control': 'no-store', 'X-Request-Id': requestId, ...refusalHeaders(refused) };
  const body = asPage ? failurePage(status, refused.code) : problemDocument(refused, requestId);
  send(ctx, { status, headers, body });
};
