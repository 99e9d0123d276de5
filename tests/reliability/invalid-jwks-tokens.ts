import { constants as padding, sign } from 'node:crypto';
import { newKey, type PublishedKey } from '../../sdk/contract/http/jwks-server.ts';
import { claims, hmac, publicForms, rsa, type Signer, token } from './invalid-tokens.ts';

/** The keys of an issuer, by their algorithm. */
export const newPublishedKeys = () => ({
  RS256: newKey(2048, { kid: 'rs', alg: 'RS256' }),
  PS256: newKey(2048, { kid: 'ps', alg: 'PS256' }),
  ES256: newKey('P-256', { kid: 'es' }),
  ES384: newKey('P-384', { kid: 'es384' }),
});

export type PublishedKeys = ReturnType<typeof newPublishedKeys>;
type Algorithm = keyof PublishedKeys;

const algorithms = ['RS256', 'PS256', 'ES256', 'ES384'] as const;

/** Published keys that no token may be signed with. */
export const unusableKeys = (): readonly PublishedKey[] => [
  newKey(2048, { kid: 'enc', use: 'enc' }),
  newKey(1024, { kid: 'small' }),
  newKey('P-256', { kid: 'other', alg: 'ES384' }),
];

const ecdsa =
  ({ privateKey: key }: PublishedKey, hash: string): Signer =>
  (content) =>
    sign(hash, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });

const pss =
  ({ privateKey: key }: PublishedKey): Signer =>
  (content) =>
    sign('sha256', Buffer.from(content), {
      key,
      padding: padding.RSA_PKCS1_PSS_PADDING,
      // The salt is as long as the hash (RFC 7518, section 3.5).
      saltLength: padding.RSA_PSS_SALTLEN_DIGEST,
    });

const signerOf = (algorithm: Algorithm, key: PublishedKey): Signer => {
  if (key.privateKey.asymmetricKeyType === 'ec') return ecdsa(key, algorithm === 'ES384' ? 'sha384' : 'sha256');
  return algorithm === 'PS256' ? pss(key) : rsa(key.privateKey);
};

const named = (alg: string, { jwk }: PublishedKey, signer: Signer): string =>
  token({ alg, kid: jwk.kid }, claims(), signer);

/** A valid token for each published key. */
export const validJwksTokens = (keys: PublishedKeys): readonly string[] =>
  algorithms.map((alg) => named(alg, keys[alg], signerOf(alg, keys[alg])));

/** Tokens that are invalid where these keys, and unusable ones, are published. */
export const invalidJwksTokens = (keys: PublishedKeys, unusable: readonly PublishedKey[]): readonly string[] =>
  algorithms.flatMap((alg) => {
    const key = keys[alg];
    const others = algorithms.filter((other) => other !== alg);
    const stranger = key.privateKey.asymmetricKeyType === 'ec' ? newKey('P-256', {}) : newKey(2048, {});
    return [
      // Another algorithm with the key, another key with the algorithm, and the key id of another key.
      ...others.map((other) => named(other, key, signerOf(other, key))),
      ...others.map((other) => named(alg, keys[other], signerOf(alg, keys[other]))),
      ...others.map((other) => named(alg, keys[other], signerOf(alg, key))),
      ...others.map((other) => named(other, keys[other], signerOf(alg, key))),
      ...unusable.map((one) => named(alg, one, signerOf(alg, one))),
      named(alg, key, signerOf(alg, stranger)),
      token({ alg }, claims(), signerOf(alg, stranger)),
      token({ alg, kid: 'unknown' }, claims(), signerOf(alg, key)),
      token({ alg, kid: null }, claims(), signerOf(alg, key)),
      token({ alg, kid: [key.jwk.kid] }, claims(), signerOf(alg, key)),
      token({ alg, kid: key.jwk.kid, crit: ['exp'] }, claims(), signerOf(alg, key)),
      ...[0, 64, 96, 256].map((length) => named(alg, key, () => Buffer.alloc(length))),
      ...['HS256', 'HS384', 'HS512'].flatMap((hs) =>
        (alg === 'RS256' || alg === 'PS256' ? publicForms(key.publicKey) : [JSON.stringify(key.jwk)]).map((form) =>
          named(hs, key, hmac(form, Number(hs.slice(2)))),
        ),
      ),
    ];
  });
