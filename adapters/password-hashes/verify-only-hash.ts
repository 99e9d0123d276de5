import { timingSafeEqual } from 'node:crypto';
import { type HashStatus, HashVerifier } from '../../application/ports/password-hash.ts';
import { slowHashes } from './slow-hashes.ts';

/** A parsed hash of another system. `compute` resolves with `digest` for the right password. */
export interface ParsedHash {
  readonly digest: Buffer;
  /** Whether its verification takes longer than a new hash of bcrypt or argon2 with default costs. */
  readonly expensive: boolean;
  compute(password: string): Promise<Buffer>;
}

/** Verifies the hashes of another system, and creates none. */
export class VerifyOnlyHash extends HashVerifier {
  /**
   * `parse` returns undefined for a hash that is malformed or above the limits of the algorithm. `canVerify` tells whether
   * the algorithm uses all of a password, so that no other password has the same hash.
   */
  constructor(
    private readonly parse: (stored: string) => ParsedHash | undefined,
    private readonly canVerify: (password: string) => boolean,
  ) {
    super();
  }

  async verify(stored: string, password: string): Promise<boolean> {
    const parsed = this.parse(stored);
    // UTF-8 encodes every unpaired surrogate as the same three bytes, so passwords with one would share a hash.
    if (parsed === undefined || !password.isWellFormed() || !this.canVerify(password)) return false;
    const computed = await slowHashes.run(() => parsed.compute(password));
    return computed.length === parsed.digest.length && timingSafeEqual(computed, parsed.digest);
  }

  inspect(stored: string): HashStatus {
    const parsed = this.parse(stored);
    if (parsed === undefined) return 'foreign';
    return parsed.expensive ? 'expensive' : 'outdated';
  }
}

/** HMAC pads a short key with zeros (RFC 2104), so PBKDF2 and scrypt would ignore a NUL at the end of a password. */
export const hmacUsesAllOf = (password: string): boolean => !password.endsWith('\0');

/** The longest password that repeated digests verify, so that a caller cannot multiply their cost. libxcrypt allows 512. */
const maxRepeatedBytes = 256;

/** Whether a password is short enough for an algorithm that hashes it again in every round. */
export const canRepeat = (password: string): boolean => Buffer.byteLength(password) <= maxRepeatedBytes;

/**
 * Decodes base64 with or without padding, also with `.` for `+` as passlib writes it. Undefined if the text is not the
 * one that its bytes encode to, so that no changed hash counts as the same.
 */
export const base64Bytes = (encoded: string): Buffer | undefined => {
  const text = encoded.replace(/={1,2}$/, '').replaceAll('.', '+');
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === text ? bytes : undefined;
};

const cryptAlphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The value of a character in the alphabet of crypt(3); -1 for any other. */
export const cryptValue = (character: string): number => cryptAlphabet.indexOf(character);

/** Encodes up to three bytes as crypt(3) does: the lowest six bits first, and the last byte in the lowest bits. */
export const cryptText = (...bytes: readonly (number | undefined)[]): string => {
  const value = bytes.reduce<number>((sum, byte = 0) => sum * 256 + byte, 0);
  return Array.from({ length: bytes.length + 1 }, (_, index) => cryptAlphabet[(value >> (6 * index)) & 63]).join('');
};

/** The longest delay of other work by a slice of digests on the main thread, shared by all hashes that run at once. */
const sliceMs = 2;
const roundsPerClockRead = 32;

/**
 * Runs the rounds of a digest in slices, with other work in between, because Node.js has no asynchronous function for
 * it.
 */
export const inSlices = async (rounds: number, run: (round: number) => void): Promise<void> => {
  for (let round = 0; round < rounds; ) {
    const endMs = performance.now() + sliceMs / Math.max(1, slowHashes.active);
    do {
      const next = Math.min(rounds, round + roundsPerClockRead);
      while (round < next) run(round++);
    } while (round < rounds && performance.now() < endMs);
    if (round < rounds) await new Promise((resolve) => setImmediate(resolve));
  }
};
