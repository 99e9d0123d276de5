import { createHmac, generateKeyPairSync, type KeyObject, constants as rsaPadding, sign } from 'node:crypto';
import type { RandomStream } from './random.ts';

/** The keys of accepted tokens: the secret for HMAC, and the key pair for RSA. */
export interface TokenKeys {
  readonly hmacSecret: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const issuer = 'https://issuer.example.com';
export const audience = 'latchkey';

/** Signs the header and payload of a token. */
export type Signer = (content: string) => Buffer;

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)).toString(
    'base64url',
  );

/** A token with any header and payload. Strings are not converted to JSON. */
export const token = (header: unknown, payload: unknown, signer: Signer): string => {
  const content = `${part(header)}.${part(payload)}`;
  return `${content}.${signer(content).toString('base64url')}`;
};

export const hmac =
  (key: string | Buffer, bits = 256): Signer =>
  (content) =>
    createHmac(`sha${bits}`, key).update(content).digest();

export const rsa =
  (key: KeyObject, hash = 'sha256', padding = rsaPadding.RSA_PKCS1_PADDING): Signer =>
  (content) =>
    sign(hash, Buffer.from(content), { key, padding });

const now = (): number => Math.floor(Date.now() / 1_000);

/** The claims of a valid token, with an expiry. */
export const claims = () => ({ iss: issuer, sub: 'a client', aud: audience, exp: now() + 600 });

/** A token that is valid where the key of its family is configured. */
export const validToken = (family: 'HS' | 'RS', { hmacSecret, privateKey }: TokenKeys): string =>
  token({ alg: `${family}256`, typ: 'JWT' }, claims(), family === 'HS' ? hmac(hmacSecret) : rsa(privateKey));

/** A token without an expiry, which is invalid where one is required. */
export const tokenWithoutExpiry = ({ hmacSecret }: TokenKeys): string => {
  const { exp: _, ...others } = claims();
  return token({ alg: 'HS256' }, others, hmac(hmacSecret));
};

/** All encodings of the public key that could be confused with an HMAC secret. */
export const publicForms = (key: KeyObject): readonly (string | Buffer)[] => {
  const pem = (['spki', 'pkcs1'] as const).map((type) => key.export({ type, format: 'pem' }).toString());
  const der = (['spki', 'pkcs1'] as const).map((type) => key.export({ type, format: 'der' }));
  const jwk = key.export({ format: 'jwk' });
  return [
    ...pem,
    ...pem.map((text) => text.trim()),
    ...pem.map((text) => text.replaceAll('\n', '\r\n')),
    ...der,
    ...der.flatMap((bytes) => (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding))),
    JSON.stringify(jwk),
    String(jwk.n),
    Buffer.from(String(jwk.n), 'base64url'),
  ];
};

const algorithmConfusion = ({ publicKey, privateKey, hmacSecret }: TokenKeys): readonly string[] => {
  const asSecret = publicForms(publicKey).flatMap((form) =>
    [256, 384, 512].map((bits) => token({ alg: `HS${bits}`, typ: 'JWT' }, claims(), hmac(form, bits))),
  );
  return [
    ...asSecret,
    ...['', '\0', 'secret', hmacSecret.slice(1), `${hmacSecret}!`].map((key) =>
      token({ alg: 'HS256' }, claims(), hmac(key)),
    ),
    token({ alg: 'RS256' }, claims(), hmac(hmacSecret)),
    token({ alg: 'HS256' }, claims(), rsa(privateKey)),
    token({ alg: 'HS512' }, claims(), hmac(hmacSecret, 256)),
    token({ alg: 'RS512' }, claims(), rsa(privateKey, 'sha256')),
  ];
};

const otherAlgorithms = ({ hmacSecret, privateKey }: TokenKeys): readonly string[] => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const ed = generateKeyPairSync('ed25519').privateKey;
  const nothing: Signer = () => Buffer.alloc(0);
  const ieee: Signer = (content) => sign('sha256', Buffer.from(content), { key: ec, dsaEncoding: 'ieee-p1363' });
  const names = ['none', 'None', 'NONE', 'nOnE', '', 'hs256', 'HS', 'HS1', 'HS256 ', 'constructor', '__proto__'];
  const values = [null, 256, true, ['HS256'], { slice: 'HS' }];
  return [
    ...names.flatMap((alg) => [nothing, hmac(hmacSecret), rsa(privateKey)].map((by) => token({ alg }, claims(), by))),
    ...values.map((alg) => token({ alg }, claims(), hmac(hmacSecret))),
    token({ typ: 'JWT' }, claims(), hmac(hmacSecret)),
    ...['sha256', 'sha384', 'sha512'].map((hash) =>
      token({ alg: `PS${hash.slice(3)}` }, claims(), rsa(privateKey, hash, rsaPadding.RSA_PKCS1_PSS_PADDING)),
    ),
    token({ alg: 'RS256' }, claims(), rsa(privateKey, 'sha256', rsaPadding.RSA_PKCS1_PSS_PADDING)),
    token({ alg: 'RS1' }, claims(), rsa(privateKey, 'sha1')),
    token({ alg: 'ES256' }, claims(), ieee),
    // Some libraries accepted an ECDSA signature of zeros for every key (CVE-2022-21449).
    token({ alg: 'ES256' }, claims(), () => Buffer.alloc(64)),
    token({ alg: 'EdDSA' }, claims(), (content) => sign(null, Buffer.from(content), ed)),
  ];
};

/** Tokens whose header contains or references the attacker's key, with signatures by that key. */
const embeddedKeys = (): readonly string[] => {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = own.publicKey.export({ format: 'jwk' });
  const x5c = [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')];
  const offers = [{}, { jwk }, { x5c }, { jku: 'http://127.0.0.1/keys' }, { kid: '../../../../dev/null' }];
  return [
    ...offers.map((offer) => token({ alg: 'RS256', ...offer }, claims(), rsa(own.privateKey))),
    token({ alg: 'HS256', kid: '/dev/null' }, claims(), hmac('')),
    token({ alg: 'HS256', jwk: { kty: 'oct', k: part('mine') } }, claims(), hmac('mine')),
  ];
};

const invalidClaims: readonly (() => unknown)[] = [
  () => ({ ...claims(), exp: now() - 60 }),
  ...[0, -1, null, true, '', 'tomorrow', '99999999999', [], [99_999_999_999], {}].map((exp) => () => ({
    ...claims(),
    exp,
  })),
  () => JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999'),
  ...[now() + 3_600, null, 'now', [], {}].map((nbf) => () => ({ ...claims(), nbf })),
  () => JSON.stringify({ ...claims(), nbf: 0 }).replace('"nbf":0', '"nbf":-1e999'),
  ...[undefined, null, '', 'latch', 'Latchkey', `${audience} `, ['other'], [], {}, 0].map((aud) => () => ({
    ...claims(),
    aud,
  })),
  ...[undefined, null, '', `${issuer}/`, issuer.toUpperCase(), [issuer], { [issuer]: 1 }].map((iss) => () => ({
    ...claims(),
    iss,
  })),
  () => [claims()],
  () => null,
  () => JSON.stringify(issuer),
  () => '{',
  () => '',
  () => Buffer.from([0xff, 0xfe]),
];

/** Correctly signed tokens with invalid claims or critical headers. */
const signedButInvalid = ({ hmacSecret, privateKey }: TokenKeys): readonly string[] =>
  (['HS256', 'RS256'] as const).flatMap((alg) => {
    const signer = alg === 'HS256' ? hmac(hmacSecret) : rsa(privateKey);
    const headers = [
      { alg, crit: ['exp'], exp: 1 },
      { alg, crit: ['b64'], b64: false },
      { alg, crit: [] },
      { alg, crit: null },
      [alg],
      'null',
      '{',
    ];
    return [
      ...invalidClaims.map((wrong) => token({ alg, typ: 'JWT' }, wrong(), signer)),
      ...headers.map((header) => token(header, claims(), signer)),
    ];
  });

const malformed = (keys: TokenKeys): readonly string[] =>
  (['HS', 'RS'] as const).flatMap((family) => {
    const right = validToken(family, keys);
    const [header = '', payload = '', signature = ''] = right.split('.');
    const admin = part({ ...claims(), sub: 'admin' });
    return [
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${header}..${signature}`,
      `.${payload}.${signature}`,
      `${header}.${admin}.${signature}`,
      `${right}.${signature}`,
      `${right}.e30.e30`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header} .${payload}.${signature}`,
      `"${right}"`,
      `${right},${right}`,
      JSON.stringify({ protected: header, payload, signature }),
      '',
      '.',
      '..',
      'null',
      'a'.repeat(8_000),
    ];
  });

/** Tokens that are invalid with every configuration of the keys. */
export const invalidTokens = (keys: TokenKeys): readonly string[] => [
  ...algorithmConfusion(keys),
  ...otherAlgorithms(keys),
  ...embeddedKeys(),
  ...signedButInvalid(keys),
  ...malformed(keys),
];

/** A token with one changed bit in its header, claims or signature. */
export const withFlippedBit = (genuineToken: string, random: RandomStream): string => {
  const parts = genuineToken.split('.').map((text) => Buffer.from(text, 'base64url'));
  const changed = random.pick(parts);
  const position = random.below(changed.length);
  changed[position] = (changed[position] ?? 0) ^ (1 << random.below(8));
  return parts.map((bytes) => bytes.toString('base64url')).join('.');
};
