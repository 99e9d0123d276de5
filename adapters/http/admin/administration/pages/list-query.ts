import type { Client } from '../../../authentication/authenticator.ts';
import { permits } from '../../../authentication/permissions.ts';
import { usersPathFor } from '../../../pages/operator-pages.ts';
import { adminPaths } from '../../../paths.ts';
import { type Sort, sortIn } from '../list-cursors.ts';
import { listedStates, maxPropertyLength } from '../list-parameters.ts';
import { pathTo } from './page-frame.ts';

/** How many users a page can show; the first number is the default. */
export const pageSizes = ['50', '25', '100', '200'] as const;

/** For how long users can be inactive. */
const inactivities = ['30d', '90d', '1y', '2y'] as const;

/** What is listed, and which page of it, as the parameters of a link; empty texts are left out of it. */
export interface ListQuery {
  /** A part of the address. */
  readonly address: string;
  readonly verified: 'true' | 'false' | '';
  readonly state: (typeof listedStates)[number] | '';
  /** How long ago the password was last right, at least. */
  readonly inactiveSince: (typeof inactivities)[number] | '';
  /** A custom property and its value. */
  readonly property: string;
  readonly value: string;
  /** In the order of the store if it is empty. */
  readonly sort: Sort | '';
  readonly size: (typeof pageSizes)[number] | '';
  /** The cursor of the page; empty for the first one. */
  readonly after: string;
  /** The cursors of the pages before it, the last ones first left out when they become too long for a link. */
  readonly before: string;
}

/** Stands for the first page, which has no cursor, among the cursors of former pages. */
const firstPage = '0';
const separator = '.';
const trail = /^[\w.-]*$/;
/** Each link to a user has them, and a page has up to 200 of these. */
const maxTrailLength = 600;
const maxListLength = 3_000;

const oneOf = <Value extends string>(text: string, values: readonly Value[]): Value | '' =>
  values.find((value) => value === text) ?? '';

/** The query in the parameters that `read` returns, empty ones for those that are missing. Others are ignored. */
export const listQueryIn = (read: (name: string) => string): ListQuery => {
  const before = read('before');
  return {
    address: read('address').slice(0, 254),
    verified: oneOf(read('verified'), ['true', 'false']),
    state: oneOf(read('state'), listedStates),
    inactiveSince: oneOf(read('inactiveSince'), inactivities),
    property: read('property').slice(0, maxPropertyLength),
    value: read('value').slice(0, maxPropertyLength),
    sort: sortIn(read('sort')) ?? '',
    size: oneOf(read('size'), pageSizes),
    after: read('after'),
    before: before.length <= maxTrailLength && trail.test(before) ? before : '',
  };
};

export const listPath = (query: Partial<ListQuery> & { readonly done?: string }): string =>
  pathTo(adminPaths.administration, { ...query });

export const firstPageOf = (query: ListQuery): ListQuery => ({ ...query, after: '', before: '' });

export const nextPageOf = (query: ListQuery, cursor: string): ListQuery => {
  let before = [query.before, query.after || firstPage].filter((text) => text !== '').join(separator);
  while (before.length > maxTrailLength)
    before = before.includes(separator) ? before.slice(before.indexOf(separator) + 1) : '';
  return { ...query, after: cursor, before };
};

/** The page from which this one was opened; undefined if it is not known. */
export const previousPageOf = (query: ListQuery): ListQuery | undefined => {
  if (query.before === '') return undefined;
  const cut = query.before.lastIndexOf(separator);
  const last = query.before.slice(cut + 1);
  return { ...query, after: last === firstPage ? '' : last, before: query.before.slice(0, Math.max(cut, 0)) };
};

/** A query as the parameter `list` of other pages, which lead back to it; empty if it would be too long for their links. */
export const listParameter = (query: ListQuery): string => {
  const path = listPath(query);
  const text = path.slice(path.indexOf('?') + 1);
  return path === adminPaths.administration || text.length > maxListLength ? '' : text;
};

/** The query in a parameter `list`. Parameters other than those of lists are ignored. */
export const listQueryOf = (list: string): ListQuery => {
  const given = new URLSearchParams(list.slice(0, maxListLength));
  return listQueryIn((name) => given.get(name) ?? '');
};

/** The way back from the page of a user: to the list that the parameter `list` stands for, if the key may see it. */
export const backToUsers = (list: string, client: Client | undefined): string =>
  permits(client, 'list') ? listPath(listQueryOf(list)) : (usersPathFor(client) ?? '');
