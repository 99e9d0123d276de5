import { expect } from 'chai';
import { withFigures } from './documented-guarantees.ts';

const written = (...rows: string[]): string =>
  [
    'By hand.',
    '',
    '<!-- npm run test:soak writes the table from here -->',
    '',
    '| Promise | Met in the long run | On |',
    '|---|---|---|',
    ...rows,
    '',
    '<!-- to here -->',
    '',
    'By hand too.',
    '',
  ].join('\n');

describe('the document about the promises', () => {
  const names = ['it lives', 'it stops', 'it says a|b'];

  it('has a row for each promise, in their order, and leaves what was written by hand', () => {
    const figures = new Map([
      ['it says a|b', 'twice\n  or more'],
      ['it lives', 'ever'],
    ]);
    const empty = 'By hand.\n\n<!-- npm run test:soak writes the table from here --><!-- to here -->\n\nBy hand too.\n';
    const rows = [
      '| it lives | ever | 2026-01-31 |',
      '| it stops | not tried yet |  |',
      '| it says a\\|b | twice or more | 2026-01-31 |',
    ];
    expect(withFigures(empty, names, figures, '2026-01-31')).to.equal(written(...rows));
  });

  it('keeps the rows of promises that were not tried again, and drops those of promises that are not made any more', () => {
    const before = written(
      '| it flies | high | 2026-01-30 |',
      '| it stops | 5 times | 2026-01-30 |',
      '| it lives | long | 2026-01-30 |',
    );
    const after = withFigures(before, names.slice(0, 2), new Map([['it lives', 'longer']]), '2026-01-31');
    expect(after).to.equal(written('| it lives | longer | 2026-01-31 |', '| it stops | 5 times | 2026-01-30 |'));
    expect(withFigures(after, names.slice(0, 2), new Map(), '2026-02-01')).to.equal(after);
  });

  it('is not written where it has no place for the table', () => {
    expect(() => withFigures('By hand.', names, new Map(), '2026-01-31')).to.throw('no place');
  });
});
