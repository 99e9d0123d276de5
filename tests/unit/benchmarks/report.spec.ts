import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { csv } from '../../../benchmarks/report/csv.ts';
import { document } from '../../../benchmarks/report/document.ts';
import { savedResults } from '../../../benchmarks/report/files.ts';
import { rounded, withSpread } from '../../../benchmarks/report/numbers.ts';
import { picture } from '../../../benchmarks/report/picture.ts';
import { sections } from '../../../benchmarks/sections/index.ts';
import { median, quantile } from '../../../benchmarks/statistics.ts';

const published = (name: string): string => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

const figures = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });

describe('the benchmark report', () => {
  it('is rendered from the saved results', () => {
    expect(published('performance.md')).to.equal(document(sections, savedResults()));
    expect(published('results/performance.csv')).to.equal(csv(sections, savedResults()));
    expect(published('performance.svg')).to.equal(picture(savedResults()));
  });

  it('has unique section names', () => {
    const names = sections.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('shows three significant digits, and the spread of several figures', () => {
    expect([0.912, 12.34, 123.4, 36_049].map(rounded)).to.deep.equal(['0.91', '12.3', '123', '36,000']);
    expect(withSpread([2, 1, 3])).to.equal('2.00 (1.00–3.00)');
    expect(withSpread([2])).to.equal('2.00');
  });

  it('computes a median with as many figures above as below', () => {
    fc.assert(
      fc.property(figures, (all) => {
        const middle = median(all);
        const below = all.filter((each) => each < middle).length;
        const above = all.filter((each) => each > middle).length;
        expect(Math.max(below, above)).to.be.at.most(all.length / 2);
      }),
    );
  });

  it('computes quantiles', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 99 - index);
    expect([quantile(hundred, 0.99), quantile(hundred, 0), quantile(hundred, 1)]).to.deep.equal([99, 0, 99]);
  });
});
