import { expect } from 'chai';
import { withResults } from './results-table.ts';

const written = (...rows: string[]): string =>
  [
    'Text before.',
    '',
    '<!-- npm run test:soak writes the table from here -->',
    '',
    '| Guarantee | Result of the long run | Date |',
    '|---|---|---|',
    ...rows,
    '',
    '<!-- to here -->',
    '',
    'Text after.',
    '',
  ].join('\n');

describe('the results table of docs/reliability.md', () => {
  const names = ['it starts', 'it stops', 'it handles a|b'];

  it('has a row for each guarantee, in order, and leaves the text around it unchanged', () => {
    const results = new Map([
      ['it handles a|b', 'twice\n  or more'],
      ['it starts', 'always'],
    ]);
    const empty =
      'Text before.\n\n<!-- npm run test:soak writes the table from here --><!-- to here -->\n\nText after.\n';
    const rows = [
      '| it starts | always | 2026-01-31 |',
      '| it stops | not tested yet |  |',
      '| it handles a\\|b | twice or more | 2026-01-31 |',
    ];
    expect(withResults(empty, names, results, '2026-01-31')).to.equal(written(...rows));
  });

  it('keeps the rows of guarantees that were not tested again, and drops those of removed guarantees', () => {
    const before = written(
      '| it flies | high | 2026-01-30 |',
      '| it stops | 5 times | 2026-01-30 |',
      '| it starts | 3 times | 2026-01-30 |',
    );
    const after = withResults(before, names.slice(0, 2), new Map([['it starts', '4 times']]), '2026-01-31');
    expect(after).to.equal(written('| it starts | 4 times | 2026-01-31 |', '| it stops | 5 times | 2026-01-30 |'));
    expect(withResults(after, names.slice(0, 2), new Map(), '2026-02-01')).to.equal(after);
  });

  it('throws when the document has no markers for the table', () => {
    expect(() => withResults('Text.', names, new Map(), '2026-01-31')).to.throw('no place');
  });
});
