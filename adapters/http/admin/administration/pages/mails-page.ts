import type { Administration } from '../../../../../application/bus.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isoTime, shortTime } from '../../../pages/operator-pages.ts';
import { pageOf, pathTo } from './page-frame.ts';

type WaitingMail = Extract<Administration['ListMails']['result'], { readonly _tag: 'Right' }>['right']['mails'][number];

const shown = (time: number): Html => {
  const date = new Date(time);
  return html`<time datetime="${isoTime(date)}">${shortTime(date)}</time>`;
};

const kinds: Readonly<Record<WaitingMail['kind'], string>> = {
  verification: 'verification',
  recovery: 'recovery of a password',
  change: 'change of address',
  changeNotice: 'notice of a change of address',
};

const item = ({ kind, to, since, attempts, due }: WaitingMail): Html => html`<div class="card user">
<h2>${to}</h2>
<dl><dt>Kind</dt><dd>${kinds[kind]}</dd><dt>Waits since</dt><dd>${shown(since)}</dd><dt>Attempts</dt><dd>${String(attempts)}</dd><dt>Next attempt</dt><dd>${shown(due)}</dd></dl>
</div>`;

/** The mails that wait to be sent, without their links. */
export const mailsPage = (mails: readonly WaitingMail[], nextCursor: string | undefined): string => {
  const list =
    mails.length === 0
      ? html`<div class="card notice"><p>No mail waits to be sent.</p></div>`
      : html`${mails.map(item)}`;
  const following =
    nextCursor === undefined
      ? nothing
      : html`\n<nav class="pages" aria-label="Pages"><a class="action" href="${pathTo('/admin/waiting-mails', { after: nextCursor })}">Next page</a></nav>`;
  return pageOf('Waiting mails', html`<h2>Waiting mails</h2>\n${list}${following}`);
};
