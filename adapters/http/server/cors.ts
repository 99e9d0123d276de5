import cors from '@koa/cors';
import type { Middleware } from 'koa';

/** What browsers are told that ask from other origins: these may read the answers, with `*` all of them. */
export const corsFor = (origins: readonly string[]): Middleware =>
  cors({
    // An empty text leaves the headers out.
    origin: ({ header }) =>
      origins.includes('*') ? '*' : (origins.find((allowed) => allowed === header.origin) ?? ''),
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'password', 'X-Request-Id', 'traceparent'],
    exposeHeaders: ['X-Request-Id', 'Retry-After', 'WWW-Authenticate'],
    maxAge: 600,
  });
