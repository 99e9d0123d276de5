import { expect } from 'chai';
import * as fc from 'fast-check';
import { isOutstanding, sameText } from '../../../application/constant-time.ts';
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

describe('the comparison with an outstanding token', () => {
  it('is true for that token only, and false without one', () => {
    expect(isOutstanding('a token', 'a token')).to.equal(true);
    expect(isOutstanding('a token', 'another')).to.equal(false);
    for (const none of [undefined, null]) {
      expect(isOutstanding(none, '')).to.equal(false);
      expect(isOutstanding(none, '-'.repeat(43))).to.equal(false);
    }
  });
});
