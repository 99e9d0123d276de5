import { type Html, html, nothing } from '../../../pages/html.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { Found } from '../administration-parameters.ts';
import { time } from './list-pages.ts';
import { adminPage, pathTo } from './page-frame.ts';

type WaitingMail = Found<'ListMails'>['mails'][number];

/** The kinds of mails in words. */
const mailKinds: Readonly<Record<WaitingMail['kind'], string>> = {
  verification: 'verification',
  recovery: 'recovery of a password',
  change: 'change of address',
  changeNotice: 'notice of a change of address',
};

const mailRow = ({ kind, to, since, attempts, due }: WaitingMail): Html =>
  html`<tr><td><strong>${to}</strong><br>${mailKinds[kind]}</td><td>${String(attempts)}</td><td>${time(since)}</td><td>${time(due)}</td></tr>`;

/** The mails that wait to be sent, without their links. */
export const mailsPage = (mails: readonly WaitingMail[], nextCursor: string | undefined): OperatorPage => {
  const list =
    mails.length === 0
      ? html`<div class="card notice"><h2>No mail waits to be sent</h2><p>A mail waits here while the mail provider does not accept it, and is sent again until its link expires.</p></div>`
      : html`<div class="card"><table class="users" aria-label="Waiting mails">
<thead><tr><th scope="col">To</th><th scope="col">Attempts</th><th scope="col">Waits since</th><th scope="col">Next attempt</th></tr></thead>
<tbody>${mails.map((mail) => html`\n${mailRow(mail)}`)}
</tbody></table></div>`;
  const following =
    nextCursor === undefined
      ? nothing
      : html`\n<nav class="pages" aria-label="Pages"><span></span><a class="action" href="${pathTo(adminPaths.waitingMails, { after: nextCursor })}">Next page</a></nav>`;
  return adminPage(
    'Waiting mails',
    html`<div class="title"><h1>Waiting mails</h1></div>\n${list}${following}`,
    adminPaths.waitingMails,
  );
};
