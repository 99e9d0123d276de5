import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import type { PromptAuthenticator } from '../../../authentication/authenticator.ts';
import { logError } from '../../../server/error-log.ts';
import { refusalOfError } from '../../../server/pipeline.ts';
import { type ErrorAnswer, type Observer, observed } from '../../../server/request-log.ts';
import { refuse } from '../../../server/response.ts';
import { readForm, textOf } from './input.ts';
import { failed, keyIn, Pages } from './pages.ts';

/** What the pages are made of. */
export interface PageParts {
  readonly bus: AdministrationBus;
  readonly authenticator: PromptAuthenticator;
  /** Told of every request. */
  readonly observers: readonly Observer[];
  readonly log: Log;
}

/** Asks the browser for the key; whoever has none sees none of the pages. */
const login =
  ({ authenticator }: PageParts): Middleware =>
  (ctx, next) => {
    const { authorization } = ctx.req.headers;
    const client = authenticator.authenticate(authorization);
    if (client !== undefined) {
      ctx.state.client = client;
      return next();
    }
    const headers = { 'WWW-Authenticate': authenticator.challenge(authorization) };
    return refuse(ctx, { code: 'client_unauthorized', headers });
  };

/** The words of the API for what the pages do. */
const operations = { list: 'listUsers', one: 'inspectUser', delete: 'removeUser', reset: 'forceReset' } as const;

/** The pages, with the operations that they show or do. */
export const pageRoutes = [
  { method: 'get', path: '/admin', operation: operations.list },
  { method: 'get', path: '/admin/user', operation: operations.one },
  ...(['delete', 'reset'] as const).flatMap((action) => [
    { method: 'get', path: `/admin/${action}`, operation: operations.one } as const,
    { method: 'post', path: `/admin/${action}`, operation: operations[action] } as const,
  ]),
] as const;

const paths: ReadonlySet<string> = new Set(pageRoutes.map(({ path }) => path));

/** Notes for the audit what a page shows or does, and for which user. */
const about =
  (page: keyof typeof operations): Middleware =>
  (ctx, next) => {
    ctx.state.operation = operations[page];
    ctx.state.user = keyIn(textOf(ctx, 'address'));
    return next();
  };

/** The routes of the pages; any other path is left to what comes next. Whatever fails is told on a page, too. */
export const administrationPages = (parts: PageParts): Router => {
  const pages = new Pages(parts.bus);
  const router = new Router({ sensitive: true, strict: true });
  const answerError: ErrorAnswer = (ctx, error, route) => {
    logError(parts.log, ctx, route, error);
    failed(ctx, refusalOfError(error).code);
  };
  const served = observed(parts.observers, paths, answerError);
  const guard = (page: keyof typeof operations) => [served, about(page), login(parts)] as const;
  router.get('/admin', ...guard('list'), (ctx) => pages.list(ctx));
  router.get('/admin/user', ...guard('one'), (ctx) => pages.one(ctx));
  for (const action of ['delete', 'reset'] as const) {
    router.get(`/admin/${action}`, ...guard('one'), (ctx) => pages.ask(ctx, action));
    router.post(`/admin/${action}`, ...guard(action), readForm, (ctx) => pages.act(ctx, action));
  }
  return router;
};
