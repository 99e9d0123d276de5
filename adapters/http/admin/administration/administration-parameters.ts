import { isUtf8 } from 'node:buffer';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { Queries } from '../../../../application/bus.ts';
import { type EmailKey, keyPrefix } from '../../../../domain/email-address.ts';
import { addressKey, addressSchema, optional } from '../../api/parameters.ts';
import type { Parameter } from '../../api/route-types.ts';

type ListedState = NonNullable<Queries['ListUsers']['message']['state']>;

/** Users per page if the request sets no `limit`. */
export const defaultLimit = 50;
const maxLimit = 200;

/** The longest accepted cursor, in characters. The positions of all stores are shorter. */
const maxCursorLength = 1024;
const base64url = /^[\w-]+$/;

/** A position in the list of users as an opaque text for callers. */
export const cursorOf = (position: string): string => Buffer.from(position).toString('base64url');

/** The position of a cursor; Left for a text that `cursorOf` does not return. */
export const positionIn = (cursor: string): Either<string, string> => {
  const bytes =
    base64url.test(cursor) && cursor.length <= maxCursorLength ? Buffer.from(cursor, 'base64url') : Buffer.alloc(0);
  const isWhole = bytes.length > 0 && isUtf8(bytes) && bytes.toString('base64url') === cursor;
  return isWhole ? right(bytes.toString()) : left('must be the next of another page');
};

/** What a query finds. */
export type Found<Type extends keyof Queries> = Extract<Queries[Type]['result'], { readonly _tag: 'Right' }>['right'];

/** The keys of the records that cannot be read. */
export const recordsOf = (unreadable: Found<'ListUsers'>['unreadable'] = []): readonly string[] =>
  unreadable.flatMap(({ record }) => record ?? []);

/** An optional parameter in the query; `read` gets undefined if it is missing. */
const inQuery = <A>(
  described: Pick<Parameter<A>, 'name' | 'description' | 'schema' | 'example'>,
  read: (text: string | undefined) => Either<string, A>,
): Parameter<A> => ({
  ...described,
  in: 'query',
  required: false,
  read: (_, query) => {
    const text = optional(query, described.name);
    return isLeft(text) ? text : read(text.right);
  },
});

/** The maximum number of users or mails in a page. */
export const limit = inQuery(
  {
    name: 'limit',
    description: `The maximum number of users in the page, up to ${maxLimit}.`,
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: String(defaultLimit),
  },
  (text = String(defaultLimit)) => {
    const read = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return read >= 1 && read <= maxLimit ? right(read) : left(`must be a whole number from 1 to ${maxLimit}`);
  },
);

/** The cursor of the previous page. */
export const after = inQuery<string | undefined>(
  {
    name: 'after',
    description: 'The `next` of the previous page; left out for the first page.',
    schema: { type: 'string', pattern: base64url.source, maxLength: maxCursorLength },
    example: 'amFuZUBleGFtcGxlLmNvbQ',
  },
  (text) => (text === undefined ? right(undefined) : positionIn(text)),
);

/** The beginning of the addresses to list. */
export const address = inQuery(
  {
    name: 'address',
    description: 'The beginning of the addresses, in any case.',
    schema: { type: 'string', minLength: 1, maxLength: 254 },
    example: 'jane',
  },
  (text = '') => ([...text].length <= 254 ? right(keyPrefix(text)) : left('must be at most 254 characters')),
);

/** Whether to list verified or unverified users only. */
export const verified = inQuery<boolean | undefined>(
  {
    name: 'verified',
    description: 'Lists only users whose address is verified, or only those whose address is not.',
    schema: { type: 'boolean' },
    example: 'false',
  },
  (text) => {
    if (text === undefined) return right(undefined);
    return text === 'true' || text === 'false' ? right(text === 'true') : left('must be true or false');
  },
);

/** The states by which users can be listed. */
export const listedStates = ['disabled', 'password_change_required', 'blocked'] as const satisfies ListedState[];

/** Whether to list only users in one state. */
export const state = inQuery<ListedState | undefined>(
  {
    name: 'state',
    description:
      'Lists only disabled users, those who have to set a new password, or those whom wrong passwords block now.',
    schema: { type: 'string', enum: listedStates },
    example: 'disabled',
  },
  (text) => {
    const listed = listedStates.find((name) => name === text);
    return text === undefined || listed !== undefined
      ? right(listed)
      : left(`must be one of ${listedStates.join(', ')}`);
  },
);

const decoded = (segment: string): Either<string, string> => {
  try {
    return right(decodeURIComponent(segment));
  } catch {
    return left('must be percent-encoded UTF-8');
  }
};

/** `address` in a path such as `/admin/users/jane@example.com`. */
export const addressInPath: Parameter<EmailKey> = {
  name: 'address',
  in: 'path',
  required: true,
  description: 'The address of the user, percent-encoded, in any case.',
  schema: addressSchema,
  example: 'jane@example.com',
  namesUser: true,
  read: ({ path }) => {
    const text = decoded(path.split('/')[3] ?? '');
    return isLeft(text) ? text : addressKey(text.right);
  },
};

/** The request itself, for pages and documents. */
export const wholeRequest: Parameter<KoaRequest> = {
  name: 'request',
  in: 'connection',
  required: false,
  description: 'The request.',
  schema: {},
  example: '',
  neverFails: true,
  read: right,
};
