import type { Request as KoaRequest } from 'koa';
import type { Clock } from '../../../../application/ports/clock.ts';
import { defineResource } from '../../api/route.ts';
import type { Route } from '../../api/route-types.ts';
import { prefersJson } from '../../pages/error-page.ts';
import { pageHeaders } from '../../pages/html.ts';
import { type AdminSite, operatorDocument } from '../../pages/operator-pages.ts';
import { adminPaths } from '../../paths.ts';
import { json, type Reply } from '../../server/response.ts';
import { type KeptMailsView, keptMailsPage, keptMailsPolicy } from './kept-mails-page.ts';
import { bodyPolicy, framedBody, type KeptMails, mailForPrograms, type OpenedMail } from './mail-content.ts';

/** The id of a mail in a path; that of no mail if it is not percent-encoded. */
const idIn = ({ path }: KoaRequest): string => {
  try {
    return decodeURIComponent(path.split('/')[2] ?? '');
  } catch {
    return '';
  }
};

const mailsAsJson = json((mails: readonly OpenedMail[]) => JSON.stringify({ mails: mails.map(mailForPrograms) }), {
  Vary: 'Accept',
  'X-Content-Type-Options': 'nosniff',
});

/**
 * The routes of mails that were written to files instead of sent: `/outbox` lists them and opens the newest, or is their
 * JSON for programs that ask for it, `/outbox/ID` opens another one, `/outbox/ID/body` is the HTML of a mail for the frame
 * of the page.
 */
export const keptMailRoutes = (mails: KeptMails, site: AdminSite, clock: Clock): readonly Route[] => {
  const pageReply = (status: number, view: KeptMailsView): Reply => ({
    status,
    headers: { ...pageHeaders(keptMailsPolicy), Vary: 'Accept' },
    body: operatorDocument(site, keptMailsPage(view, clock.now())),
  });
  /** Errors of the file system become a page for the developer. */
  const route = (below: string, answer: (request: KoaRequest) => Promise<Reply | undefined>): Route =>
    defineResource(`${adminPaths.keptMails}${below}`, async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
        return pageReply(503, { mails: [], notice: `The folder of the mails cannot be read${code}.` });
      }
    });
  return [
    route('', async (request) => {
      if (prefersJson(request)) return mailsAsJson(await mails.readAll());
      const listed = await mails.list();
      const [newest] = listed;
      const opened = newest && (await mails.find(newest.id));
      return pageReply(200, { mails: listed, opened });
    }),
    route('/:id', async (request) => {
      const [listed, opened] = await Promise.all([mails.list(), mails.find(idIn(request))]);
      const notice = opened === undefined ? 'This mail is no longer in the folder.' : undefined;
      return pageReply(opened === undefined ? 404 : 200, { mails: listed, opened, notice, isChosen: true });
    }),
    route('/:id/body', async (request) => {
      const mail = await mails.find(idIn(request));
      return mail === undefined || mail.html === ''
        ? undefined
        : { status: 200, headers: pageHeaders(bodyPolicy), body: framedBody(mail.html) };
    }),
  ];
};
