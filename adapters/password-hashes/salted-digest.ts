import { hash, timingSafeEqual } from 'node:crypto';
import { type HashStatus, HashVerifier } from '../../application/ports/password-hash.ts';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';
import { base64Bytes } from './verify-only-hash.ts';

/** A parsed digest. `input` joins password and salt in the order of the system. */
interface ParsedDigest {
  readonly algorithm: string;
  readonly digest: Buffer;
  input(password: Buffer): Buffer;
}

const ldapPattern = /^\{(SMD5|SSHA|SSHA256|SSHA384|SSHA512)\}([A-Za-z0-9+/]{22,260}={0,2})$/i;
const ldapSchemes: Readonly<Record<string, readonly [algorithm: string, bytes: number]>> = {
  SMD5: ['md5', 16],
  SSHA: ['sha1', 20],
  SSHA256: ['sha256', 32],
  SSHA384: ['sha384', 48],
  SSHA512: ['sha512', 64],
};

/** `{SCHEME}` and the base64 of digest and salt; the digest is that of the password followed by the salt. */
const parseLdap = (stored: string): ParsedDigest | undefined => {
  const [, scheme = '', encoded = ''] = ldapPattern.exec(stored) ?? [];
  const [algorithm, length = 0] = ldapSchemes[scheme.toUpperCase()] ?? [];
  const bytes = base64Bytes(encoded);
  if (algorithm === undefined || bytes === undefined || bytes.length < length) return undefined;
  const salt = bytes.subarray(length);
  return { algorithm, digest: bytes.subarray(0, length), input: (password) => Buffer.concat([password, salt]) };
};

// Without SHA-256: `sha256$` and a salt of eight characters look like the 16 characters of salt of the algorithm
// sha256.
const hexPattern = /^(?:(md5)\$([^$]{0,128})\$([0-9a-f]{32})|(sha1)\$([^$]{0,128})\$([0-9a-f]{40}))$/i;

/** `ALGORITHM$SALT$HEX`, as Django stored it before 1.4; the digest is that of the salt followed by the password. */
const parseHex = (stored: string): ParsedDigest | undefined => {
  const [algorithm, salt, digest] =
    hexPattern
      .exec(stored)
      ?.slice(1)
      .filter((part) => part !== undefined) ?? [];
  if (algorithm === undefined || salt === undefined || digest === undefined) return undefined;
  const input = (password: Buffer): Buffer => Buffer.concat([Buffer.from(salt), password]);
  return { algorithm: algorithm.toLowerCase(), digest: Buffer.from(digest, 'hex'), input };
};

const parse = (stored: string): ParsedDigest | undefined => parseLdap(stored) ?? parseHex(stored);

/** Verifies a single digest of password and salt, which is fast to guess. */
class SaltedDigest extends HashVerifier {
  async verify(stored: string, password: string): Promise<boolean> {
    const parsed = parse(stored);
    // UTF-8 encodes every unpaired surrogate as the same three bytes, so passwords with one would share a hash.
    if (parsed === undefined || !password.isWellFormed()) return false;
    const computed = hash(parsed.algorithm, parsed.input(Buffer.from(password)), 'buffer');
    return timingSafeEqual(computed, parsed.digest);
  }

  inspect(stored: string): HashStatus {
    return parse(stored) === undefined ? 'foreign' : 'outdated';
  }
}

/** Verifies LDAP's {SMD5}, {SSHA} and {SSHA256} to {SSHA512}, and `sha1$SALT$HEX` and `md5$SALT$HEX`. */
export const saltedDigest = defineAdapter({
  type: 'salted-digest',
  configuration: block({}),
  open: async () => new SaltedDigest(),
});
