import { hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../application/ports/clock.ts';
import { type ExpiringSecret, type SecretUse, usesOf } from '../../../application/ports/expiring-secret.ts';
import { accessOf, type PropertyAccess, type PropertyLists } from '../../kit/user-json/property-access.ts';
import { systemClock } from '../../system-clock.ts';
import type { Permission } from './permissions.ts';

/** Who is calling: the application of a Basic key, or the subject of a token (undefined when it has none). */
export interface Client {
  readonly name: string | undefined;
  /** The position of its Basic key in the list, from 1: it tells the keys of one application apart. */
  readonly key?: number;
  /** What it may do; absent for everything. */
  readonly may?: ReadonlySet<Permission>;
  /** The custom properties that it may read and write; absent for all. */
  readonly properties?: PropertyAccess;
  /** Counts its requests with this one of two secrets; absent where there is only one. */
  readonly secret?: SecretUse;
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
  /** The WWW-Authenticate challenge of a 403, which names the missing permission; absent where the scheme has none. */
  readonly challengeToScope?: (permission: Permission) => string;
  /** The counts of those keys that have two secrets. */
  readonly uses?: readonly SecretUse[];
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

/** A secret of a key. */
export interface BasicSecret extends ExpiringSecret {
  /** Null if only its digest is known. */
  readonly secret: string | null;
  /** Its SHA-256 in hexadecimal digits. */
  readonly sha256: string;
  /** Its place in the configuration. */
  readonly option: string;
}

/** The user name and the passwords of a client for Basic authentication (RFC 7617). */
export interface BasicKey {
  readonly application: string;
  readonly secrets: readonly BasicSecret[];
  /** What its client may do; null or absent for everything. */
  readonly may?: readonly Permission[] | null;
  /** The custom properties that its client may read and write; null or absent for all. */
  readonly properties?: PropertyLists | null;
}

/** A secret with which the issuer signs tokens. */
export interface HmacKey extends ExpiringSecret {
  readonly key: KeyObject;
  /** Its place in the configuration. */
  readonly option: string;
}

/** Base64 as nearly every client writes it: with padding, and with zeros in the unused bits. */
const canonicalBase64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The size of compared credentials is a multiple of this, so that it reveals little about the lengths of keys. */
const blockBytes = 64;
/** The length of a SHA-256 in hexadecimal digits. */
const digestLength = 64;
const colon = ':'.charCodeAt(0);
/** Writes text over a buffer, up to its size, and zeros over the rest. No header contains a zero. */
const overwrite = (buffer: Buffer, text: string): Buffer => buffer.fill(0, buffer.write(text, 'latin1'));

/** A secret, and the client that it proves. */
interface Approval extends BasicSecret {
  readonly client: Client;
  readonly clock: Clock;
}

/** A secret in the bytes that are compared. */
type Compared = readonly [bytes: Buffer, approval: Approval];

/** Finds the client of credentials; undefined if they prove none. */
type Finder = (credentials: string) => Client | undefined;

/** Compares bytes with those of every secret, in constant time. A secret that has expired proves nothing. */
const clientWith = (given: Buffer, all: readonly Compared[]): Client | undefined => {
  let found: Client | undefined;
  for (const [bytes, { client, expires, clock }] of all) {
    if (timingSafeEqual(bytes, given) && (expires === null || clock.now() < expires)) found = client;
  }
  return found;
};

const sizeFor = (lengths: readonly number[]): number => Math.ceil(Math.max(0, ...lengths) / blockBytes) * blockBytes;

/** Name and secret are compared together, in Base64 as they are sent. */
const plainFinder = (approvals: readonly Approval[]): Finder => {
  const encoded = approvals.map((one) => [canonicalBase64(`${one.client.name}:${one.secret}`), one] as const);
  const size = sizeFor(encoded.map(([{ length }]) => length));
  const all = encoded.map(([text, one]): Compared => [overwrite(Buffer.alloc(size), text), one]);
  // Allocating a buffer for each request would cost more than the comparison.
  const given = Buffer.alloc(size);
  return (credentials) => {
    const found = clientWith(overwrite(given, credentials), all);
    return credentials.length > size ? undefined : found;
  };
};

/** The digest of the secret is compared together with the name. No name contains the colon that pads it. */
const digestFinder = (approvals: readonly Approval[]): Finder => {
  const named = approvals.map((one) => [Buffer.from(one.client.name ?? ''), one] as const);
  const size = digestLength + sizeFor(named.map(([{ length }]) => length));
  const write = (buffer: Buffer, digest: string, name: Buffer): Buffer => {
    name.copy(buffer.fill(colon), digestLength);
    buffer.write(digest, 'latin1');
    return buffer;
  };
  const all = named.map(([name, one]): Compared => [write(Buffer.alloc(size), one.sha256, name), one]);
  const given = Buffer.alloc(size);
  return (credentials) => {
    const decoded = Buffer.from(credentials, 'base64');
    const end = decoded.indexOf(colon);
    if (end < 0) return undefined;
    write(given, hash('sha256', decoded.subarray(end + 1), 'hex'), decoded.subarray(0, end));
    const found = clientWith(given, all);
    return digestLength + end > size ? undefined : found;
  };
};

/** The finder of some secrets; without any, no credentials are read. */
const finderOf = (approvals: readonly Approval[], finder: (approvals: readonly Approval[]) => Finder): Finder =>
  approvals.length === 0 ? () => undefined : finder(approvals);

/**
 * Basic authentication against a list of keys. Name and secret are compared together with every key, in constant time and
 * padded to one size, so that the duration reveals nothing about the keys. Digests are compared where some are configured.
 */
export const basicAuthenticator = (
  keys: readonly BasicKey[],
  clock = systemClock,
  realm = 'latchkey',
): ImmediateAuthenticator => {
  const uses: SecretUse[] = [];
  const approvals = keys.flatMap(({ application, secrets, may = null, properties = null }, at) => {
    const counts = usesOf(secrets.map(({ option, sha256 }) => ({ option, id: `${application}:${sha256}`, clock })));
    const client = {
      name: application,
      key: at + 1,
      ...(may !== null && { may: new Set(may) }),
      ...(properties !== null && { properties: accessOf(properties) }),
    };
    return secrets.map((secret, index): Approval => {
      const use = counts[index] ?? null;
      if (use !== null) uses.push(use);
      return { ...secret, clock, client: use === null ? client : { ...client, secret: use } };
    });
  });
  const plain = finderOf(
    approvals.filter(({ secret }) => secret !== null),
    plainFinder,
  );
  const digests = finderOf(
    approvals.filter(({ secret }) => secret === null),
    digestFinder,
  );
  return {
    authenticate: (header) => {
      const credentials = credentialsOf('basic', header);
      if (credentials === undefined) return undefined;
      const found = plain(credentials);
      if (found !== undefined || !base64.test(credentials)) return found;
      return digests(credentials) ?? plain(canonicalBase64(Buffer.from(credentials, 'base64')));
    },
    challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
    uses,
  };
};
