import { createCipheriv, type ScryptOptions, scrypt as scryptCallback } from 'node:crypto';
import { defineAdapter } from '../kit/definition.ts';
import { block, required, withDefault } from '../kit/option-block.ts';
import { refine, text, wholeNumber } from '../kit/option-codecs.ts';
import { base64Bytes, hmacUsesAllOf, type ParsedHash, VerifyOnlyHash } from './verify-only-hash.ts';

/** The costs of scrypt (RFC 7914): N as its base-2 logarithm, r and p. */
interface ScryptCosts {
  readonly logN: number;
  readonly blockSize: number;
  readonly parallelism: number;
}

const memoryBytesOf = ({ logN, blockSize }: ScryptCosts): number => 128 * blockSize * 2 ** logN;

/** The time of a hash grows with its memory times its parallelism: this much takes about two seconds on one core. */
const maxWorkBytes = 512 * 1024 * 1024;
/** This much takes no longer than a new hash of argon2 with default costs. */
const cheapWorkBytes = 16 * 1024 * 1024;

/** Whether the costs are in the bounds of RFC 7914, section 6, and of `memoryKiB`. */
const isAffordable = (costs: ScryptCosts, memoryKiB: number): boolean =>
  costs.logN >= 1 &&
  costs.blockSize >= 1 &&
  costs.parallelism >= 1 &&
  costs.logN < 16 * costs.blockSize &&
  memoryBytesOf(costs) <= memoryKiB * 1024 &&
  memoryBytesOf(costs) * costs.parallelism <= maxWorkBytes;

const deriveKey = (password: string, salt: Buffer, keyBytes: number, costs: ScryptCosts): Promise<Buffer> => {
  const { logN, blockSize, parallelism } = costs;
  // OpenSSL also counts small buffers, whose size depends on blockSize and parallelism.
  const maxmem = memoryBytesOf(costs) + 128 * blockSize * (parallelism + 4);
  const options: ScryptOptions = { N: 2 ** logN, r: blockSize, p: parallelism, maxmem };
  return new Promise((resolve, reject) => {
    scryptCallback(password, salt, keyBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
};

const defaultMaxMemoryKiB = maxWorkBytes / 1024;

const phcPattern =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/.]{0,172}={0,2})\$([A-Za-z0-9+/.]{22,172}={0,2})$/;

const parsePhc = (stored: string, memoryKiB: number): ParsedHash | undefined => {
  const [, ln, r, p, encodedSalt, encodedKey] = phcPattern.exec(stored) ?? [];
  if (encodedSalt === undefined || encodedKey === undefined) return undefined;
  const costs = { logN: Number(ln), blockSize: Number(r), parallelism: Number(p) };
  const salt = base64Bytes(encodedSalt);
  const digest = base64Bytes(encodedKey);
  if (salt === undefined || digest === undefined || !isAffordable(costs, memoryKiB)) return undefined;
  return {
    digest,
    expensive: memoryBytesOf(costs) * costs.parallelism > cheapWorkBytes,
    compute: (password) => deriveKey(password, salt, digest.length, costs),
  };
};

/** Verifies scrypt in the PHC string format, as passlib writes it too. */
export const scrypt = defineAdapter({
  type: 'scrypt',
  configuration: block({}),
  open: async (_, { hashMemoryKiB = defaultMaxMemoryKiB }) =>
    new VerifyOnlyHash((stored) => parsePhc(stored, hashMemoryKiB), hmacUsesAllOf),
});

const base64Text = (minBytes: number) =>
  refine(
    text,
    (value) => (base64Bytes(value)?.length ?? 0) >= minBytes,
    `expected base64 text of at least ${minBytes} bytes`,
  );

const firebasePattern = /^\$firebase-scrypt\$([A-Za-z0-9+/]{0,172}={0,2})\$([A-Za-z0-9+/]{22,172}={0,2})$/;
// AES-256 in counter mode, with a counter that starts at zero.
const cipherKeyBytes = 32;
const cipherIv = Buffer.alloc(16);

interface FirebaseParameters {
  readonly signerKey: string;
  readonly saltSeparator: string;
  readonly rounds: number;
  readonly memCost: number;
}

/** Firebase encrypts the signer key of the project with the derived key, and stores the result. */
const firebaseParser = ({ signerKey, saltSeparator, rounds, memCost }: FirebaseParameters) => {
  const signer = base64Bytes(signerKey);
  const separator = base64Bytes(saltSeparator);
  const costs = { logN: memCost, blockSize: rounds, parallelism: 1 };
  return (stored: string): ParsedHash | undefined => {
    const [, encodedSalt, encodedDigest] = firebasePattern.exec(stored) ?? [];
    if (encodedSalt === undefined || encodedDigest === undefined) return undefined;
    const salt = base64Bytes(encodedSalt);
    const digest = base64Bytes(encodedDigest);
    if (salt === undefined || digest === undefined || signer === undefined || separator === undefined) return undefined;
    const compute = async (password: string): Promise<Buffer> => {
      const key = await deriveKey(password, Buffer.concat([salt, separator]), cipherKeyBytes, costs);
      const cipher = createCipheriv('aes-256-ctr', key, cipherIv);
      return Buffer.concat([cipher.update(signer), cipher.final()]);
    };
    // The options allow 16 MiB at most.
    return { digest, expensive: false, compute };
  };
};

/** Verifies the scrypt of Firebase Authentication (https://github.com/firebase/scrypt). */
export const firebaseScrypt = defineAdapter({
  type: 'firebase-scrypt',
  configuration: block({
    signerKey: required(base64Text(16), '`base64_signer_key` of the project: a secret.'),
    saltSeparator: withDefault(base64Text(1), 'Bw==', 'The salt separator of the project, in base64.'),
    rounds: withDefault(wholeNumber(1, 8), 8, 'The rounds of the project.'),
    memCost: withDefault(wholeNumber(1, 14), 14, 'The memory cost of the project (`mem_cost`).'),
  }),
  open: async (parameters) => new VerifyOnlyHash(firebaseParser(parameters), hmacUsesAllOf),
});
