import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** Lets browsers read responses on pages of these origins; `*` allows every origin. */
export const corsFor = (origins: readonly string[]): Middleware =>
  cors({
    // An empty string omits the headers.
    origin: ({ header }) =>
      origins.includes('*') ? '*' : (origins.find((allowed) => allowed === header.origin) ?? ''),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      ...['Authorization', 'Content-Type', 'password', 'password*', 'Prefer', 'If-Match'],
      ...['X-Request-Id', 'traceparent'],
    ],
    exposeHeaders: ['ETag', 'X-Request-Id', 'Preference-Applied', 'Retry-After', 'WWW-Authenticate'],
    maxAge: 600,
  });
