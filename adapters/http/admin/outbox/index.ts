import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ServiceMiddleware } from '../../api/http-service.ts';
import { pageHeaders } from '../../pages/html.ts';
import { type AdminSite, operatorDocument } from '../../pages/operator-pages.ts';
import { adminPaths } from '../../paths.ts';
import { send } from '../../server/response.ts';
import { bodyPolicy, framedBody, type Outbox } from './mail-content.ts';
import { type OutboxView, outboxPage, outboxPolicy } from './outbox-page.ts';

const pageSender =
  (site: AdminSite) =>
  (ctx: Context, status: number, view: OutboxView): void =>
    send(ctx, { status, headers: pageHeaders(outboxPolicy), body: operatorDocument(site, outboxPage(view)) });

/** Answers errors of the file system with a page for the developer. */
const catchErrors =
  (sendPage: ReturnType<typeof pageSender>): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
      sendPage(ctx, 503, { mails: [], notice: `The folder of the mails cannot be read${code}.` });
    }
  };

/**
 * Serves the mails of an outbox: `/outbox` lists them and opens the newest, `/outbox/ID` opens another one,
 * `/outbox/ID/body` is the HTML of a mail for the frame of the page. Other paths are left to the next middleware.
 */
export const outboxPages = (outbox: Outbox, site: AdminSite): ServiceMiddleware => {
  const router = new Router({ prefix: adminPaths.outbox });
  const sendPage = pageSender(site);
  router.use(catchErrors(sendPage));
  router.get('/', async (ctx) => {
    const mails = await outbox.list();
    const [newest] = mails;
    const opened = newest && (await outbox.find(newest.id));
    sendPage(ctx, 200, { mails, opened });
  });
  router.get('/:id', async (ctx) => {
    const [mails, opened] = await Promise.all([outbox.list(), outbox.find(ctx.params.id ?? '')]);
    const notice = opened === undefined ? 'This mail is no longer in the folder.' : undefined;
    sendPage(ctx, opened === undefined ? 404 : 200, { mails, opened, notice, isChosen: true });
  });
  router.get('/:id/body', async (ctx, next) => {
    const mail = await outbox.find(ctx.params.id ?? '');
    if (mail === undefined || mail.html === '') return next();
    send(ctx, { status: 200, headers: pageHeaders(bodyPolicy), body: framedBody(mail.html) });
  });
  return router.routes();
};
