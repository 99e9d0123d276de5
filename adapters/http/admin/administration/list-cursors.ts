import { isUtf8 } from 'node:buffer';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import type { Queries } from '../../../../application/bus.ts';
import type { Parameter, Query } from '../../api/route-types.ts';
import { inQuery } from './administration-parameters.ts';

export type Order = NonNullable<Queries['ListUsers']['message']['order']>;

/** The orders by which users can be sorted, as they are written; a minus sign stands for the last ones first. */
export const sorts = ['creationTime', '-creationTime', 'lastUpdateTime', '-lastUpdateTime'] as const;
export type Sort = (typeof sorts)[number];

const orders: Readonly<Record<Sort, Order>> = {
  creationTime: { by: 'creationTime', isDescending: false },
  '-creationTime': { by: 'creationTime', isDescending: true },
  lastUpdateTime: { by: 'lastUpdateTime', isDescending: false },
  '-lastUpdateTime': { by: 'lastUpdateTime', isDescending: true },
};

/** The sort that a text names; undefined for any other text. */
export const sortIn = (text: string): Sort | undefined => sorts.find((sort) => sort === text);

export const orderOf = (sort: Sort | undefined): Order | undefined => sort && orders[sort];

export const sortOf = (order: Order | undefined): Sort | undefined =>
  order && `${order.isDescending ? '-' : ''}${order.by}`;

/** The longest accepted cursor, in characters. The positions of all stores are shorter. */
const maxCursorLength = 1100;
const base64url = /^[\w-]+$/;

/** A position in an order of users: a time and a key, after the order. No other position begins like that. */
const inOrder = /^(-?(?:creationTime|lastUpdateTime)) (?:(\d{1,16}) .)?/s;

/** A position in a list as an opaque text for callers. */
export const cursorOf = (position: string, sort?: Sort): string =>
  Buffer.from(sort === undefined ? position : `${sort} ${position}`).toString('base64url');

/** The position of a cursor; Left for a text that `cursorOf` does not return for a position in this order. */
export const positionIn = (cursor: string, sort?: Sort): Either<string, string> => {
  const bytes =
    base64url.test(cursor) && cursor.length <= maxCursorLength ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
  const isWhole = bytes.length > 0 && isUtf8(bytes) && bytes.toString('base64url') === cursor;
  const text = isWhole ? bytes.toString() : '';
  const [, writtenSort, time] = inOrder.exec(text) ?? [];
  const isPosition = writtenSort === undefined ? isWhole : Number.isSafeInteger(Number(time));
  return isPosition && writtenSort === sort
    ? right(text.slice(sort === undefined ? 0 : sort.length + 1))
    : left('must be the next of another page');
};

const afterWith = (description: string, sortOf: (query: Query) => Sort | undefined): Parameter<string | undefined> =>
  inQuery<string | undefined>(
    {
      name: 'after',
      description,
      schema: { type: 'string', pattern: base64url.source, maxLength: maxCursorLength },
      example: 'amFuZUBleGFtcGxlLmNvbQ',
    },
    undefined,
    (text, query) => positionIn(text, sortOf(query)),
  );

/** The cursor of the previous page. */
export const after = afterWith('The `next` of the previous page; left out for the first page.', () => undefined);

/** The same in the order of the parameter `sort`. */
export const afterInOrder = afterWith(
  'The `next` of the previous page with the same `sort`; left out for the first page.',
  (query) => sortIn(query.find(([name]) => name === 'sort')?.[1] ?? ''),
);
