import type * as t from 'io-ts';
import { block, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { type Auth, application, type Key, longSecret, shortestSecret } from './auth.ts';
import { below, problemAt } from './validation.ts';

/** An entry of `admin.keys`. */
export const adminKeyBlock = block({
  application,
  secret: required(
    refine(text, ({ length }) => length >= shortestSecret, `is too short; ${longSecret}`),
    `The secret of the application, the password of its Basic credentials: at least ${shortestSecret} characters.`,
  ),
});

/** The block `admin`. */
export const adminBlock = block({
  keys: withDefault(
    list(adminKeyBlock),
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
