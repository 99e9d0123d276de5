import { chain, type Either, isLeft, left, right, tryCatch } from 'fp-ts/lib/Either.js';
import type { Request as KoaRequest } from 'koa';
import type { Queries } from '../../../../application/bus.ts';
import { EmailAddress, type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import { UserId } from '../../../../domain/user.ts';
import { nameOfId, type UserKey } from '../../../../domain/user-name.ts';
import { idSchema } from '../../api/accounts/user-bodies.ts';
import { addressFormat, addressKey, addressSchema, connectionInput, optionalParameter } from '../../api/parameters.ts';
import type { Parameter, Query, ResponseDescription, Schema } from '../../api/route-types.ts';
import { permits } from '../../authentication/permissions.ts';

/** Users per page if the request sets no `limit`. */
export const defaultLimit = 50;
const maxLimit = 200;

/** What a query finds. */
export type Found<Type extends keyof Queries> = Extract<Queries[Type]['result'], { readonly _tag: 'Right' }>['right'];

/** The keys of the records that cannot be read. */
export const recordsOf = (unreadable: Found<'ListUsers'>['unreadable'] = []): readonly string[] =>
  unreadable.flatMap(({ record }) => record ?? []);

/** An optional parameter in the query; without it, the value is `missing`. */
export const inQuery = <A>(
  described: Pick<Parameter<A>, 'name' | 'description' | 'schema' | 'example'>,
  missing: A,
  read: (text: string, query: Query) => Either<string, A>,
): Parameter<A> => ({
  ...described,
  in: 'query',
  required: false,
  read: (_, query) => {
    const text = optionalParameter(query, described.name);
    if (isLeft(text)) return text;
    return text.right === undefined ? right(missing) : read(text.right, query);
  },
});

/** The maximum number of users or mails in a page. */
export const limit = inQuery<number>(
  {
    name: 'limit',
    description: `The maximum number of users in the page, up to ${maxLimit}.`,
    schema: { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
    example: String(defaultLimit),
  },
  defaultLimit,
  (text) => {
    const read = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return read >= 1 && read <= maxLimit ? right(read) : left(`must be a whole number from 1 to ${maxLimit}`);
  },
);

/** The third segment of a path. */
const segmentOf = (path: string): Either<string, string> =>
  tryCatch(
    () => decodeURIComponent(path.split('/')[3] ?? ''),
    () => 'must be percent-encoded UTF-8',
  );

/** `address` in a path such as `/admin/users/jane@example.com`. */
export const addressInPath: Parameter<EmailKey> = {
  name: 'address',
  in: 'path',
  required: true,
  description: 'The address of the user, percent-encoded, in any case.',
  schema: addressSchema,
  example: 'jane@example.com',
  namesUser: true,
  read: ({ path }) => chain(addressKey)(segmentOf(path)),
};

/** The same where users have ids, none of which contains an @. */
export const addressOrIdInPath: Parameter<UserKey> = {
  ...addressInPath,
  description: 'The address of the user, percent-encoded, in any case, or the id.',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  schema: { type: 'string', if: { pattern: '@' }, then: addressFormat, else: idSchema },
  read: ({ path }) =>
    chain((text: string): Either<string, UserKey> => {
      if (UserId.is(text)) return right(nameOfId(text));
      return EmailAddress.is(text) ? right(keyOf(text)) : left('must be a valid email address or id');
    })(segmentOf(path)),
};

/** The request itself, for pages and documents. */
export const wholeRequest: Parameter<KoaRequest> = { ...connectionInput('request', right), neverFails: true };

/** Whether the key may read users. Without that, answers to what else it may do have no custom properties. */
export const reads: Parameter<boolean> = {
  ...connectionInput('reads', ({ ctx }) => right(permits(ctx.state.client, 'read'))),
  neverFails: true,
};

/** The description of a response that is a JSON object with these members. */
export const objectResponse = (
  description: string,
  title: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): ResponseDescription => ({
  description,
  content: { type: 'application/json', schema: { title, type: 'object', required, properties } },
});

/** The cursor of the next page. */
export const next: Schema = { type: ['string', 'null'] };
