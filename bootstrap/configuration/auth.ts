import { createSecretKey, type KeyObject } from 'node:crypto';
import { map, right } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { block, optional, required, type Values, withDefault } from '../../adapters/kit/option-block.ts';
import { type Codec, choice, flag, list, refine, text } from '../../adapters/kit/option-codecs.ts';
import { chosen } from './adapter-block.ts';
import { isMapping, member, without } from './document.ts';
import { rsaPublicKeyFile } from './files.ts';
import { jwksUrl } from './jwks-url.ts';
import { alsoFailing, below, problemAt } from './validation.ts';

const authType = withDefault(
  choice(['basic', 'oauth'] as const),
  'basic',
  'How clients authenticate: basic with an application and its secret, oauth with a signed JWT.',
);

/** `application`, in an entry of `auth.keys` or `admin.keys`. */
export const application = required(
  refine(
    text,
    (name) => !name.includes(':'),
    'an application has no colon in its name: the first one ends it (RFC 7617)',
  ),
  'The name of the application, the user of its Basic credentials.',
);

/** The least length of a key's secret, in characters: that of 96 random bits in Base64. */
export const shortestSecret = 16;

/** How to make a secret that is long enough. */
export const longSecret = `expected at least ${shortestSecret} characters, such as openssl rand -base64 24 makes`;

/** An entry of `auth.keys`. */
export const keyBlock = block({
  application,
  secret: required(
    text,
    `The secret of the application, the password of its Basic credentials; the start warns of fewer than ${shortestSecret} characters.`,
  ),
});

/** The block `auth` of type basic (specification, section 5). */
export const basicBlock = block({
  type: authType,
  keys: withDefault(list(keyBlock), [], 'The applications that may use the service.'),
});

// RFC 7518, section 3.2: a key of at least the size of the hash; 32 bytes are the smallest of the family.
const shortestHmacSecret = 32;

/** A text or a list of texts; decodes to a list. Nothing in it means that any audience is accepted. */
const audience: Codec<readonly string[]> = new t.Type<readonly string[], unknown, unknown>(
  'text, or a list of texts',
  t.readonlyArray(t.string).is,
  (value, context) => {
    if (value === '') return t.success([]);
    if (typeof value === 'string') return t.success([value]);
    return Array.isArray(value)
      ? list(text).validate(value, context)
      : t.failure(value, context, 'expected text, or a list of texts');
  },
  t.identity,
);

/** The block `auth` of type oauth (specification, section 5). */
export const oauthBlock = block({
  type: authType,
  hmacSecret: optional(
    refine(
      text,
      (secret) => Buffer.byteLength(secret) >= shortestHmacSecret,
      `is too short; expected at least ${shortestHmacSecret} bytes, such as openssl rand -base64 32 makes`,
    ),
    'The secret that verifies tokens signed with HS256, HS384 or HS512.',
  ),
  rsaPublicKeyFilePath: optional(
    rsaPublicKeyFile,
    'The RSA public key in DER form that verifies tokens signed with RS256, RS384 or RS512.',
  ),
  jwksUrl: optional(
    jwksUrl,
    'Where the issuer publishes its keys, which verify tokens signed with RS, PS and ES algorithms.',
  ),
  issuer: required(text, 'The issuer that a token has to name.'),
  audience: withDefault(
    audience,
    [],
    'The audiences of which a token has to name one; none is required when it is empty.',
  ),
  requireExpiry: withDefault(flag, false, 'Whether a token without an expiry is refused.'),
});

export type Key = Values<typeof keyBlock.options>;

/** The block `auth`, by its type. */
export type Auth =
  | { readonly type: 'basic'; readonly keys: readonly Key[] }
  | {
      readonly type: 'oauth';
      /** Verifies the HMAC family; null when its tokens are refused. */
      readonly hmacKey: KeyObject | null;
      /** Verifies the RSA family; null when its tokens are refused. */
      readonly rsaKey: KeyObject | null;
      /** Where keys are fetched that verify more tokens; null where none are. */
      readonly jwksUrl: string | null;
      readonly issuer: string;
      /** A token names one of them; none is required when the list is empty. */
      readonly audience: readonly string[];
      readonly requireExpiry: boolean;
    };

const optionsOf = { basic: Object.keys(basicBlock.options), oauth: Object.keys(oauthBlock.options) };

/** Options of the other type. One that is empty says nothing and passes. */
const misplaced = (given: unknown, type: Auth['type']): readonly string[] => {
  const foreign = optionsOf[type === 'basic' ? 'oauth' : 'basic'].filter((key) => !optionsOf[type].includes(key));
  return foreign.filter((key) => isMapping(given) && Object.hasOwn(given, key));
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const keyOptions = ['hmacSecret', 'rsaPublicKeyFilePath', 'jwksUrl'];

const decodeOauth = (given: unknown, context: t.Context): t.Validation<Auth> => {
  const auth = map(
    ({
      hmacSecret,
      rsaPublicKeyFilePath,
      jwksUrl,
      issuer,
      audience,
      requireExpiry,
    }: Values<typeof oauthBlock.options>): Auth => ({
      type: 'oauth',
      hmacKey: hmacSecret === null ? null : createSecretKey(hmacSecret, 'utf8'),
      rsaKey: rsaPublicKeyFilePath,
      jwksUrl,
      issuer,
      audience,
      requireExpiry,
    }),
  )(oauthBlock.validate(given, context));
  const keyless = keyOptions.every((key) => member(given, key) === undefined);
  return alsoFailing(
    auth,
    keyless ? [problemAt(context, `type oauth needs a key; give one of ${keyOptions.join(', ')}, or several`)] : [],
  );
};

const decodeBasic = (given: unknown, context: t.Context): t.Validation<Auth> =>
  map(({ keys }: Values<typeof basicBlock.options>): Auth => ({ type: 'basic', keys }))(
    basicBlock.validate(given, context),
  );

/** Decodes the block; null when it is absent, and then every protected request is denied. */
export const decodeAuth = (given: unknown, context: t.Context): t.Validation<Auth | null> => {
  if (given === undefined) return right(null);
  const type = chosen(authType, member(given, 'type'));
  // Without a type nothing can be said about the other options.
  if (type === undefined)
    return map(() => null)(authType.codec.validate(member(given, 'type'), below(context, 'type')));
  const foreign = misplaced(given, type);
  const own = without(given, foreign);
  const other = type === 'basic' ? 'oauth' : 'basic';
  return alsoFailing(
    type === 'basic' ? decodeBasic(own, context) : decodeOauth(own, context),
    foreign
      .filter((key) => !isEmpty(member(given, key)))
      .map((key) =>
        problemAt(
          below(context, key),
          `belongs to type: ${other}, and this is type: ${type}; remove it, or write type: ${other}`,
        ),
      ),
  );
};
