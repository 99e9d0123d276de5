import Router from '@koa/router';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Context, Middleware } from 'koa';
import type { AdministrationBus } from '../../../../../application/bus.ts';
import type { Log } from '../../../../../application/ports/log.ts';
import { formBody } from '../../../api/body-formats.ts';
import type { ServiceMiddleware } from '../../../api/http-service.ts';
import { refusalOfError, refuse } from '../../../api/refusal.ts';
import { readBody } from '../../../api/request-body.ts';
import type { Authenticator } from '../../../authentication/authenticator.ts';
import type { AdminSite } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import { logError } from '../../../server/error-log.ts';
import type { AdministrationFeatures } from '../administration-routes.ts';
import { actions, availableActions } from './actions.ts';
import { keyOfAddress, PageHandlers, parameterOf } from './page-handlers.ts';
import type { PageFeatures } from './user-pages.ts';

export interface PageParts extends PageFeatures, Pick<AdministrationFeatures, 'queuesMails'> {
  readonly bus: AdministrationBus;
  readonly authenticator: Authenticator;
  readonly site: AdminSite;
  readonly log: Log;
}

/** The pages, each with the equivalent operation of the API. */
export const pageRoutes = (recovers: boolean) => [
  { method: 'get', path: '/admin', operation: 'listUsers' } as const,
  { method: 'get', path: '/admin/user', operation: 'inspectUser' } as const,
  ...availableActions(recovers).flatMap((name) => [
    { method: 'get', path: `/admin/${name}`, operation: 'inspectUser' } as const,
    { method: 'post', path: `/admin/${name}`, operation: actions[name].operation } as const,
  ]),
];

/** The page of queued mails; only where mails are queued. */
export const mailPageRoutes = [{ method: 'get', path: adminPaths.waitingMails, operation: 'listMails' }] as const;

/** Records the operation of a page and its user for the audit log. */
const record =
  (operation: string): Middleware =>
  (ctx, next) => {
    ctx.state.operation = operation;
    ctx.state.user = keyOfAddress(parameterOf(ctx, 'address'));
    return next();
  };

/** Answers every error with a page. */
const catchErrors =
  (handlers: PageHandlers, log: Log): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      logError(log, ctx, ctx.state.path ?? 'other', error);
      handlers.sendProblem(ctx, refusalOfError(error));
    }
  };

/** Asks the browser for a key, unless the access guard has accepted one. */
const login =
  (authenticator: Authenticator): Middleware =>
  (ctx, next) => {
    if (ctx.state.client !== undefined) return next();
    const headers = { 'WWW-Authenticate': authenticator.challenge(ctx.req.headers.authorization) };
    return refuse(ctx, { code: 'client_unauthorized', headers });
  };

/** Leaves room for all custom properties of a user, percent-encoded. */
const userForm = formBody(2 * 1024 * 1024);

const readForm =
  (handlers: PageHandlers): Middleware =>
  async (ctx, next) => {
    const form = await readBody(ctx, userForm);
    if (isLeft(form)) return handlers.sendProblem(ctx, form.left);
    ctx.request.body = form.right.values;
    return next();
  };

/** Serves the pages, and leaves other paths to the next middleware. */
export const administrationPages = (parts: PageParts): ServiceMiddleware => {
  const { bus, authenticator, queuesMails, recovers, site, log } = parts;
  const handlers = new PageHandlers(bus, parts, site);
  const router = new Router({ sensitive: true, strict: true });
  const steps = (operation: string) => [record(operation), catchErrors(handlers, log), login(authenticator)] as const;
  router.get('/admin', ...steps('listUsers'), (ctx: Context) => handlers.list(ctx));
  router.get('/admin/user', ...steps('inspectUser'), (ctx: Context) => handlers.user(ctx));
  if (queuesMails) router.get(adminPaths.waitingMails, ...steps('listMails'), (ctx: Context) => handlers.mails(ctx));
  for (const name of availableActions(recovers)) {
    router.get(`/admin/${name}`, ...steps('inspectUser'), (ctx: Context) => handlers.confirmation(ctx, name));
    router.post(`/admin/${name}`, ...steps(actions[name].operation), readForm(handlers), (ctx: Context) =>
      handlers.act(ctx, name),
    );
  }
  return router.routes();
};
