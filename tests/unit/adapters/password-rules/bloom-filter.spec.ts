import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { BloomFilter } from '../../../../adapters/password-rules/bloom-filter.ts';

/** The digests of `name` 0 to `count`. */
const digests = (name: string, count: number): readonly Buffer[] =>
  Array.from({ length: count }, (_, index) => createHash('sha1').update(`${name} ${index}`).digest());

/** A filter with the digests of `name` 0 to `count`. */
const filled = (name: string, count: number, items = count): BloomFilter => {
  const filter = new BloomFilter(items);
  for (const digest of digests(name, count)) filter.add(digest);
  return filter;
};

const countHits = (filter: BloomFilter, given: readonly Buffer[]): number =>
  given.filter((digest) => filter.has(digest)).length;

describe('BloomFilter', () => {
  it('has every digest that was added', () => {
    for (const count of [1, 2, 100, 20_000])
      expect(countHits(filled('in', count), digests('in', count))).to.equal(count);
  });

  it('has about 0.05 % of other digests', () => {
    const hits = countHits(filled('in', 50_000), digests('out', 200_000));
    // Expected: 92, with a standard deviation of 10.
    expect(hits).to.be.within(40, 150);
  });

  it('has no more of other digests with few items', () => {
    const others = digests('out', 1000);
    for (const count of [1, 2, 3, 10]) {
      let hits = 0;
      for (let filter = 0; filter < 100; filter++) hits += countHits(filled(`in ${filter}`, count), others);
      // The share of a large filter gives 50; with 16 bits for one item there would be 600.
      expect(hits, `${count} items`).to.be.at.most(100);
    }
  });

  it('has nothing before something was added', () => {
    expect(countHits(new BloomFilter(0), digests('out', 1000))).to.equal(0);
    expect(countHits(new BloomFilter(1000), digests('out', 1000))).to.equal(0);
  });

  it('takes two bytes for each item, and 1 KiB at least', () => {
    expect(new BloomFilter(1_000_000).sizeBytes).to.equal(2_000_000);
    expect(new BloomFilter(1).sizeBytes).to.equal(1024);
  });

  it('uses positions beyond 32 bits', () => {
    // 2^28 items have 2^32 bits; the memory of bits that are never set is not used.
    const filter = filled('in', 1000, 2 ** 28 + 1000);
    expect(countHits(filter, digests('in', 1000))).to.equal(1000);
    expect(countHits(filter, digests('out', 1000))).to.equal(0);
  });
});
