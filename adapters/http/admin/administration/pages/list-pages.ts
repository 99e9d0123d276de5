import type { User } from '../../../../../domain/user.ts';
import { isChangeRequired, isDisabled } from '../../../../../domain/user-state.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isValidTime, type OperatorPage, relativeTag } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { listedStates } from '../list-parameters.ts';
import { adminPage, pathTo } from './page-frame.ts';

/** How many users a page can show; the first number is the default. */
export const pageSizes = ['50', '25', '100', '200'] as const;

/** A search for users; empty texts find all of them, in pages of the default size. */
export interface Search {
  readonly address: string;
  readonly verified: 'true' | 'false' | '';
  readonly state: (typeof listedStates)[number] | '';
  readonly size: (typeof pageSizes)[number] | '';
}

export interface ListView {
  readonly search: Search;
  readonly users: readonly User[];
  /** The keys of records that cannot be read. */
  readonly unreadable: readonly string[];
  readonly nextCursor: string | undefined;
  readonly isFirst: boolean;
  /** The result of the action that led to the page. */
  readonly message: string | undefined;
}

const badge = (label: string, kind: string): Html => html`<span class="badge ${kind}">${label}</span>`;

/** The badges of a user: the verification, and the states in which the user cannot log in. */
export const badgesOf = (user: User, now = Date.now()): Html => {
  const { verified } = user.email.verification;
  return html`<span class="badges">${badge(verified ? 'Email verified' : 'Email not verified', verified ? 'verified' : '')}${
    isDisabled(user, now) ? badge('Disabled', 'stopped') : nothing
  }${isChangeRequired(user) ? badge('New password required', 'stopped') : nothing}</span>`;
};

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`;

const form = ({
  address,
  verified,
  state,
  size,
}: Search): Html => html`<form class="card search" method="get" action="${adminPaths.administration}" role="search">
<div><label for="address">Address begins with</label><input id="address" name="address" type="search" value="${address}" maxlength="254" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<div><label for="verified">Verification</label><select id="verified" name="verified">${option('', 'any', verified)}${option('true', 'verified', verified)}${option('false', 'not verified', verified)}</select></div>
<div><label for="state">State</label><select id="state" name="state">${option('', 'any', state)}${option('disabled', 'disabled', state)}${option('password_change_required', 'new password required', state)}${option('blocked', 'blocked now', state)}</select></div>
<div><label for="size">Per page</label><select id="size" name="size">${pageSizes
  .toSorted((one, other) => Number(one) - Number(other))
  .map((value) => option(value, value, size === '' ? pageSizes[0] : size))}</select></div>
<button class="action">Search</button>
</form>`;

/** A relative time, with the full one for a pointer. */
export const time = (timeMs: number): Html => {
  const date = new Date(timeMs);
  return isValidTime(date) ? relativeTag(date) : html`${timeMs}`;
};

const row = (user: User): Html => {
  const { address } = user.email;
  return html`<tr><td><a href="${pathTo('/admin/user', { address })}">${address}</a></td><td>${badgesOf(user)}</td><td>${time(user.creationTime)}</td><td>${time(user.lastUpdateTime)}</td></tr>`;
};

const table = (users: readonly User[]): Html => html`<div class="card"><table class="users" aria-label="Users">
<thead><tr><th scope="col">Address</th><th scope="col">State</th><th scope="col">Created</th><th scope="col">Last change</th></tr></thead>
<tbody>${users.map((user) => html`\n${row(user)}`)}
</tbody></table></div>`;

const links = ({ search, nextCursor, isFirst }: ListView): Html => {
  const { administration } = adminPaths;
  const first = isFirst
    ? html`<span></span>`
    : html`<a class="quiet" href="${pathTo(administration, { ...search })}">First page</a>`;
  const following =
    nextCursor === undefined
      ? nothing
      : html`<a class="action" href="${pathTo(administration, { ...search, after: nextCursor })}">Next page</a>`;
  return isFirst && nextCursor === undefined
    ? nothing
    : html`<nav class="pages" aria-label="Pages">${first}${following}</nav>`;
};

/** A command that creates a user, for an installation that has none. */
const createCommand = `curl -u APPLICATION:SECRET -H 'Content-Type: application/json' \\
  -d '{ "email": { "address": "jane@example.com" }, "password": "correct horse" }' \\
  http://127.0.0.1:8080/users`;

const emptyNotice = ({ nextCursor, isFirst, search }: ListView): Html => {
  if (nextCursor !== undefined)
    return html`<h2>No match on this page</h2><p>The next page may have one: each page searches a part of the users.</p>`;
  const isAny = search.address === '' && search.verified === '' && search.state === '';
  return isAny && isFirst
    ? html`<h2>No users yet</h2><p>They appear here as soon as your application creates them with <code>POST /users</code>:</p><pre tabindex="0">${createCommand}</pre>`
    : html`<h2>No user matches</h2><p>Shorten the address, or choose “any” for the verification and the state.</p><p><a class="quiet" href="${adminPaths.administration}">Clear the search</a></p>`;
};

/** The records between the users that cannot be shown; the log says why. */
const damagedRecords = (keys: readonly string[]): Html =>
  keys.length === 0
    ? nothing
    : html`<div class="problem" role="alert"><p>These records are damaged and cannot be read; the log names their fields:</p><ul>${keys.map((key) => html`<li>${key}</li>`)}</ul></div>\n`;

/** The list of users with a search. */
export const listPage = (view: ListView): OperatorPage => {
  const { search, users, unreadable, message } = view;
  const list = users.length === 0 ? html`<div class="card notice">${emptyNotice(view)}</div>` : table(users);
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  return adminPage(
    'Users',
    html`${done}<div class="title"><h1>Users</h1></div>\n${form(search)}\n${damagedRecords(unreadable)}${list}\n${links(view)}`,
  );
};
