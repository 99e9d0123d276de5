import { createHash, createSecretKey } from 'node:crypto';
import type { BasicKey, BasicSecret, HmacKey } from '../../adapters/http/authentication/authenticator.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A secret of a key as the configuration decodes it, at the `index` of `secrets`. */
export const keySecret = (secret: string, index = 0, expires: number | null = null): BasicSecret => ({
  secret,
  sha256: sha256(secret),
  expires,
  option: `auth.keys[0].secrets[${index}]`,
});

/** The block `auth` with one key that has one secret, as the configuration decodes it. */
export const basicAuth = (application: string, secret: string) => ({
  type: 'basic' as const,
  keys: [
    { application, secrets: [{ ...keySecret(secret), option: 'auth.keys[0].secret' }], may: null, properties: null },
  ],
});

/** A secret of which only the digest is known. */
export const digestOnly = (secret: string, index = 0, expires: number | null = null): BasicSecret => ({
  ...keySecret(secret, index, expires),
  secret: null,
});

/** A key with one secret, as the configuration decodes it. */
export const basicKey = (application: string, secret: string): BasicKey => ({
  application,
  secrets: [keySecret(secret)],
});

/** A secret of JWTs as the configuration decodes it. */
export const hmacKeyOf = (secret: string, index = 0, expires: number | null = null): HmacKey => ({
  key: createSecretKey(secret, 'utf8'),
  expires,
  option: `auth.hmacSecret[${index}]`,
});
