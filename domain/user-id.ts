import * as t from 'io-ts';
import type { Decoder } from './codec.ts';

declare const brand: unique symbol;

/** An id of a user, which never changes. */
export type UserId = string & { readonly [brand]: 'UserId' };

const isUserId = (value: unknown): value is UserId => typeof value === 'string' && /^[\w\-.:]{1,64}$/.test(value);

/** Why a value is no id. */
export const invalidUserId = 'must have 1 to 64 characters: ASCII letters, digits, and _ - . :';

/**
 * UserId for codecs that contain it.
 * @internal
 */
export const userIdType = new t.Type<UserId, string, unknown>(
  'UserId',
  isUserId,
  (value, context) => (isUserId(value) ? t.success(value) : t.failure(value, context, invalidUserId)),
  t.identity,
);

/** Decodes an id: 1 to 64 ASCII letters, digits and `_ - . :`. */
export const UserId: Decoder<UserId> = userIdType;
