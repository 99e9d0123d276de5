import { createHash } from 'node:crypto';
import type { User } from '../../domain/user.ts';

/** The beginnings of stored hashes: modular crypt and PHC strings, Django, LDAP. */
const prefix = /^(?:\$[\w-]+\$|(?:pbkdf2_sha\d+|sha1|md5)\$|\{S(?:MD5|SHA\d*)\})/i;
/** Hex SHA-256 with or without salt. */
const sha256Hex = /^(?:.{16})?[0-9a-f]{64}$/is;
/** The base64 of ASP.NET Identity. */
const identity = /^A[A-Za-z0-9+/]{55,260}={0,2}$/;

/**
 * Whether a text may be a stored hash of any algorithm of this service, also of one that it accepts no longer. Looser than
 * the algorithms themselves, because a new password that is taken for a hash only has to be sent again.
 */
export const looksLikeHash = (text: string): boolean =>
  prefix.test(text) || sha256Hex.test(text) || identity.test(text);

/**
 * The digest of a stored hash that `current` replaces. It is bound to `current`, so that it ends with a new password. Only
 * for hashes with a salt: the digest of one without would let its password be guessed as fast as before.
 */
export const digestOfFormer = (former: string, current: string): string =>
  createHash('sha256')
    .update(JSON.stringify([former, current]))
    .digest('base64url');

/** Whether a text is the stored hash that the present one of the user replaced. */
export const isKnownFormer = (given: string, { password, formerHashDigest }: User): boolean =>
  formerHashDigest !== undefined && formerHashDigest === digestOfFormer(given, password);
