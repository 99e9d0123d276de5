import { timingSafeEqual } from 'node:crypto';
import type { Permission } from './permissions.ts';

/** Who is calling: the application of a Basic key, or the subject of a token (undefined when it has none). */
export interface Client {
  readonly name: string | undefined;
  /** The position of its Basic key in the list, from 1: it tells the keys of one application apart. */
  readonly key?: number;
  /** What it may do; absent for everything. */
  readonly may?: ReadonlySet<Permission>;
}

/** Decides on the Authorization header of every protected request. */
export interface Authenticator {
  /**
   * The client, or undefined if the header does not prove one. Returns a promise if keys must be fetched first; throws,
   * or rejects with, a Fault if that fails.
   */
  authenticate(header: string | undefined): Client | undefined | Promise<Client | undefined>;
  /** The WWW-Authenticate challenge of a 401 (RFC 9110, section 11.6.1). */
  challenge(header: string | undefined): string;
}

/** An authenticator that decides at once, because it fetches nothing. */
export interface ImmediateAuthenticator extends Authenticator {
  authenticate(header: string | undefined): Client | undefined;
}

/**
 * The credentials in an Authorization header, without the scheme; undefined for another scheme. `scheme` is in lower
 * case.
 */
export const credentialsOf = (scheme: string, header: string | undefined): string | undefined => {
  if (header === undefined || header.length <= scheme.length || header[scheme.length] !== ' ') return undefined;
  return header.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length + 1).trim() : undefined;
};

/** The user name and the password of a client for Basic authentication (RFC 7617). */
export interface BasicKey {
  readonly application: string;
  readonly secret: string;
  /** What its client may do; null or absent for everything. */
  readonly may?: readonly Permission[] | null;
}

/** Base64 as nearly every client writes it: with padding, and with zeros in the unused bits. */
const canonicalBase64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The size of compared credentials is a multiple of this, so that it reveals little about the lengths of keys. */
const blockBytes = 64;
/** Writes text over a buffer, up to its size, and zeros over the rest. No header contains a zero. */
const overwrite = (buffer: Buffer, text: string): Buffer => buffer.fill(0, buffer.write(text, 'latin1'));

/**
 * Basic authentication against a list of keys. Name and secret are compared together with every key, in constant time and
 * padded to one size, so that the duration reveals nothing about the keys.
 */
export const basicAuthenticator = (keys: readonly BasicKey[], realm = 'latchkey'): ImmediateAuthenticator => {
  const encoded = keys.map(({ application, secret }) => canonicalBase64(`${application}:${secret}`));
  const size = Math.ceil(Math.max(0, ...encoded.map(({ length }) => length)) / blockBytes) * blockBytes;
  const approved = keys.map(({ application, may = null }, at) => ({
    client: { name: application, key: at + 1, ...(may !== null && { may: new Set(may) }) },
    padded: overwrite(Buffer.alloc(size), encoded[at] ?? ''),
  }));
  // Allocating a buffer for each request would cost more than the comparison.
  const given = Buffer.alloc(size);
  const clientOf = (credentials: string): Client | undefined => {
    overwrite(given, credentials);
    let found: Client | undefined;
    for (const { client, padded } of approved) {
      if (timingSafeEqual(padded, given)) found = client;
    }
    return credentials.length > size ? undefined : found;
  };
  return {
    authenticate: (header) => {
      const credentials = credentialsOf('basic', header);
      if (credentials === undefined) return undefined;
      const found = clientOf(credentials);
      if (found !== undefined || !base64.test(credentials)) return found;
      return clientOf(canonicalBase64(Buffer.from(credentials, 'base64')));
    },
    challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
  };
};
