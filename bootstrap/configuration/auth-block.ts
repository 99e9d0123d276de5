import { createSecretKey, type KeyObject } from 'node:crypto';
import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { HmacKey } from '../../adapters/http/authentication/authenticator.ts';
import { isLoopback } from '../../adapters/kit/address-codecs.ts';
import {
  block,
  isMapping,
  member,
  optional,
  type Problem,
  required,
  type Values,
  type Written,
  withDefault,
} from '../../adapters/kit/option-block.ts';
import { choice, flag, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { chosen } from './adapter-block.ts';
import { rsaPublicKeyFile } from './files.ts';
import { ambiguousKeys, everythingByDefault, keyBlock, placedKeys } from './key-block.ts';
import { below, omit, optionCodec, problemAt, validate, withErrors } from './option-errors.ts';
import { placed, rotatingSecret } from './rotation.ts';

const authType = withDefault(
  choice(['basic', 'oauth'] as const),
  'basic',
  'How clients authenticate: with a secret, or with a signed JWT.',
);

/** The block `auth` of type basic (docs/configuration.md). */
export const basicBlock = block({
  type: authType,
  keys: withDefault(list(keyBlock), [], 'The applications that may use the service.'),
});

// RFC 7518, section 3.2: the key is at least as long as the hash, and that of HS256 has 32 bytes.
const minHmacSecretBytes = 32;

/** Text or a list of texts; decodes to a list. An empty one accepts every audience. */
const audience = optionCodec<readonly string[], string | readonly string[]>(
  'text, or a list of texts',
  t.readonlyArray(t.string).is,
  (value, context) => {
    if (value === '') return t.success([]);
    if (typeof value === 'string') return t.success([value]);
    return Array.isArray(value)
      ? validate(list(text), value, context)
      : t.failure(value, context, 'expected text, or a list of texts');
  },
);

/** Plain HTTP is accepted on this machine only: anyone who can change the response on its way can sign tokens. */
const isJwksUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, hash } = new URL(value);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
};

/** The block `auth` of type oauth (docs/configuration.md). */
export const oauthBlock = block({
  type: authType,
  hmacSecret: optional(
    rotatingSecret(
      refine(
        text,
        (secret) => Buffer.byteLength(secret) >= minHmacSecretBytes,
        `is too short; expected at least ${minHmacSecretBytes} bytes; to make one: openssl rand -base64 32`,
      ),
    ),
    'Verifies tokens with HS256, HS384 or HS512.',
  ),
  rsaPublicKeyFilePath: optional(rsaPublicKeyFile, 'Verifies tokens with RS256, RS384 or RS512.'),
  jwksUrl: optional(
    refine(text, isJwksUrl, 'expected an https URL without user and fragment; http is for localhost only'),
    'The JWKS of the issuer, for RS, PS and ES algorithms.',
  ),
  issuer: required(text, 'The issuer that every token must name.'),
  audience: withDefault(audience, [], 'Of these a token must name one; if empty, any token is accepted.'),
  requireExpiry: withDefault(flag, false, 'Whether tokens without an expiry are refused.'),
  scopePrefix: optional(
    refine(
      text,
      (prefix) => /^[!#-[\]-~]+$/.test(prefix),
      'expected characters of a scope: ASCII, without spaces, quotes and backslashes',
    ),
    `A token may do what its claim \`scope\` lists with this prefix, such as \`latchkey:read\`. Without it, ${everythingByDefault}.`,
  ),
});

/** The decoded block, by its type. */
export type Auth =
  | { readonly type: 'basic'; readonly keys: ReturnType<typeof placedKeys<Values<typeof keyBlock.options>>> }
  | {
      readonly type: 'oauth';
      /** Verify the HMAC family; without one its tokens are refused. */
      readonly hmacKeys: readonly HmacKey[];
      /** Verifies the RSA family; null refuses its tokens. */
      readonly rsaKey: KeyObject | null;
      /** The JWKS of the issuer; null when there is none. */
      readonly jwksUrl: string | null;
      readonly issuer: string;
      /** A token must name one of them; an empty list accepts every token. */
      readonly audience: readonly string[];
      readonly requireExpiry: boolean;
      /** What precedes a permission in a scope; null lets every token do everything. */
      readonly scopePrefix: string | null;
    };

type Typed<O, Type> = Omit<O, 'type'> & Type;

/** What a configuration may hold in the block. */
export type WrittenAuth =
  | Typed<Written<typeof basicBlock.options>, { readonly type?: 'basic' | null }>
  | Typed<Written<typeof oauthBlock.options>, { readonly type: 'oauth' }>;

const optionsOf = { basic: Object.keys(basicBlock.options), oauth: Object.keys(oauthBlock.options) };

const keyOptions = ['hmacSecret', 'rsaPublicKeyFilePath', 'jwksUrl'];

const oauthOf = ({ hmacSecret, rsaPublicKeyFilePath, ...others }: Values<typeof oauthBlock.options>): Auth => ({
  ...others,
  type: 'oauth',
  hmacKeys: placed(hmacSecret ?? [], 'auth.hmacSecret').map(({ secret, ...others }) => ({
    ...others,
    key: createSecretKey(secret, 'utf8'),
  })),
  rsaKey: rsaPublicKeyFilePath,
});

const decodeOauth = (given: unknown, context: t.Context): t.Validation<Auth> => {
  const hasKey = keyOptions.some((key) => member(given, key) !== undefined);
  return withErrors(
    map(oauthOf)(validate(oauthBlock, given, context)),
    hasKey ? [] : [problemAt(context, `type oauth needs at least one of ${keyOptions.join(', ')}`)],
  );
};

const decodeBasic = (given: unknown, context: t.Context): t.Validation<Auth> =>
  map(({ keys }: Values<typeof basicBlock.options>): Auth => ({ type: 'basic', keys: placedKeys(keys, 'auth.keys') }))(
    validate(basicBlock, given, context),
  );

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Decodes the block. Without it the result is undefined, and every protected request is denied. */
export const decodeAuth = (given: unknown, context: t.Context): t.Validation<Auth | undefined> => {
  if (given === undefined) return right(undefined);
  const type = chosen(authType, member(given, 'type'));
  // Without a type the other options can't be checked.
  if (type === undefined)
    return map(() => undefined)(validate(authType.codec, member(given, 'type'), below(context, 'type')));
  const other = type === 'basic' ? 'oauth' : 'basic';
  // Options of the other type are refused unless they are empty.
  const foreign = optionsOf[other].filter(
    (key) => !optionsOf[type].includes(key) && isMapping(given) && Object.hasOwn(given, key),
  );
  const own = omit(given, foreign);
  return withErrors(
    type === 'basic' ? decodeBasic(own, context) : decodeOauth(own, context),
    foreign
      .filter((key) => !isEmpty(member(given, key)))
      .map((key) => problemAt(below(context, key), `belongs to type: ${other}; remove it, or write type: ${other}`)),
  );
};

/** The keys of applications; none where clients send tokens. */
export const clientKeysOf = (auth: Auth | undefined): Extract<Auth, { readonly type: 'basic' }>['keys'] =>
  auth?.type === 'basic' ? auth.keys : [];

/** What is wrong with the keys together. */
export const contradictoryClients = (auth: Auth | undefined): readonly Problem[] => ambiguousKeys(clientKeysOf(auth));
