import { propertyOf, type User } from '../../../../../domain/user.ts';
import { isChangeRequired, isDisabled, isInvited } from '../../../../../domain/user-state.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { type OperatorPage, relativeTag } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import { firstPageOf, type ListQuery, listParameter, listPath, nextPageOf, previousPageOf } from './list-query.ts';
import { adminPage, doneLine, pathTo } from './page-frame.ts';
import { type FoundUsers, type ListView, searchForm } from './search-form.ts';

const badge = (label: string, kind: string): Html => html`<span class="badge ${kind}">${label}</span>`;

/** The badges of a user: the verification, and the states in which the user cannot sign in. */
export const badgesOf = (user: User, now: number): Html => {
  const { verified } = user.email.verification;
  return html`<span class="badges">${badge(verified ? 'Email verified' : 'Email not verified', verified ? 'verified' : '')}${
    isDisabled(user, now) ? badge('Disabled', 'stopped') : nothing
  }${isInvited(user) ? badge('Invited', '') : nothing}${isChangeRequired(user) ? badge('New password required', 'stopped') : nothing}</span>`;
};

/** When the password of a user was last right. */
export const lastCheck = ({ lastCheckTime }: User, shown: (timeMs: number) => Html): Html =>
  lastCheckTime === undefined ? html`<small>never</small>` : shown(lastCheckTime);

/** The text, number or boolean in a custom property; empty for any other value. */
const shownProperty = (user: User, name: string): string => {
  const value = propertyOf(user, name);
  return typeof value === 'object' || value === undefined ? '' : String(value);
};

const table = (users: readonly User[], { query, nameProperty, names, activity, reads, clock }: ListView): Html => {
  const list = listParameter(query);
  const isNamed = nameProperty !== null;
  const now = clock.now();
  const shown = (timeMs: number): Html => relativeTag(timeMs, now);
  const rows = users.map((user) => {
    const { address } = user.email;
    const reference = names.referenceTo(user);
    const title = 'id' in reference ? html` title="${reference.id}"` : nothing;
    const name = isNamed ? html`<td dir="auto">${shownProperty(user, nameProperty)}</td>` : nothing;
    const link = html`<a href="${pathTo(adminPaths.user, { ...reference, list })}"${title}>${address}</a>`;
    return html`\n<tr><td>${reads ? link : address}</td>${name}<td>${badgesOf(user, now)}</td><td>${shown(user.creationTime)}</td><td>${shown(user.lastUpdateTime)}</td>${activity === null ? nothing : html`<td>${lastCheck(user, shown)}</td>`}</tr>`;
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
  const list = found === undefined ? missingName : foundUsers(view, found);
  return adminPage(
    'Users',
    html`${doneLine(message)}<div class="title"><h1>Users</h1>${count(found?.total)}${creates ? html`<a class="quiet" href="${adminPaths.createUser}">Create user</a>` : nothing}</div>\n${searchForm(view)}\n${list}`,
  );
};
