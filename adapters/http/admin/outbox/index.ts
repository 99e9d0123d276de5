import Router from '@koa/router';
import type { Context } from 'koa';
import { pageHeaders } from '../../pages/page-headers.ts';
import { send } from '../../server/response.ts';
import { bodyPolicy, framedBody } from './mail-body.ts';
import type { Outbox } from './outbox.ts';
import { outboxPage, outboxPolicy } from './outbox-page.ts';

/** The routes of the page, as the application of the admin port uses them. */
export type OutboxRoutes = ReturnType<Router['routes']>;

const answerPage = (ctx: Context, status: number, body: string): void =>
  send(ctx, { status, headers: pageHeaders(outboxPolicy), body });

/** Whatever keeps the mails from being read is for the person who looks at them. */
const answerTrouble = async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
  try {
    await next();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    answerPage(ctx, 503, outboxPage({ mails: [], notice: `The folder of the mails can not be read${code}.` }));
  }
};

/**
 * Shows the mails of an outbox: `/outbox` lists them and opens the newest, `/outbox/ID` opens another one,
 * `/outbox/ID/body` is the HTML of a mail for the frame of the page. Leaves any other path to what comes next.
 */
export const outboxRoutes = (outbox: Outbox): OutboxRoutes => {
  const router = new Router({ prefix: '/outbox' });
  router.use(answerTrouble);
  router.get('/', async (ctx) => {
    const mails = await outbox.list();
    const [newest] = mails;
    const opened = newest && (await outbox.find(newest.id));
    answerPage(ctx, 200, outboxPage({ mails, opened }));
  });
  router.get('/:id', async (ctx) => {
    const [mails, opened] = await Promise.all([outbox.list(), outbox.find(ctx.params.id ?? '')]);
    const notice = opened === undefined ? 'This mail is no longer in the folder.' : undefined;
    answerPage(ctx, opened === undefined ? 404 : 200, outboxPage({ mails, opened, notice, isChosen: true }));
  });
  router.get('/:id/body', async (ctx, next) => {
    const mail = await outbox.find(ctx.params.id ?? '');
    if (mail === undefined || mail.html === '') return next();
    send(ctx, { status: 200, headers: pageHeaders(bodyPolicy), body: framedBody(mail.html) });
  });
  return router.routes();
};
