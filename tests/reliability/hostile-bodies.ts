import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { RandomStream } from './random.ts';

/** A body as it is sent, and the Content-Encoding that is claimed for it. */
export interface Body {
  readonly bytes: Buffer;
  readonly encoding: string | undefined;
}

const KiB = 1_024;
/** The limits of forms, JSON bodies and forms of administrators. */
const limits = [8 * KiB, KiB * KiB, 2 * KiB * KiB];

const contents: readonly ((length: number, random: RandomStream) => Buffer)[] = [
  (length) => Buffer.alloc(length, 'a&'),
  (length) => Buffer.alloc(length, ' '),
  (length) => Buffer.from(`{"email":{"address":"x${length}@example.com"},"password":"p","a":"${'x'.repeat(length)}"}`),
  (length) => Buffer.from(`email=x%40example.com&token=t&password=${'x'.repeat(length)}`),
  (length, random) => random.bytes(length),
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
const nearLimit = (limit: number, random: RandomStream): number =>
  limit + random.pick([-1, 0, 1, random.below(100 * KiB), -random.below(limit)]);

const damaged = (bytes: Buffer, random: RandomStream): Buffer => {
  if (bytes.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  // Often soon after a limit, where a reader that has refused the body may still be reading.
  const limit = random.pick(limits);
  const start =
    limit < copy.length && random.chance(0.7) ? limit + random.below(copy.length - limit) : random.below(copy.length);
  random.bytes(1 + random.below(50)).copy(copy, start);
  return copy;
};

const spoiled = (bytes: Buffer, random: RandomStream): Buffer => {
  switch (random.below(8)) {
    case 0:
      return damaged(bytes, random);
    case 1:
      return bytes.subarray(0, random.below(bytes.length + 1));
    case 2:
      return Buffer.concat([bytes, random.bytes(random.below(1_000))]);
    case 3:
      return Buffer.concat([bytes, bytes.subarray(0, 50_000)]);
    default:
      return bytes;
  }
};

const newBody = (length: number, random: RandomStream): Body => {
  const content = random.pick(contents)(length, random);
  if (random.chance(0.3))
    return { bytes: content, encoding: random.chance(0.8) ? undefined : random.pick(encodings).name };
  const { name, encode } = random.pick(encodings);
  return { bytes: encode(content), encoding: name };
};

/** Large bodies, which take long to make, are used again, each time spoiled in another way. */
const maxLarge = 100;

/** Bodies of any size, encoding and damage. Which ones depends on the streams only, not on the order of the calls. */
export class RandomBodies {
  private readonly large = new Map<number, Body>();

  constructor(private readonly random: RandomStream) {}

  next(random: RandomStream): Body {
    const { bytes, encoding } = random.chance(0.1)
      ? this.largeBody(random.below(maxLarge))
      : newBody(random.below(300), random);
    return { bytes: spoiled(bytes, random), encoding };
  }

  private largeBody(index: number): Body {
    const random = this.random.stream(index);
    const body = this.large.get(index) ?? newBody(nearLimit(random.pick(limits), random), random);
    this.large.set(index, body);
    return body;
  }
}
