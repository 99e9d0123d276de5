import { hash } from 'node:crypto';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';
import { canRepeat, cryptText, inSlices, type ParsedHash, VerifyOnlyHash } from './verify-only-hash.ts';

// SHA-crypt (Ulrich Drepper, https://www.akkadia.org/drepper/SHA-crypt.txt). Its numbered steps are named below.

const defaultRounds = 5000;
const minRounds = 1000;
/** About two seconds, like bcrypt at its highest cost. The format allows 999,999,999 rounds. */
const maxRounds = 1_000_000;
/** Takes no longer than a new hash of bcrypt or argon2 with default costs. */
const maxCheapRounds = 20_000;

/** `order` gives the indexes of the bytes that are encoded together (step 22). */
interface Variant {
  readonly algorithm: 'sha256' | 'sha512';
  readonly bytes: number;
  readonly order: readonly (readonly number[])[];
}

/** Bytes from each third of a digest, whose order changes from group to group, and then the rest. */
const orderOf = (third: number, shift: number, rest: readonly number[]): Variant['order'] => [
  ...Array.from({ length: third }, (_, index) =>
    [0, 1, 2].map((place) => index + third * ((place + index * shift) % 3)),
  ),
  rest,
];

const variants: Readonly<Record<string, Variant>> = {
  5: { algorithm: 'sha256', bytes: 32, order: orderOf(10, 2, [31, 30]) },
  6: { algorithm: 'sha512', bytes: 64, order: orderOf(21, 1, [63]) },
};

const pattern =
  /^\$([56])\$(?:rounds=([1-9]\d{3,8})\$)?(?!rounds=)([!-#%-9;-~]{0,16})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/;

/** `bytes` repeated up to a length. */
const filled = (length: number, bytes: Buffer): Buffer => Buffer.alloc(length, bytes);

/** The digest of all rounds (steps 1 to 21). */
const compute = async (
  { algorithm, bytes }: Variant,
  salt: Buffer,
  rounds: number,
  secret: Buffer,
): Promise<Buffer> => {
  const digestOf = (...parts: readonly Buffer[]): Buffer => hash(algorithm, Buffer.concat(parts), 'buffer');
  const { length } = secret;
  // Steps 4 to 8.
  const second = digestOf(secret, salt, secret);
  // Steps 1 to 3 and 9 to 12: for each bit of the length, from the lowest one, the second digest or the password.
  const bits = Array.from({ length: length.toString(2).length }, (_, bit) => (length >> bit) & 1);
  const byBit = length === 0 ? [] : bits.map((bit) => (bit === 1 ? second : secret));
  const first = digestOf(secret, salt, filled(length, second), ...byBit);
  // Steps 13 to 16.
  const p = filled(length, digestOf(filled(length * length, secret)));
  // Steps 17 to 20.
  const s = filled(salt.length, digestOf(...Array.from({ length: 16 + (first[0] ?? 0) }, () => salt)));
  // Step 21. The input repeats after 42 rounds, but for the previous digest at its start or end.
  const current = Buffer.from(first);
  const inputs = Array.from({ length: 42 }, (_, round) => {
    const middle = [round % 3 === 0 ? Buffer.of() : s, round % 7 === 0 ? Buffer.of() : p];
    return Buffer.concat(round % 2 === 0 ? [current, ...middle, p] : [p, ...middle, current]);
  });
  await inSlices(rounds, (round) => {
    const input = inputs[round % inputs.length] ?? current;
    current.copy(input, round % 2 === 0 ? 0 : input.length - bytes);
    hash(algorithm, input, 'buffer').copy(current);
  });
  return current;
};

const parse = (stored: string): ParsedHash | undefined => {
  const [, id = '', written, salt, digest] = pattern.exec(stored) ?? [];
  const variant = variants[id];
  const rounds = written === undefined ? defaultRounds : Number(written);
  if (variant === undefined || salt === undefined || digest === undefined) return undefined;
  if (digest.length !== Math.ceil((variant.bytes * 4) / 3) || rounds < minRounds || rounds > maxRounds)
    return undefined;
  return {
    digest: Buffer.from(digest),
    expensive: rounds > maxCheapRounds,
    compute: async (password) => {
      const final = await compute(variant, Buffer.from(salt), rounds, Buffer.from(password));
      return Buffer.from(variant.order.map((group) => cryptText(...group.map((index) => final[index]))).join(''));
    },
  };
};

/** Verifies SHA-256-crypt ($5$) and SHA-512-crypt ($6$) of crypt(3). */
export const shaCrypt = defineAdapter({
  type: 'sha-crypt',
  configuration: block({}),
  open: async () => new VerifyOnlyHash(parse, canRepeat),
});
