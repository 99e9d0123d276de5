import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { chance, pick, randomBelow } from './random.ts';

/** A body as it is sent, and the Content-Encoding that is claimed for it. */
export interface Body {
  readonly bytes: Buffer;
  readonly encoding: string | undefined;
}

const KiB = 1_024;
/** The limits of forms, JSON bodies and forms of administrators. */
const limits = [8 * KiB, KiB * KiB, 2 * KiB * KiB];

const contents: readonly ((length: number) => Buffer)[] = [
  (length) => Buffer.alloc(length, 'a&'),
  (length) => Buffer.alloc(length, ' '),
  (length) => Buffer.from(`{"email":{"address":"x${length}@example.com"},"password":"p","a":"${'x'.repeat(length)}"}`),
  (length) => Buffer.from(`email=x%40example.com&token=t&password=${'x'.repeat(length)}`),
  (length) => randomBytes(length),
  (length) => Buffer.alloc(length, '{"a":'),
];

const encodings: readonly { readonly name: string; readonly encode: (bytes: Buffer) => Buffer }[] = [
  { name: 'gzip', encode: (bytes) => gzipSync(bytes, { level: 1 }) },
  // Stored blocks, so that damage at a position is met at that position of the output.
  { name: 'gzip', encode: (bytes) => gzipSync(bytes, { level: 0 }) },
  { name: 'deflate', encode: (bytes) => deflateSync(bytes, { level: 0 }) },
  { name: 'deflate', encode: (bytes) => deflateRawSync(bytes, { level: 1 }) },
  { name: 'br', encode: (bytes) => brotliCompressSync(bytes, { params: { 1: 0 } }) },
  ...['GZIP', 'x-gzip', 'zstd', 'gzip, br', ''].map((name) => ({ name, encode: (bytes: Buffer) => bytes })),
];

/** A length near a limit, so that what follows the limit is met too. */
const nearLimit = (limit: number): number => limit + pick([-1, 0, 1, randomBelow(100 * KiB), -randomBelow(limit)]);

const damaged = (bytes: Buffer): Buffer => {
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  // Often soon after a limit, where a reader that has refused the body may still be reading.
  const limit = pick(limits);
  const start =
    limit < copy.length && chance(0.7) ? limit + randomBelow(copy.length - limit) : randomBelow(copy.length);
  randomBytes(1 + randomBelow(50)).copy(copy, start);
  return copy;
};

const spoiled = (bytes: Buffer): Buffer => {
  switch (randomBelow(8)) {
    case 0:
      return damaged(bytes);
    case 1:
      return bytes.subarray(0, randomBelow(bytes.length + 1));
    case 2:
      return Buffer.concat([bytes, randomBytes(randomBelow(1_000))]);
    case 3:
      return Buffer.concat([bytes, bytes.subarray(0, 50_000)]);
    default:
      return bytes;
  }
};

const newBody = (length: number): Body => {
  const content = pick(contents)(length);
  if (chance(0.3)) return { bytes: content, encoding: chance(0.8) ? undefined : pick(encodings).name };
  const { name, encode } = pick(encodings);
  return { bytes: encode(content), encoding: name };
};

/** Large bodies, which take long to make, are used again, each time spoiled in another way. */
const large: Body[] = [];
const maxLarge = 100;

const largeBody = (): Body => {
  if (large.length < maxLarge) {
    const body = newBody(nearLimit(pick(limits)));
    large.push(body);
    return body;
  }
  return pick(large);
};

/** A body of any size, encoding and damage. */
export const randomBody = (): Body => {
  const { bytes, encoding } = chance(0.1) ? largeBody() : newBody(randomBelow(300));
  return { bytes: spoiled(bytes), encoding };
};
