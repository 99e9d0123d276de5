import { hash, timingSafeEqual } from 'node:crypto';
import { type Client, credentialsOf, type PromptAuthenticator } from './authenticator.ts';

/** An approved key: the user name and the password of Basic authentication (RFC 7617). */
export interface BasicKey {
  readonly application: string;
  readonly secret: string;
}

// By way of a text: a buffer of its own for each digest would cost more than the digest.
const digest = (pair: string | Buffer): Buffer => Buffer.from(hash('sha256', pair, 'base64'), 'latin1');
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Basic authentication against a list of keys. Name and secret are compared together, as digests of one length in
 * constant time, with every key: how long it takes tells nothing about the keys.
 */
export const basicAuthenticator = (keys: readonly BasicKey[], realm = 'latchkey'): PromptAuthenticator => {
  const approved = keys.map(({ application, secret }) => ({
    client: { name: application },
    digest: digest(`${application}:${secret}`),
  }));
  return {
    authenticate: (header) => {
      const credentials = credentialsOf('basic', header);
      if (credentials === undefined || !base64.test(credentials)) return undefined;
      const given = digest(Buffer.from(credentials, 'base64'));
      let found: Client | undefined;
      for (const key of approved) {
        if (timingSafeEqual(key.digest, given)) found = key.client;
      }
      return found;
    },
    challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
  };
};
