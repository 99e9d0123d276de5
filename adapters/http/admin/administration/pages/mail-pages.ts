import type { HealthReport } from '../../../../../application/health.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { type OperatorPage, relativeTag } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { WaitingMail } from '../mail-routes.ts';
import { adminPage, doneLine, pathTo, singlePage } from './page-frame.ts';

/** The kinds of mails in words. */
const mailKinds: Readonly<Record<WaitingMail['kind'], string>> = {
  verification: 'Verification',
  recovery: 'Recovery of a password',
  change: 'Change of address',
  changeNotice: 'Notice of a requested change of address',
  passwordNotice: 'Notice of a new password',
  recoveryNotice: 'Notice of a recovery',
  addressNotice: 'Notice of a new address',
  disabledNotice: 'Notice of a disablement',
  enabledNotice: 'Notice of the end of a disablement',
  deletedNotice: 'Notice of a deletion',
  invitation: 'Invitation',
  accountExists: 'Notice of a sign-up',
};

/** What administrators do with a mail: the paths of the forms, the commands, and what the list says afterwards. */
export const mailActions = {
  retry: {
    path: '/admin/retry-mail',
    command: 'RetryMail',
    done: 'The mail is sent as soon as the mail provider accepts it.',
  },
  discard: { path: '/admin/discard-mail', command: 'DiscardMail', done: 'The mail was discarded.' },
} as const;

interface MailsView {
  readonly mails: readonly WaitingMail[];
  readonly nextCursor: string | undefined;
  /** The lines of the health about mails: of the delivery, and of the mail provider. */
  readonly health: HealthReport;
  /** The token of the form that retries a mail. */
  readonly tokenOf: (id: string) => string;
  /** The result of the action that led to the page. */
  readonly message: string | undefined;
}

const mailRow = ({ id, kind, to, since, attempts, due }: WaitingMail, { tokenOf }: MailsView, now: number): Html =>
  html`<tr><td><strong>${to}</strong></td><td>${mailKinds[kind]}</td><td>${String(attempts)}<span>${attempts === 1 ? ' attempt' : ' attempts'}</span></td><td>${relativeTag(since, now)}</td><td>${
    due <= now ? 'due now' : relativeTag(due, now)
  }</td><td><form method="post" action="${mailActions.retry.path}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="token" value="${tokenOf(id)}"><button class="quiet" aria-label="Send now the mail to ${to}">Send now</button></form><a class="warning" href="${pathTo(mailActions.discard.path, { id })}" aria-label="Discard the mail to ${to}">Discard</a></td></tr>`;

const table = (view: MailsView, now: number): Html =>
  html`<div class="card"><table class="queued" aria-label="Waiting mails">
<thead><tr><th scope="col">To</th><th scope="col">Kind</th><th scope="col">Attempts</th><th scope="col">Waits since</th><th scope="col">Next attempt</th><th scope="col">Actions</th></tr></thead>
<tbody>${view.mails.map((mail) => html`\n${mailRow(mail, view, now)}`)}
</tbody></table></div>`;

/** Why mails wait, before the mails. */
const delivery = (health: HealthReport): Html => {
  const lines = [
    ['Delivery', health.get('mails')],
    ['Mail provider', health.get('email')],
  ] as const;
  const rows = lines.map(([name, line]) =>
    line === undefined
      ? nothing
      : html`<dt>${name}</dt><dd${line.healthy ? nothing : html` class="bad"`}>${line.message}</dd>`,
  );
  return html`<section class="card part" aria-label="Delivery"><dl>${rows}</dl></section>`;
};

const none = html`<div class="card notice"><h2>No mail waits to be sent</h2><p>A mail waits here while the mail provider does not accept it, and is sent again until its link expires.</p></div>`;

/** The mails that wait to be sent, without their links. */
export const mailsPage = (view: MailsView, now: number): OperatorPage => {
  const { mails, nextCursor, health, message } = view;
  const following =
    nextCursor === undefined
      ? nothing
      : html`\n<nav class="pages" aria-label="Pages"><span></span><a class="action" href="${pathTo(adminPaths.waitingMails, { after: nextCursor })}">Next page</a></nav>`;
  return adminPage(
    'Waiting mails',
    html`${doneLine(message)}<div class="title"><h1>Waiting mails</h1></div>\n${delivery(health)}\n${mails.length === 0 ? none : table(view, now)}${following}`,
    adminPaths.waitingMails,
  );
};

/** The page that asks for confirmation before a mail is discarded. */
export const discardPage = (id: string, token: string): OperatorPage =>
  singlePage(
    'Discard this mail?',
    html`<form class="card part" method="post" action="${mailActions.discard.path}">
<p>It is not sent any more, and webhooks are told that it failed.</p>
<input type="hidden" name="id" value="${id}">
<input type="hidden" name="token" value="${token}">
<div class="choices"><a class="quiet" href="${adminPaths.waitingMails}">Cancel</a><button class="danger">Discard mail</button></div>
</form>`,
    undefined,
    adminPaths.waitingMails,
  );

/** The page about a mail that was not changed; `until` is when its attempt is over at the latest. */
export const inDeliveryPage = (until: number): OperatorPage =>
  singlePage(
    'Mail in delivery',
    html`<div class="card part"><p>The mail may be on its way to the mail provider, so nothing was changed. If it still waits, try again at ${new Date(until).toISOString().slice(11, 19)} UTC.</p></div>`,
    undefined,
    adminPaths.waitingMails,
  );
