import { expect } from 'chai';
import type { Harness } from './harness.ts';

/** Comes last: looks through everything that the run said to those who may not know its secrets. */
export const canaries = (harness: Harness): void => {
  it('no error body, header of it or line of the log holds a password, token, hash or key of the run', async () => {
    const { secrets, texts } = harness.witness.seen;
    expect(secrets).to.be.above(100);
    expect(texts).to.be.above(1_000);
    expect(harness.witness.leaks()).to.deep.equal([]);
  });
};
