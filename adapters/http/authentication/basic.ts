import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticator, type Client, credentialsOf } from './authenticator.ts';

/** An approved key: the user name and the password of Basic authentication (RFC 7617). */
export interface BasicKey {
  readonly application: string;
  readonly secret: string;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decoded = (credentials: string): string | undefined => {
  if (!base64.test(credentials)) return undefined;
  try {
    return utf8.decode(Buffer.from(credentials, 'base64'));
  } catch {
    return undefined;
  }
};

/**
 * Basic authentication against a list of keys. Name and secret are compared together, as digests of one length in
 * constant time, with every key: how long it takes tells nothing about the keys.
 */
export const basicAuthenticator = (keys: readonly BasicKey[]): Authenticator => {
  const approved = keys.map(({ application, secret }) => ({
    client: { name: application },
    digest: digest(`${application}:${secret}`),
  }));
  return {
    authenticate: (header) => {
      const credentials = credentialsOf('basic', header);
      const pair = credentials === undefined ? undefined : decoded(credentials);
      if (pair === undefined) return undefined;
      const given = digest(pair);
      let found: Client | undefined;
      for (const key of approved) {
        if (timingSafeEqual(key.digest, given)) found = key.client;
      }
      return found;
    },
    challenge: () => 'Basic realm="latchkey", charset="UTF-8"',
  };
};
