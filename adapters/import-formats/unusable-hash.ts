import { randomBytes } from 'node:crypto';

const randomBase64 = (bytes: number): string =>
  randomBytes(bytes)
    .toString('base64')
    .replace(/={1,2}$/, '');
const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const randomBcrypt = (bytes: number): string =>
  randomBase64(bytes).replace(/./g, (character) => bcryptAlphabet.charAt(base64Alphabet.indexOf(character)));

/** The forms of stored hashes, each with a function that replaces salt and digest by random ones of the same length. */
const forms: readonly (readonly [RegExp, (...match: readonly string[]) => string])[] = [
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
 * salt and digest. It costs nothing to make, and as much to verify as any other. Undefined if the form of the hash is not
 * known.
 */
export const unusableHash = (example: string): string | undefined => {
  for (const [form, withRandom] of forms) if (form.test(example)) return example.replace(form, withRandom);
  return undefined;
};
