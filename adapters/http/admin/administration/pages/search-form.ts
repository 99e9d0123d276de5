import type { User } from '../../../../../domain/user.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import type { OperatorPage } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import type { UserPageParts } from '../administered-user.ts';
import type { Found } from '../administration-parameters.ts';
import { labelled } from '../form-fields.ts';
import type { Sort } from '../list-cursors.ts';
import { maxPropertyLength } from '../list-parameters.ts';
import type { UserReferences } from '../user-references.ts';
import { type ListQuery, pageSizes } from './list-query.ts';
import { singlePage } from './page-frame.ts';

/** A page of a list: its users, and how many there are in all, where that is known. */
export interface FoundUsers {
  readonly users: readonly User[];
  /** The keys of records that cannot be read. */
  readonly unreadable: readonly string[];
  readonly nextCursor: string | undefined;
  readonly total: Found<'ListUsers'>['total'];
}

export interface ListView extends UserPageParts {
  readonly query: ListQuery;
  /** Undefined if the query has a value without the name of its property. */
  readonly found: FoundUsers | undefined;
  /** The result of the action that led to the page. */
  readonly message: string | undefined;
  /** Whether the key may open users and search for their custom properties. */
  readonly reads: boolean;
  /** Whether the key may create users. */
  readonly creates: boolean;
}

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
const searchLabel = ({ exactNames }: UserReferences): string =>
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

/** The form that searches for users. */
export const searchForm = ({ query, nameProperty, sortsUsers, invites, names, activity, reads }: ListView): Html => {
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

/** The page that opens one user, for keys that may not list them; `text` is what found none, and `message` about an action. */
export const findPage = ({ exactNames }: UserReferences, text: string, message: string | undefined): OperatorPage => {
  const label = ['Address', ...exactNames].join(', or ');
  const errors = text === '' ? [] : [{ path: 'address', message: 'must be that of a user' }];
  const field = labelled(
    { id: 'address', label, errors },
    (attributes) =>
      html`<input ${attributes} type="search" value="${text}" maxlength="254" required autocomplete="off" autocapitalize="off" spellcheck="false">`,
  );
  return singlePage(
    'Open a user',
    html`<form class="card part" method="get" action="${adminPaths.user}" role="search">
${field}
<div class="choices"><button class="action">Open</button></div>
</form>`,
    message,
    '',
  );
};
