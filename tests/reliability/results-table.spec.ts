import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withResults } from './results-table.ts';

const written = (...lines: string[]): string => ['guarantee,result,date', ...lines, ''].join('\n');

describe('docs/results/reliability.csv', () => {
  const names = ['it starts', 'it stops', 'it handles "a", b'];

  it('has a line for each guarantee, in order', () => {
    const results = new Map([
      ['it handles "a", b', 'twice\n  or more'],
      ['it starts', 'always'],
    ]);
    const lines = [
      '"it starts","always",2026-01-31',
      '"it stops","not tested yet",',
      '"it handles ""a"", b","twice or more",2026-01-31',
    ];
    expect(withResults(written(), names, results, '2026-01-31')).to.equal(written(...lines));
  });

  it('keeps the lines of guarantees that were not tested again, and drops those of removed guarantees', () => {
    const before = written(
      '"it flies","high",2026-01-30',
      '"it stops","5 times",2026-01-30',
      '"it starts","3 times",2026-01-30',
    );
    const after = withResults(before, names.slice(0, 2), new Map([['it starts', '4 times']]), '2026-01-31');
    expect(after).to.equal(written('"it starts","4 times",2026-01-31', '"it stops","5 times",2026-01-30'));
    expect(withResults(after, names.slice(0, 2), new Map(), '2026-02-01')).to.equal(after);
  });

  it('is not overwritten when it contains something else', () => {
    expect(() => withResults('Text.', names, new Map(), '2026-01-31')).to.throw('does not contain results');
  });

  it('has no result that starts with BROKEN', () => {
    const text = readFileSync(new URL('../../docs/results/reliability.csv', import.meta.url), 'utf8');
    expect(text)
      .to.match(/^guarantee,result,date\n"/)
      .and.not.match(/^"(?:[^"]|"")*","BROKEN/m);
  });
});
