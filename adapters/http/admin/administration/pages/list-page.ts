import type { User } from '../../../../../domain/user.ts';
import { isChangeRequired, isDisabled } from '../../../../../domain/user-state.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isoTime, isValidTime, shortTime } from '../../../pages/operator-pages.ts';
import type { listedStates } from '../administration-parameters.ts';
import { pageOf, pathTo } from './page-frame.ts';

/** A search for users; empty texts find all of them. */
export interface Search {
  readonly address: string;
  readonly verified: 'true' | 'false' | '';
  readonly state: (typeof listedStates)[number] | '';
}

export interface ListView {
  readonly search: Search;
  readonly users: readonly User[];
  readonly nextCursor: string | undefined;
  readonly isFirst: boolean;
  /** The result of the action that led to the page. */
  readonly message: string | undefined;
  /** Whether mails are queued and have a page. */
  readonly queuesMails: boolean;
}

const badge = (label: string, kind: string): Html => html`<span class="badge ${kind}">${label}</span>`;

/** The badges of a user: the verification, and the states in which the user cannot log in. */
export const badgesOf = (user: User, now = Date.now()): Html => {
  const { verified } = user.email;
  return html`<span class="badges">${badge(verified ? 'verified' : 'not verified', verified ? 'verified' : '')}${
    isDisabled(user, now) ? badge('disabled', 'stopped') : nothing
  }${isChangeRequired(user) ? badge('new password required', 'stopped') : nothing}</span>`;
};

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`;

const form = ({
  address,
  verified,
  state,
}: Search): Html => html`<form class="card search" method="get" action="/admin" role="search">
<div><label for="address">Address begins with</label><input id="address" name="address" type="search" value="${address}" maxlength="254" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div><label for="verified">Verification</label><select id="verified" name="verified">${option('', 'any', verified)}${option('true', 'verified', verified)}${option('false', 'not verified', verified)}</select></div>
<div><label for="state">State</label><select id="state" name="state">${option('', 'any', state)}${option('disabled', 'disabled', state)}${option('password_change_required', 'new password required', state)}${option('blocked', 'blocked now', state)}</select></div>
<button class="action">Search</button>
</form>`;

const item = (user: User): Html => {
  const { address } = user.email;
  const time = new Date(user.creationTime);
  return html`<li><a href="${pathTo('/admin/user', { address })}">
<span class="address">${address}</span>
${badgesOf(user)}
${isValidTime(time) ? html`<time datetime="${isoTime(time)}">${shortTime(time)}</time>` : html`<span></span>`}</a></li>`;
};

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
  const isAny = search.address === '' && search.verified === '' && search.state === '';
  return isAny && isFirst ? 'There are no users yet.' : 'No user matches.';
};

/** The list of users with a search. */
export const listPage = (view: ListView): string => {
  const { search, users, message, queuesMails } = view;
  const mails = queuesMails ? html`\n<p><a href="/admin/waiting-mails">Waiting mails</a></p>` : nothing;
  const list =
    users.length === 0
      ? html`<div class="card notice"><p>${emptyText(view)}</p></div>`
      : html`<ul class="card" aria-label="Users">${users.map((user) => html`\n${item(user)}`)}\n</ul>`;
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  return pageOf('Search', html`${done}${form(search)}\n${list}\n${links(view)}${mails}`, 'wide');
};
