import { propertyOf, type User } from '../../../../../domain/user.ts';
import { isChangeRequired, isDisabled, isInvited } from '../../../../../domain/user-state.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { isValidTime, type OperatorPage, relativeTag } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { AdministrationFeatures } from '../administered-user.ts';
import type { Found } from '../administration-parameters.ts';
import type { Sort } from '../list-cursors.ts';
import { maxPropertyLength } from '../list-parameters.ts';
import type { UserNames } from '../user-names.ts';
import {
  firstPageOf,
  type ListQuery,
  listParameter,
  listPath,
  nextPageOf,
  pageSizes,
  previousPageOf,
} from './list-query.ts';
import { adminPage, pathTo } from './page-frame.ts';

/** A page of a list: its users, and how many there are in all, where that is known. */
interface FoundUsers {
  readonly users: readonly User[];
  /** The keys of records that cannot be read. */
  readonly unreadable: readonly string[];
  readonly nextCursor: string | undefined;
  readonly total: Found<'ListUsers'>['total'];
}

type ListView = {
  readonly query: ListQuery;
  /** Undefined if the query has a value without the name of its property. */
  readonly found: FoundUsers | undefined;
  /** The result of the action that led to the page. */
  readonly message: string | undefined;
  readonly names: UserNames;
  /** Whether the key may open users and search for their custom properties. */
  readonly reads: boolean;
  /** Whether the key may create users. */
  readonly creates: boolean;
} & Pick<AdministrationFeatures, 'activity' | 'invites' | 'nameProperty' | 'sortsUsers'>;

const badge = (label: string, kind: string): Html => html`<span class="badge ${kind}">${label}</span>`;

/** The badges of a user: the verification, and the states in which the user cannot sign in. */
export const badgesOf = (user: User, now = Date.now()): Html => {
  const { verified } = user.email.verification;
  return html`<span class="badges">${badge(verified ? 'Email verified' : 'Email not verified', verified ? 'verified' : '')}${
    isDisabled(user, now) ? badge('Disabled', 'stopped') : nothing
  }${isInvited(user) ? badge('Invited', '') : nothing}${isChangeRequired(user) ? badge('New password required', 'stopped') : nothing}</span>`;
};

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen ? ' selected' : ''}>${label}</option>`;

/** The orders in words, as they are offered. */
const sortLabels: Readonly<Record<Sort, string>> = {
  '-creationTime': 'newest first',
  creationTime: 'oldest first',
  '-lastUpdateTime': 'last changed first',
  lastUpdateTime: 'last changed last',
};

const options = <Value extends string>(labels: Readonly<Record<Value, string>>, chosen: string): Html[] =>
  Object.entries<string>(labels).map(([value, label]) => option(value, label, chosen));

const textInput = (id: string, label: string, value: string, maxLength: number): Html =>
  html`<div><label for="${id}">${label}</label><input id="${id}" name="${id}" type="search" value="${value}" maxlength="${maxLength}" autocomplete="off" autocapitalize="off" spellcheck="false"></div>`;

const select = (id: string, label: string, content: Html[]): Html =>
  html`<div><label for="${id}">${label}</label><select id="${id}" name="${id}">${content}</select></div>`;

/** The label of the field that finds users by a part of the address, and by what names them exactly. */
const searchLabel = ({ exactNames }: UserNames): string =>
  exactNames.length === 0 ? 'Address contains' : `Part of the address, or ${exactNames.join(' or ')}`;

const inactivityLabels = {
  '30d': 'over 30 days ago',
  '90d': 'over 90 days ago',
  '1y': 'over a year ago',
  '2y': 'over 2 years ago',
};

const stateLabels = (invites: boolean): Readonly<Record<string, string>> => ({
  '': 'any',
  disabled: 'disabled',
  password_change_required: 'new password required',
  ...(invites && { invited: 'invited' }),
  blocked: 'blocked now',
});

const form = ({ query, nameProperty, sortsUsers, invites, names, activity, reads }: ListView): Html => {
  const { address, verified, state, inactiveSince, property, value, sort, size } = query;
  const inactivity = select(
    'inactiveSince',
    'Last sign-in',
    options({ '': 'any', ...inactivityLabels }, inactiveSince),
  );
  const propertyInputs = reads
    ? html`${textInput('property', 'Property', property || (nameProperty ?? ''), maxPropertyLength)}
${textInput('value', 'Value of the property', value, maxPropertyLength)}\n`
    : nothing;
  const sizes = pageSizes.toSorted((one, other) => Number(one) - Number(other));
  return html`<form class="card search" method="get" action="${adminPaths.administration}" role="search">
${textInput('address', searchLabel(names), address, 254)}
${propertyInputs}${select('verified', 'Verification', options({ '': 'any', true: 'verified', false: 'not verified' }, verified))}
${select('state', 'State', options(stateLabels(invites), state))}
${activity === null ? nothing : inactivity}
${sortsUsers ? select('sort', 'Sort', options({ '': 'by address', ...sortLabels }, sort)) : nothing}
${select(
  'size',
  'Per page',
  sizes.map((count) => option(count, count, size === '' ? pageSizes[0] : size)),
)}
<button class="action">Search</button>
</form>`;
};

/** A relative time, with the full one for a pointer. */
export const time = (timeMs: number): Html => {
  const date = new Date(timeMs);
  return isValidTime(date) ? relativeTag(date) : html`${timeMs}`;
};

/** When the password of a user was last right. */
export const lastCheck = ({ lastCheckTime }: User, shown: (timeMs: number) => Html): Html =>
  lastCheckTime === undefined ? html`<small>never</small>` : shown(lastCheckTime);

/** The text, number or boolean in a custom property; empty for any other value. */
const shownProperty = (user: User, name: string): string => {
  const value = propertyOf(user, name);
  return typeof value === 'object' || value === undefined ? '' : String(value);
};

const table = (users: readonly User[], { query, nameProperty, names, activity, reads }: ListView): Html => {
  const list = listParameter(query);
  const isNamed = nameProperty !== null;
  const rows = users.map((user) => {
    const { address } = user.email;
    const reference = names.referenceTo(user);
    const title = 'id' in reference ? html` title="${reference.id}"` : nothing;
    const name = isNamed ? html`<td>${shownProperty(user, nameProperty)}</td>` : nothing;
    const link = html`<a href="${pathTo(adminPaths.user, { ...reference, list })}"${title}>${address}</a>`;
    return html`\n<tr><td>${reads ? link : address}</td>${name}<td>${badgesOf(user)}</td><td>${time(user.creationTime)}</td><td>${time(user.lastUpdateTime)}</td>${activity === null ? nothing : html`<td>${lastCheck(user, time)}</td>`}</tr>`;
  });
  return html`<div class="card"><table class="users${isNamed ? ' named' : ''}${activity === null ? '' : ' active'}" aria-label="Users">
<thead><tr><th scope="col">Address</th>${isNamed ? html`<th scope="col">Name</th>` : nothing}<th scope="col">State</th><th scope="col">Created</th><th scope="col">Last change</th>${activity === null ? nothing : html`<th scope="col">Last sign-in</th>`}</tr></thead>
<tbody>${rows}
</tbody></table></div>`;
};

const link = (to: ListQuery | undefined, label: string, kind = 'quiet'): Html =>
  to === undefined ? nothing : html`<a class="${kind}" href="${listPath(to)}">${label}</a>`;

const links = (query: ListQuery, nextCursor: string | undefined): Html => {
  const isFirst = query.after === '';
  if (isFirst && nextCursor === undefined) return nothing;
  const next = nextCursor === undefined ? undefined : nextPageOf(query, nextCursor);
  return html`<nav class="pages" aria-label="Pages"><span>${link(isFirst ? undefined : firstPageOf(query), 'First page')}${link(previousPageOf(query), 'Previous page')}</span>${link(next, 'Next page', 'action')}</nav>`;
};

/** A command that creates a user, for an installation that has none. */
const createCommand = `curl -u APPLICATION:SECRET -H 'Content-Type: application/json' \\
  -d '{ "email": { "address": "jane@example.com" }, "password": "correct horse" }' \\
  http://127.0.0.1:8080/users`;

const clearSearch = html`<p><a class="quiet" href="${adminPaths.administration}">Clear the search</a></p>`;

const emptyNotice = (query: ListQuery, nextCursor: string | undefined): Html => {
  if (nextCursor !== undefined)
    return html`<h2>No match on this page</h2><p>The next page may have one: each page searches a part of the users.</p>`;
  const { sort: _, size: __, property: ___, ...narrowing } = query;
  return Object.values(narrowing).every((text) => text === '')
    ? html`<h2>No users yet</h2><p>They appear here as soon as your application creates them with <code>POST /users</code>:</p><pre tabindex="0">${createCommand}</pre>`
    : html`<h2>No user matches</h2><p>Shorten the address, empty the value, or choose “any” elsewhere.</p>${clearSearch}`;
};

const count = (total: FoundUsers['total']): Html => {
  if (!total) return nothing;
  const unit = total.count === 1 ? 'user' : 'users';
  return html`<p class="count">${total.count.toLocaleString('en')}${total.isExact ? '' : '+'} ${unit}</p>`;
};

/** The records between the users that cannot be shown; the log says why. */
const damagedRecords = (keys: readonly string[]): Html =>
  keys.length === 0
    ? nothing
    : html`<div class="problem" role="alert"><p>These records are damaged and cannot be read; the log names their fields:</p><ul>${keys.map((key) => html`<li>${key}</li>`)}</ul></div>\n`;

const missingName = html`<div class="card notice"><h2>Which property?</h2><p>Enter the name of the custom property that has the value.</p>${clearSearch}</div>`;

const foundUsers = (view: ListView, { users, unreadable, nextCursor }: FoundUsers): Html => {
  const { query } = view;
  const list =
    users.length === 0 ? html`<div class="card notice">${emptyNotice(query, nextCursor)}</div>` : table(users, view);
  return html`${damagedRecords(unreadable)}${list}\n${links(query, nextCursor)}`;
};

/** The list of users with a search. */
export const listPage = (view: ListView): OperatorPage => {
  const { message, found, creates } = view;
  const done = message === undefined ? nothing : html`<p class="done" role="status">${message}</p>\n`;
  const list = found === undefined ? missingName : foundUsers(view, found);
  return adminPage(
    'Users',
    html`${done}<div class="title"><h1>Users</h1>${count(found?.total)}${creates ? html`<a class="quiet" href="${adminPaths.createUser}">Create user</a>` : nothing}</div>\n${form(view)}\n${list}`,
  );
};
