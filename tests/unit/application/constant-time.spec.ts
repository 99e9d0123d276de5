import { expect } from 'chai';
import * as fc from 'fast-check';
import { sameText } from '../../../application/constant-time.ts';
import { texts } from '../../../sdk/contract/arbitraries.ts';

describe('the comparison of texts', () => {
  it('is true for equal texts only', () =>
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(sameText(one, one)).to.equal(true);
        expect(sameText(one, other)).to.equal(one === other);
        expect(sameText(one, `${one} `)).to.equal(false);
        expect(sameText('', one)).to.equal(one === '');
      }),
    ));

  it('accepts texts with as many characters but more bytes', () => {
    expect(sameText('é', 'e')).to.equal(false);
  });
});
