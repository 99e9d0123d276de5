import { expect } from 'chai';
import { uniqueProperty } from '../../../domain/property-folding.ts';

describe('the values of a unique property', () => {
  const foldOf = (type: string, folding: 'exact' | 'caseless' | 'username') =>
    uniqueProperty('name', type, folding).fold;

  it('are compared as they are, as addresses are, or as user names are', () => {
    expect(['Jane', 'jane', 'JOSE\u0301', ' a b'].map(foldOf('string', 'exact'))).to.eql([
      ...['Jane', 'jane', 'JOSE\u0301', ' a b'],
    ]);
    expect(['Jane', 'JOSE\u0301', 'ΣΑΣ', ' A b'].map(foldOf('string', 'caseless'))).to.eql([
      ...['jane', 'josé', 'σασ', ' a b'],
    ]);
    expect(['Jane', 'JOSE\u0301', 'Ｊane', ' A b'].map(foldOf('string', 'username'))).to.eql([
      ...['jane', 'josé', 'jane', undefined],
    ]);
  });

  it('are integers in one spelling', () => {
    const values = [7, -7, 0, '7', '-7', '0', '07', '-0', '1e3', 1.5, 2 ** 53, '', null, true, 'x'];
    expect(values.map(foldOf('integer', 'exact'))).to.eql([
      ...['7', '-7', '0', '7', '-7', '0'],
      ...Array.from({ length: 9 }, () => undefined),
    ]);
  });

  it('have 1 to 254 characters that every database can compare', () => {
    for (const folding of ['exact', 'caseless', 'username'] as const) {
      const fold = foldOf('string', folding);
      expect(fold('x'.repeat(254)), folding).to.equal('x'.repeat(254));
      // The lower case of the last one is longer.
      for (const value of [
        'x'.repeat(255),
        '',
        'a\0',
        'a\u0085',
        'a\ud800',
        `${'İ'.repeat(254)}`,
        7,
        null,
        undefined,
        ['a'],
      ])
        if (folding !== 'exact' || !String(value).startsWith('İ'))
          expect(fold(value), `${folding} ${value}`).to.equal(undefined);
    }
  });
});
