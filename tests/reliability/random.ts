import { createCipheriv, createHash } from 'node:crypto';

const blockBytes = 4_096;

/**
 * Random choices that a path of names determines: the seed, the guarantee, and what chooses in it. They are the bytes of
 * AES-256 in counter mode, with the hash of the path as the key.
 *
 * What runs concurrently has a stream of its own, so that the order in which it runs changes no choice.
 */
export class RandomStream {
  private readonly cipher;
  private rest = Buffer.alloc(0);

  constructor(private readonly path: string) {
    this.cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(path).digest(), Buffer.alloc(16));
  }

  /** The stream of a part, such as a round or a client. It does not depend on the choices made so far. */
  stream(...names: readonly (string | number)[]): RandomStream {
    return new RandomStream([this.path, ...names].join('\n'));
  }

  /** A number from 0 to below 1. */
  next(): number {
    return this.bytes(6).readUIntBE(0, 6) / 2 ** 48;
  }

  /** An integer from 0 to `sides - 1`. */
  below(sides: number): number {
    return Math.floor(this.next() * sides);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  bytes(length: number): Buffer {
    if (length > this.rest.length) {
      const more = this.cipher.update(Buffer.alloc(Math.max(blockBytes, length)));
      this.rest = Buffer.concat([this.rest, more]);
    }
    const taken = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return taken;
  }

  /** A UUID of version 4 (RFC 9562). */
  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /** An address that no other user has. */
  address(): string {
    return `${this.uuid()}@example.com`;
  }
}
