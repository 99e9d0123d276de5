import { map } from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { adminPermissions } from '../../adapters/http/authentication/permissions.ts';
import { block, optional, type Problem, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { flag, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { type Auth, clientKeysOf } from './auth-block.ts';
import {
  ambiguousKeys,
  application,
  isSameKey,
  minSecretLength,
  permissionsOf,
  placedKeys,
  secretAdvice,
} from './key-block.ts';
import { validate } from './option-errors.ts';
import { keySecretBlock, oneOfSecrets, secretsOption } from './rotation.ts';

const longSecret = refine(text, ({ length }) => length >= minSecretLength, `is too short; ${secretAdvice}`);

/** An entry of `admin.keys[].secrets`. */
export const adminSecretBlock = keySecretBlock(longSecret);

/** An entry of `admin.keys`. */
export const adminKeyBlock = block(
  {
    application,
    secret: optional(
      longSecret,
      `The password of its Basic credentials, at least ${minSecretLength} characters; required without \`secrets\`.`,
    ),
    secrets: secretsOption(adminSecretBlock),
    may: permissionsOf(adminPermissions),
  },
  oneOfSecrets,
);

/** The longest name in `admin.nameProperty`. */
const maxNameLength = 100;

/** The block `admin`. */
export const adminBlock = block({
  keys: withDefault(list(adminKeyBlock), [], 'The keys of administrators; without one /admin does not exist.'),
  createUsers: withDefault(flag, false, 'Whether administrators create users, and change their addresses.'),
  nameProperty: optional(
    refine(text, ({ length }) => length <= maxNameLength, `must have at most ${maxNameLength} characters`),
    'A custom property, such as `name`, that the list of users shows.',
  ),
});

export const decodeAdmin = (given: unknown, context: t.Context) =>
  map(({ keys, ...others }: Values<typeof adminBlock.options>) => ({
    ...others,
    keys: placedKeys(keys, 'admin.keys'),
  }))(validate(adminBlock, given ?? {}, context));

/** The decoded block. */
type Admin = ReturnType<typeof decodeAdmin> extends t.Validation<infer A> ? A : never;

/** Keys that both clients and administrators have. */
const sharedKeys = (admin: Admin, auth: Auth | undefined): readonly Problem[] =>
  admin.keys.flatMap((key, index) =>
    clientKeysOf(auth).some((other) => isSameKey(key, other))
      ? [{ path: `keys.${index}`, message: 'is a key of auth too; administrators need a key of their own' }]
      : [],
  );

/** What is wrong with the keys of administrators together, and with those of clients. */
export const contradictoryKeys = (admin: Admin, { auth }: { readonly auth?: Auth }): readonly Problem[] => [
  ...sharedKeys(admin, auth),
  ...ambiguousKeys(admin.keys),
];
