import type { User } from '../../../../../domain/user.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { machineTime, shortTime } from '../../outbox/times.ts';
import { pageOf, pathTo } from './document.ts';

/** What somebody looks for; empty texts look for everybody. */
export interface Search {
  readonly address: string;
  readonly verified: 'true' | 'false' | '';
}

/** What the list shows. */
export interface ListView {
  readonly search: Search;
  readonly users: readonly User[];
  /** The cursor of the next page, and whether there was one before. */
  readonly next: string | undefined;
  readonly isFirst: boolean;
  /** What has just been done. */
  readonly done: string | undefined;
}

/** How an address counts, in words. */
export const badge = ({ email: { verified } }: User): Html =>
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
${isShown(time) ? html`<time datetime="${machineTime(time)}">${shortTime(time)}</time>` : html`<span></span>`}</a></li>`;
};

/** Whether a date can be made of a time: a user from elsewhere may have one of the far future. */
export const isShown = (time: Date): boolean => !Number.isNaN(time.getTime());

const links = ({ search, next, isFirst }: ListView): Html => {
  const first = isFirst
    ? html`<span></span>`
    : html`<a class="quiet" href="${pathTo('/admin', { ...search })}">First page</a>`;
  const following =
    next === undefined
      ? nothing
      : html`<a class="action" href="${pathTo('/admin', { ...search, after: next })}">Next page</a>`;
  return isFirst && next === undefined
    ? nothing
    : html`<nav class="pages" aria-label="Pages">${first}${following}</nav>`;
};

const nobody = ({ next, isFirst, search }: ListView): string => {
  if (next !== undefined) return 'Nobody on this page fits; the next one may have somebody.';
  const isAny = search.address === '' && search.verified === '';
  return isAny && isFirst ? 'There are no users yet.' : 'Nobody fits.';
};

/** The page that lists users, with a search. */
export const listPage = (view: ListView): string => {
  const { search, users, done } = view;
  const found =
    users.length === 0
      ? html`<div class="card notice"><p>${nobody(view)}</p></div>`
      : html`<ul class="card" aria-label="Users">${users.map((user) => html`\n${item(user)}`)}\n</ul>`;
  const message = done === undefined ? nothing : html`<p class="done" role="status">${done}</p>\n`;
  return pageOf('Search', html`${message}${form(search)}\n${found}\n${links(view)}`, 'wide');
};
