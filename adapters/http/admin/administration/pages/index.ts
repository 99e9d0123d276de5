import Router from '@koa/router';
import type { Middleware } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import { refuse } from '../../../api/problems.ts';
import type { PromptAuthenticator } from '../../../authentication/authenticator.ts';
import { type ErrorAnswer, type Observer, observed } from '../../../server/observer.ts';
import { refusalOfError } from '../../../server/pipeline.ts';
import type { Audit } from '../../../server/request-audit.ts';
import { logFailure } from '../../../server/request-log.ts';
import { fieldOf, readForm, textOf } from './input.ts';
import { failed, keyIn, Pages } from './pages.ts';

/** What the pages are made of. */
export interface PageParts {
  readonly bus: AdministrationBus;
  readonly authenticator: PromptAuthenticator;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
  /** Told of every request. */
  readonly observers: readonly Observer[];
  readonly log: Log;
}

/** Asks the browser for the key; whoever has none sees none of the pages. */
const login =
  ({ authenticator, audit }: PageParts): Middleware =>
  (ctx, next) => {
    const { authorization } = ctx.req.headers;
    const client = authenticator.authenticate(authorization);
    if (client !== undefined) {
      audit?.noteClient(ctx, client);
      return next();
    }
    const headers = { 'WWW-Authenticate': authenticator.challenge(authorization) };
    return refuse(ctx, { code: 'client_unauthorized', headers }, false);
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

/** Writes what a page showed or did into the audit, where there is one. */
const audited =
  (audit: Audit | null, page: keyof typeof operations): Middleware =>
  async (ctx, next) => {
    if (audit === null) return next();
    audit.beginOperation(ctx, operations[page]);
    await next();
    audit.endPage(ctx, keyIn(textOf(ctx, 'address')) ?? keyIn(fieldOf(ctx, 'address')));
  };

/** The routes of the pages; any other path is left to what comes next. Whatever fails is told on a page, too. */
export const administrationPages = (parts: PageParts): Router => {
  const pages = new Pages(parts.bus);
  const router = new Router({ sensitive: true, strict: true });
  const answerError: ErrorAnswer = (ctx, error, route) => {
    logFailure(parts.log, ctx, route, error);
    failed(ctx, refusalOfError(error).code);
  };
  const { audit } = parts;
  const guard = [observed(parts.observers, paths, answerError), login(parts)] as const;
  router.get('/admin', audited(audit, 'list'), ...guard, (ctx) => pages.list(ctx));
  router.get('/admin/user', audited(audit, 'one'), ...guard, (ctx) => pages.one(ctx));
  for (const action of ['delete', 'reset'] as const) {
    router.get(`/admin/${action}`, audited(audit, 'one'), ...guard, (ctx) => pages.ask(ctx, action));
    router.post(`/admin/${action}`, audited(audit, action), ...guard, readForm, (ctx) => pages.act(ctx, action));
  }
  return router;
};
