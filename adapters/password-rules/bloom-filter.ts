/** With 16 bits for each item, 11 probes give the fewest false positives: 16 · ln 2 = 11.1. */
const bitsPerItem = 16;
const probes = 11;

/** In a smaller filter the probes of one item overlap, so that up to 2 % of other digests would count as contained. */
const minItems = 512;

/** The minimum length of a digest: the first position and the step take six bytes each. */
const minDigestBytes = 12;

/**
 * A Bloom filter of digests, of two bytes for each and at least 1 KiB: `has` is true for every digest that was added,
 * and for about 0.05 % of all others (B. H. Bloom, Space/Time Trade-offs in Hash Coding with Allowable Errors, 1970).
 *
 * The digests must be those of a cryptographic hash: their bytes give the positions of the probes by enhanced double
 * hashing (P. C. Dillinger and P. Manolios, Bloom Filters in Probabilistic Verification, 2004).
 */
export class BloomFilter {
  private readonly bytes: Uint8Array;
  /** The number of bits. It may exceed 32 bits, so that positions are computed without bitwise operators. */
  private readonly bits: number;

  /** `items` is the maximum number of digests for this rate of false positives. */
  constructor(items: number) {
    this.bits = Math.max(minItems, items) * bitsPerItem;
    this.bytes = new Uint8Array(this.bits / 8);
  }

  /** The memory of the filter. */
  get sizeBytes(): number {
    return this.bytes.length;
  }

  add(digest: Buffer): void {
    this.probe(digest, (index, mask) => {
      this.bytes[index] = (this.bytes[index] ?? 0) | mask;
      return true;
    });
  }

  has(digest: Buffer): boolean {
    return this.probe(digest, (index, mask) => ((this.bytes[index] ?? 0) & mask) !== 0);
  }

  /** Calls `visit` with the byte and the bit of each probe until it returns false; returns whether it never did. */
  private probe(digest: Buffer, visit: (index: number, mask: number) => boolean): boolean {
    if (digest.length < minDigestBytes) throw new RangeError('the digest is too short');
    let position = digest.readUIntBE(0, 6) % this.bits;
    let step = digest.readUIntBE(6, 6) % this.bits;
    for (let probe = 1; probe <= probes; probe++) {
      if (!visit(Math.floor(position / 8), 1 << (position % 8))) return false;
      // Subtracts, because the remainder of numbers beyond 31 bits is slow to compute.
      position += step;
      if (position >= this.bits) position -= this.bits;
      step += probe;
      if (step >= this.bits) step -= this.bits;
    }
    return true;
  }
}
