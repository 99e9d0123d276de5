/** The stored forms of hashes (docs/password-migration.md) that import formats create. */

/** The bytes of a base64 text of either alphabet as base64 without padding, which PHC strings use. */
export const unpadded = (base64: string): string =>
  Buffer.from(base64, 'base64')
    .toString('base64')
    .replace(/={1,2}$/, '');

/** A PHC string: `$ID$NAME=VALUE,…$SALT$HASH`, with salt and hash in base64. */
export const phcString = (
  id: string,
  costs: Readonly<Record<string, string | number>>,
  salt: string,
  hash: string,
): string => {
  const parameters = Object.entries(costs).map(([name, value]) => `${name}=${value}`);
  return `$${id}$${parameters.join(',')}$${unpadded(salt)}$${unpadded(hash)}`;
};

/** A hash of Firebase's variant of scrypt, whose key and costs the configuration holds. */
export const firebaseScrypt = (salt: string, hash: string): string => `$firebase-scrypt$${salt}$${hash}`;

/** The names of `passwordHash.accept` by the forms that they verify. */
const algorithms: readonly (readonly [RegExp, string])[] = [
  [/^\$argon2(?:id|i|d)\$/, 'argon2'],
  [/^\$2[aby]\$/, 'bcrypt'],
  [/^\$pbkdf2(?:-sha\d+)?\$|^pbkdf2_sha\d+\$/, 'pbkdf2'],
  [/^\$scrypt\$/, 'scrypt'],
  [/^\$firebase-scrypt\$/, 'firebase-scrypt'],
  [/^\$[PH]\$/, 'phpass'],
  [/^\$[56]\$/, 'sha-crypt'],
  [/^\{(?:SSHA\d*|SMD5)\}|^(?:sha1|md5)\$/, 'salted-digest'],
  [/^(?:.{16})?[\da-f]{64}$/i, 'sha256'],
];

/** The name with which `passwordHash.accept` would verify a stored hash; undefined if no algorithm does. */
export const algorithmOf = (stored: string): string | undefined => algorithms.find(([form]) => form.test(stored))?.[1];
