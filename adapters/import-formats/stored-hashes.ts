import { randomBytes } from 'node:crypto';

/** Stored hashes (docs/password-migration.md), as import formats create them. */

const withoutPadding = (bytes: Buffer): string => bytes.toString('base64').replace(/={1,2}$/, '');

/** The bytes of a base64 text of either alphabet as base64 without padding, which PHC strings use. */
const unpadded = (base64: string): string => withoutPadding(Buffer.from(base64, 'base64'));

/** A PHC string: `$ID$NAME=VALUE,…$SALT$HASH`, with salt and hash in base64. */
export const phcString = (id: string, costs: Readonly<Record<string, unknown>>, salt: string, hash: string): string => {
  const parameters = Object.entries(costs).map(([name, value]) => `${name}=${value}`);
  return `$${id}$${parameters.join(',')}$${unpadded(salt)}$${unpadded(hash)}`;
};

/** A hash of Firebase's variant of scrypt, whose key and costs the configuration holds. */
export const firebaseScrypt = (salt: string, hash: string): string => `$firebase-scrypt$${salt}$${hash}`;

/** The names of `passwordHash.accept` by the patterns of the hashes that they verify. */
const algorithms: readonly (readonly [RegExp, string])[] = [
  // First, because its salt can be any text.
  [/^(?:.{16})?[\da-f]{64}$/is, 'sha256'],
  [/^\$argon2(?:id|i|d)\$/, 'argon2'],
  [/^\$2[aby]\$/, 'bcrypt'],
  [/^\$pbkdf2(?:-sha\d+)?\$|^pbkdf2_sha\d+\$/, 'pbkdf2'],
  // The versions of ASP.NET Core Identity, of which the first byte is 0 or 1.
  [/^A[A-Za-z\d+/]{55,260}={0,2}$/, 'pbkdf2'],
  [/^\$scrypt\$/, 'scrypt'],
  [/^\$firebase-scrypt\$/, 'firebase-scrypt'],
  [/^\$[PH]\$/, 'phpass'],
  [/^\$[56]\$/, 'sha-crypt'],
  [/^\{(?:SSHA\d*|SMD5)\}|^(?:sha1|md5)\$/i, 'salted-digest'],
];

/** The name with which `passwordHash.accept` would verify a stored hash; undefined if no algorithm does. */
export const algorithmOf = (stored: string): string | undefined =>
  algorithms.find(([pattern]) => pattern.test(stored))?.[1];

const randomBase64 = (bytes: number): string => withoutPadding(randomBytes(bytes));
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const randomBcrypt = (bytes: number): string =>
  randomBase64(bytes).replace(/./g, (character) => bcryptAlphabet.charAt(base64Alphabet.indexOf(character)));

/** Patterns of stored hashes, each with a function that replaces salt and digest by random ones of the same length. */
const replacements: readonly (readonly [RegExp, (...match: readonly string[]) => string])[] = [
  [/^(\$2[aby]\$\d\d\$)[./A-Za-z\d]{53}$/, (_, costs) => costs + randomBcrypt(16) + randomBcrypt(23)],
  [
    /^(\$[a-z\d-]+\$(?:[^$]*\$)*)([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/,
    (_, costs, salt = '', digest = '') =>
      `${costs}${randomBase64(Buffer.byteLength(salt, 'base64'))}$${randomBase64(Buffer.byteLength(digest, 'base64'))}`,
  ],
  [/^.{16}[\da-f]{64}$/, () => randomHex(8) + randomHex(32)],
];

/**
 * Returns a stored hash that no password is known for: that of `example`, a new hash of the same algorithm, with a random
 * salt and digest. It costs nothing to make, and as much to verify as any other. Undefined if the pattern of the hash is not
 * known.
 */
export const unusableHash = (example: string): string | undefined => {
  for (const [pattern, withRandom] of replacements)
    if (pattern.test(example)) return example.replace(pattern, withRandom);
  return undefined;
};
