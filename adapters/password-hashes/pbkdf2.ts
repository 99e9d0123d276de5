import { pbkdf2 as derive } from 'node:crypto';
import { promisify } from 'node:util';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';
import { base64Bytes, hmacUsesAllOf, type ParsedHash, VerifyOnlyHash } from './verify-only-hash.ts';

const deriveKey = promisify(derive);

/**
 * `maxRounds` take one to two seconds on one core, like bcrypt at its highest cost; `cheapRounds` take no longer than a
 * new hash of bcrypt or argon2 with default costs. All iterations are repeated for each `bytes` of the key.
 */
const digests = {
  sha1: { bytes: 20, maxRounds: 6_000_000, cheapRounds: 200_000 },
  sha256: { bytes: 32, maxRounds: 6_000_000, cheapRounds: 200_000 },
  sha512: { bytes: 64, maxRounds: 3_000_000, cheapRounds: 80_000 },
} as const;

interface Pbkdf2Parameters {
  readonly digest: keyof typeof digests;
  readonly iterations: number;
  readonly salt: Buffer | undefined;
  readonly key: Buffer | undefined;
}

const minKeyBytes = 16;
const maxKeyBytes = 128;

const parsedOf = ({ digest, iterations, salt, key }: Pbkdf2Parameters): ParsedHash | undefined => {
  if (salt === undefined || key === undefined || key.length < minKeyBytes || key.length > maxKeyBytes) return undefined;
  const { bytes, maxRounds, cheapRounds } = digests[digest];
  const rounds = iterations * Math.ceil(key.length / bytes);
  if (rounds < 1 || rounds > maxRounds) return undefined;
  return {
    digest: key,
    expensive: rounds > cheapRounds,
    compute: (password) => deriveKey(password, salt, iterations, key.length, digest),
  };
};

// PHC with i= and l=, and passlib with the bare number of iterations.
const phcPattern =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d{1,8})(?:,l=(\d{1,3}))?\$([A-Za-z0-9+/.]{0,172}={0,2})\$([A-Za-z0-9+/.]{22,172}={0,2})$/;
const djangoPattern = /^pbkdf2_(sha1|sha256|sha512)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{22,172}={0,2})$/;

const isDigest = (name: string | undefined): name is keyof typeof digests =>
  name !== undefined && Object.hasOwn(digests, name);

const parsePhc = (stored: string): ParsedHash | undefined => {
  const [, digest = 'sha1', iterations, length, salt, key] = phcPattern.exec(stored) ?? [];
  if (!isDigest(digest) || salt === undefined || key === undefined) return undefined;
  const bytes = base64Bytes(key);
  if (length !== undefined && Number(length) !== bytes?.length) return undefined;
  return parsedOf({ digest, iterations: Number(iterations), salt: base64Bytes(salt), key: bytes });
};

const parseDjango = (stored: string): ParsedHash | undefined => {
  const [, digest, iterations, salt, key] = djangoPattern.exec(stored) ?? [];
  if (!isDigest(digest) || salt === undefined || key === undefined) return undefined;
  return parsedOf({ digest, iterations: Number(iterations), salt: Buffer.from(salt), key: base64Bytes(key) });
};

const identityPattern = /^A[A-Za-z0-9+/]{55,260}={0,2}$/;
const identityDigests = ['sha1', 'sha256', 'sha512'] as const;
const identity2 = { digest: 'sha1', iterations: 1000, saltBytes: 16, length: 49 } as const;
const identity3HeaderBytes = 13;

/**
 * ASP.NET Core Identity (PasswordHasher.cs). Version 2: a zero byte, 16 bytes of salt and 32 of key. Version 3: byte 1, then
 * the digest, the iterations and the length of the salt as 32-bit big-endian numbers, salt and key.
 */
const parseIdentity = (stored: string): ParsedHash | undefined => {
  const bytes = identityPattern.test(stored) ? base64Bytes(stored) : undefined;
  if (bytes === undefined) return undefined;
  if (bytes[0] === 0 && bytes.length === identity2.length) {
    const saltEnd = 1 + identity2.saltBytes;
    return parsedOf({ ...identity2, salt: bytes.subarray(1, saltEnd), key: bytes.subarray(saltEnd) });
  }
  const digest = identityDigests[bytes.readUInt32BE(1)];
  const saltBytes = bytes.readUInt32BE(9);
  if (bytes[0] !== 1 || digest === undefined || saltBytes < minKeyBytes) return undefined;
  const saltEnd = identity3HeaderBytes + saltBytes;
  const salt = bytes.subarray(identity3HeaderBytes, saltEnd);
  return parsedOf({ digest, iterations: bytes.readUInt32BE(5), salt, key: bytes.subarray(saltEnd) });
};

const parse = (stored: string): ParsedHash | undefined =>
  parsePhc(stored) ?? parseDjango(stored) ?? parseIdentity(stored);

/** Verifies PBKDF2 (RFC 8018) as PHC strings and as passlib, Django and ASP.NET Core Identity store it. */
export const pbkdf2 = defineAdapter({
  type: 'pbkdf2',
  configuration: block({}),
  open: async () => new VerifyOnlyHash(parse, hmacUsesAllOf),
});
