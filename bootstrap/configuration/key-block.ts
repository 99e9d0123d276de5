import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { clientPermissions, type Permission } from '../../adapters/http/authentication/permissions.ts';
import { block, optional, type Problem, required, type Values } from '../../adapters/kit/option-block.ts';
import { choice, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import type { ExpiringSecret } from '../../application/ports/expiring-secret.ts';
import { keyPropertiesBlock } from './plain-blocks.ts';
import { keySecretBlock, oneOfSecrets, type Placed, secretsIn, secretsOption } from './rotation.ts';

/** `application` in an entry of `auth.keys` or `admin.keys`. */
export const application = required(
  refine(text, (name) => !name.includes(':'), 'must not contain a colon, which ends the user of Basic credentials'),
  'The user of its Basic credentials.',
);

/** The minimum length of a key's secret in characters: that of 96 random bits in Base64. */
export const minSecretLength = 16;

/** How to make a secret that is long enough. */
export const secretAdvice = `expected at least ${minSecretLength} characters; to make one: openssl rand -base64 24`;

/** `may` in an entry of `auth.keys` or `admin.keys`. */
export const permissionsOf = <P extends Permission>(permissions: readonly P[], everything = 'everything') =>
  optional(list(choice(permissions)), `What its client may do: a list of permissions. Without it, ${everything}.`);

/** No key or token has this permission by default. */
export const everythingByDefault = 'everything except `without-password`';

/** An entry of `auth.keys[].secrets`. */
export const clientSecretBlock = keySecretBlock(text);

/** An entry of `auth.keys`. */
export const keyBlock = block(
  {
    application,
    secret: optional(
      text,
      `The password of its Basic credentials; required without \`secrets\`. The service warns of fewer than ${minSecretLength} characters.`,
    ),
    secrets: secretsOption(clientSecretBlock),
    may: permissionsOf(clientPermissions, everythingByDefault),
    properties: optional(keyPropertiesBlock, 'Limits its client to some custom properties.'),
  },
  oneOfSecrets,
);

type WithoutSecrets<V> = Omit<V, 'secret' | 'secrets'>;

/** A secret of a key; null if the file has only its digest. */
interface KeySecret extends Placed<ExpiringSecret> {
  readonly secret: string | null;
  /** The SHA-256 of the secret in lower case. */
  readonly sha256: string;
}

/** A key of an application, of clients or administrators. */
export interface Key {
  readonly application: string;
  readonly secrets: readonly KeySecret[];
}

/** Whether a client of one key could use the other. Compares digests, because one of the files may have only that. */
export const isSameKey = (one: Key, other: Key): boolean =>
  one.application === other.application &&
  one.secrets.some(({ sha256 }) => other.secrets.some((secret) => secret.sha256 === sha256));

/** Keys with a secret of an earlier one that may do something else: what counts would depend on their order. */
export const ambiguousKeys = (
  keys: readonly (Key & { readonly may: readonly Permission[] | null; readonly properties?: object | null })[],
): readonly Problem[] =>
  keys.flatMap((key, index) => {
    const limitsOf = ({ may, properties = null }: (typeof keys)[number]) => [may, properties];
    const earlier = keys
      .slice(0, index)
      .findIndex((other) => isSameKey(key, other) && !isDeepStrictEqual(limitsOf(key), limitsOf(other)));
    const message = `has a secret of keys[${earlier}], which may do something else; give one of them another secret`;
    return earlier < 0 ? [] : [{ path: `keys.${index}`, message }];
  });

type KeyValues = Pick<Values<typeof keyBlock.options>, 'application' | 'secret' | 'secrets'>;

/** The keys of a list at `path`, each with the places of its secrets. */
export const placedKeys = <V extends KeyValues>(
  keys: readonly V[],
  path: string,
): readonly (WithoutSecrets<V> & Key)[] =>
  keys.map(({ secret, secrets, ...others }, index) => ({
    ...others,
    secrets: secretsIn({ secret, secrets }, `${path}[${index}]`).map((found) => ({
      ...found,
      sha256:
        'sha256' in found && found.sha256 !== null ? found.sha256.toLowerCase() : hash('sha256', found.secret ?? ''),
    })),
  }));

/** The secrets in config/local.yaml. They are published with the source, so they may be shown. */
const developmentSecrets: readonly string[] = ['development-only', 'administration-only'];

/** A key as `application:secret`; only the application where the secret is not public. */
export const shownKey = ({ application, secrets: [only, ...others] }: Key): string => {
  const secret = others.length === 0 ? only?.secret : undefined;
  return typeof secret === 'string' && developmentSecrets.includes(secret) ? `${application}:${secret}` : application;
};

/** The first key whose secret is public, as `application:secret`; null without one. */
export const developmentKeyIn = (keys: readonly Key[]): string | null => {
  const key = keys.find((one) => shownKey(one) !== one.application);
  return key === undefined ? null : shownKey(key);
};
