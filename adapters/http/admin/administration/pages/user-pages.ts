import type { User } from '../../../../../domain/user.ts';
import { noProperties } from '../../../../kit/user-json.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isoTime, longTime, shortTime } from '../../../pages/operator-pages.ts';
import { pageOf, pathTo } from './page-frame.ts';

/** A search for users; empty texts find all of them. */
export interface Search {
  readonly address: string;
  readonly verified: 'true' | 'false' | '';
}

export interface ListView {
  readonly search: Search;
  readonly users: readonly User[];
  readonly nextCursor: string | undefined;
  readonly isFirst: boolean;
  /** About the action that led to the page. */
  readonly message: string | undefined;
}

const badge = ({ email: { verified } }: User): Html =>
  html`<span class="badge${verified ? ' verified' : ''}">${verified ? 'verified' : 'not verified'}</span>`;

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`;

const form = ({
  address,
  verified,
}: Search): Html => html`<form class="card search" method="get" action="/admin" role="search">
<div><label for="address">Address begins with</label><input id="address" name="address" type="search" value="${address}" maxlength="254" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div><label for="verified">Verification</label><select id="verified" name="verified">${option('', 'any', verified)}${option('true', 'verified', verified)}${option('false', 'not verified', verified)}</select></div>
<button class="action">Search</button>
</form>`;

const item = (user: User): Html => {
  const { address } = user.email;
  const time = new Date(user.creationTime);
  return html`<li><a href="${pathTo('/admin/user', { address })}">
<span class="address">${address}</span>
${badge(user)}
${isValidTime(time) ? html`<time datetime="${isoTime(time)}">${shortTime(time)}</time>` : html`<span></span>`}</a></li>`;
};

/** Whether `Date` can represent a time: an imported user may have one in the far future. */
const isValidTime = (time: Date): boolean => !Number.isNaN(time.getTime());

const links = ({ search, nextCursor, isFirst }: ListView): Html => {
  const first = isFirst
    ? html`<span></span>`
    : html`<a class="quiet" href="${pathTo('/admin', { ...search })}">First page</a>`;
  const following =
    nextCursor === undefined
      ? nothing
      : html`<a class="action" href="${pathTo('/admin', { ...search, after: nextCursor })}">Next page</a>`;
  return isFirst && nextCursor === undefined
    ? nothing
    : html`<nav class="pages" aria-label="Pages">${first}${following}</nav>`;
};

const emptyText = ({ nextCursor, isFirst, search }: ListView): string => {
  if (nextCursor !== undefined) return 'No user on this page matches. The next page may have one.';
  const isAny = search.address === '' && search.verified === '';
  return isAny && isFirst ? 'There are no users yet.' : 'No user matches.';
};

/** The list of users with a search. */
export const listPage = (view: ListView): string => {
  const { search, users, message } = view;
  const list =
    users.length === 0
      ? html`<div class="card notice"><p>${emptyText(view)}</p></div>`
      : html`<ul class="card" aria-label="Users">${users.map((user) => html`\n${item(user)}`)}\n</ul>`;
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  return pageOf('Search', html`${done}${form(search)}\n${list}\n${links(view)}`, 'wide');
};

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
