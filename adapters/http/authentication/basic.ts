import { hash, timingSafeEqual } from 'node:crypto';
import { type Client, credentialsOf, type PromptAuthenticator } from './authenticator.ts';

/** An approved key: the user name and the password of Basic authentication (RFC 7617). */
export interface BasicKey {
  readonly application: string;
  readonly secret: string;
}

/** The form that nearly every client sends: with padding, and no other bits than those of the text. */
const canonical = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

const digestLength = 32;
/** Writes a digest to where another one was: a buffer of its own for each would cost more than the digest. */
const writeDigest = (digest: Buffer, text: string): Buffer => {
  digest.write(hash('sha256', text, 'binary'), 'latin1');
  return digest;
};

/**
 * Basic authentication against a list of keys. Name and secret are compared together, as digests of one length in
 * constant time, with every key: how long it takes tells nothing about the keys.
 */
export const basicAuthenticator = (keys: readonly BasicKey[], realm = 'latchkey'): PromptAuthenticator => {
  const approved = keys.map(({ application, secret }) => ({
    client: { name: application },
    digest: writeDigest(Buffer.alloc(digestLength), canonical(`${application}:${secret}`)),
  }));
  const given = Buffer.alloc(digestLength);
  const clientOf = (credentials: string): Client | undefined => {
    writeDigest(given, credentials);
    let found: Client | undefined;
    for (const { client, digest } of approved) {
      if (timingSafeEqual(digest, given)) found = client;
    }
    return found;
  };
  return {
    authenticate: (header) => {
      const credentials = credentialsOf('basic', header);
      if (credentials === undefined) return undefined;
      const found = clientOf(credentials);
      if (found !== undefined || !base64.test(credentials)) return found;
      return clientOf(canonical(Buffer.from(credentials, 'base64')));
    },
    challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
  };
};
