import type * as t from 'io-ts';
import { block, list, type Values, withDefault } from '../../application/options.ts';
import { type Auth, type Key, keyBlock } from './auth.ts';
import { below, problemAt } from './validation.ts';

/** The block `admin`. */
export const adminBlock = block({
  keys: withDefault(
    list(keyBlock),
    [],
    'Who may administrate users on the admin port; without a key there is nothing at /admin.',
  ),
});

/** Who may administrate users. */
export type Admin = Values<typeof adminBlock.options>;

export const decodeAdmin = (given: unknown, context: t.Context): t.Validation<Admin> =>
  adminBlock.validate(given ?? {}, context);

const isSame = (one: Key, other: Key): boolean => one.application === other.application && one.secret === other.secret;

/** Keys of clients that would administrate, too. */
export const sharedKeys = ({ admin, auth }: { readonly admin: Admin; readonly auth: Auth | null }): t.Errors =>
  admin.keys.flatMap((key, index) =>
    auth?.type === 'basic' && auth.keys.some((other) => isSame(key, other))
      ? [problemAt(below([], 'admin', 'keys', String(index)), 'is a key of auth, too; administrators need their own')]
      : [],
  );
