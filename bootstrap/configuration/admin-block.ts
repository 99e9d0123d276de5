import { adminPermissions } from '../../adapters/http/authentication/permissions.ts';
import { block, optional, type Problem, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { type Auth, application, type Key, minSecretLength, permissionsOf, secretAdvice } from './auth-block.ts';

/** An entry of `admin.keys`. */
export const adminKeyBlock = block({
  application,
  secret: required(
    refine(text, ({ length }) => length >= minSecretLength, `is too short; ${secretAdvice}`),
    `The secret of the application: the password of its Basic credentials, at least ${minSecretLength} characters.`,
  ),
  may: permissionsOf(adminPermissions),
});

/** The longest name in `admin.nameProperty`. */
const maxNameLength = 100;

/** The block `admin`. */
export const adminBlock = block({
  keys: withDefault(list(adminKeyBlock), [], 'The keys of administrators; without one /admin does not exist.'),
  nameProperty: optional(
    refine(text, ({ length }) => length <= maxNameLength, `must have at most ${maxNameLength} characters`),
    'A custom property, such as `name`, that the list of users shows.',
  ),
});

export type Admin = Values<typeof adminBlock.options>;

const isSame = (one: Key, other: Key): boolean => one.application === other.application && one.secret === other.secret;

/** Keys that both clients and administrators have. */
export const sharedKeys = (admin: Admin, { auth }: { readonly auth: Auth | null }): readonly Problem[] =>
  admin.keys.flatMap((key, index) =>
    auth?.type === 'basic' && auth.keys.some((other) => isSame(key, other))
      ? [{ path: `keys.${index}`, message: 'is a key of auth too; administrators need a key of their own' }]
      : [],
  );
