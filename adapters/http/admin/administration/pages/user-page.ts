import type { User } from '../../../../../domain/user.ts';
import { noProperties } from '../../../../kit/user-json.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isoTime, longTime } from '../../../pages/operator-pages.ts';
import { badge, isValidTime } from './list-page.ts';
import { pageOf, pathTo } from './page-frame.ts';

/** What an administrator can do to a user. */
export type Action = 'delete' | 'reset';

const row = (name: string, value: string | Html): Html => html`<dt>${name}</dt><dd>${value}</dd>`;

const moment = (milliseconds: number): Html => {
  const time = new Date(milliseconds);
  return isValidTime(time) ? html`<time datetime="${isoTime(time)}">${longTime(time)}</time>` : html`${milliseconds}`;
};

const properties = (user: User): Html =>
  user.properties === noProperties
    ? html`<p>This user has none.</p>`
    : html`<pre tabindex="0" aria-label="Custom properties as JSON">${JSON.stringify(JSON.parse(user.properties), null, 2)}</pre>`;

const link = (action: Action, cssClass: string, label: string, { email: { address } }: User): Html =>
  html`<a class="${cssClass}" href="${pathTo(`/admin/${action}`, { address })}">${label}</a>`;

/** The page of a user; `message` is about the action that led to it. */
export const userPage = (user: User, message: string | undefined): string => {
  const { address, verificationToken } = user.email;
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  return pageOf(
    address,
    html`${done}<article class="card user">
<h2>${address}</h2>
<dl>${row('Address', badge(user))}${row('Verification mail', verificationToken === null ? 'no token outstanding' : 'a token was sent')}${row('Created', moment(user.creationTime))}${row('Changed', moment(user.lastUpdateTime))}</dl>
<h3>Custom properties</h3>
${properties(user)}
<div class="choices">${link('reset', 'quiet', 'Reset the verification', user)}${link('delete', 'danger', 'Delete this user', user)}</div>
</article>`,
  );
};

const questions: Readonly<Record<Action, { title: string; sentence: string; button: string; kind: string }>> = {
  delete: {
    title: 'Delete this user?',
    sentence: 'The account and its custom properties are removed for good.',
    button: 'Delete',
    kind: 'danger',
  },
  reset: {
    title: 'Reset the verification?',
    sentence: 'The address counts as not verified, and a link that was sent no longer works.',
    button: 'Reset',
    kind: 'action',
  },
};

/** The page that asks before a change; `token` proves that the form which is sent was made here. */
export const confirmationPage = (action: Action, { email: { address } }: User, token: string): string => {
  const { title, sentence, button, kind } = questions[action];
  return pageOf(
    title,
    html`<form class="card user" method="post" action="/admin/${action}">
<h2>${title}</h2>
<p><strong>${address}</strong></p>
<p>${sentence}</p>
<input type="hidden" name="address" value="${address}">
<input type="hidden" name="token" value="${token}">
<div class="choices"><a class="quiet" href="${pathTo('/admin/user', { address })}">Cancel</a><button class="${kind}">${button}</button></div>
</form>`,
  );
};
