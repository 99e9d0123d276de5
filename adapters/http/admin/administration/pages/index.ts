import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import { refusalOfError, refuse } from '../../../api/refusal.ts';
import type { Authenticator } from '../../../authentication/authenticator.ts';
import { logError } from '../../../server/error-log.ts';
import type { ServiceMiddleware } from '../../../server/http-service.ts';
import { failed, keyOfAddress, PageHandlers, parameterOf } from './page-handlers.ts';

export interface PageParts {
  readonly bus: AdministrationBus;
  readonly authenticator: Authenticator;
  readonly log: Log;
}

/** What the pages do, by the operations of the API. */
const operations = { list: 'listUsers', one: 'inspectUser', delete: 'removeUser', reset: 'forceReset' } as const;

type Page = keyof typeof operations;

/** The pages, with the operation that each shows or does. */
export const pageRoutes = [
  { method: 'get', path: '/admin', operation: operations.list },
  { method: 'get', path: '/admin/user', operation: operations.one },
  ...(['delete', 'reset'] as const).flatMap((action) => [
    { method: 'get', path: `/admin/${action}`, operation: operations.one } as const,
    { method: 'post', path: `/admin/${action}`, operation: operations[action] } as const,
  ]),
] as const;

/** Records for the audit what a page shows or does, and for which user. */
const record =
  (page: Page): Middleware =>
  (ctx, next) => {
    ctx.state.operation = operations[page];
    ctx.state.user = keyOfAddress(parameterOf(ctx, 'address'));
    return next();
  };

/** Answers every error with a page. */
const catchErrors =
  (log: Log): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      logError(log, ctx, ctx.state.path ?? 'other', error);
      failed(ctx, refusalOfError(error).code);
    }
  };

/** Asks the browser for a key, unless the guard of the administration has accepted one. */
const login =
  (authenticator: Authenticator): Middleware =>
  (ctx, next) => {
    if (ctx.state.client !== undefined) return next();
    const headers = { 'WWW-Authenticate': authenticator.challenge(ctx.req.headers.authorization) };
    return refuse(ctx, { code: 'client_unauthorized', headers });
  };

/** Reads a form. A form that is malformed or too large has no fields. */
const readForm = bodyParser({ enableTypes: ['form'], formLimit: '8kb', onerror: () => undefined });

/** Serves the pages, and leaves other paths to the next middleware. */
export const administrationPages = ({ bus, authenticator, log }: PageParts): ServiceMiddleware => {
  const handlers = new PageHandlers(bus);
  const router = new Router({ sensitive: true, strict: true });
  const steps = (page: Page) => [record(page), catchErrors(log), login(authenticator)] as const;
  router.get('/admin', ...steps('list'), (ctx: Context) => handlers.list(ctx));
  router.get('/admin/user', ...steps('one'), (ctx: Context) => handlers.user(ctx));
  for (const action of ['delete', 'reset'] as const) {
    router.get(`/admin/${action}`, ...steps('one'), (ctx: Context) => handlers.confirmation(ctx, action));
    router.post(`/admin/${action}`, ...steps(action), readForm, (ctx: Context) => handlers.act(ctx, action));
  }
  return router.routes();
};
