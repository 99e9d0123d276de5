import { expect } from 'chai';
import { singleFlight } from '../../../../adapters/kit/single-flight.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

describe('singleFlight', () => {
  it('shares one call among concurrent callers', async () => {
    let calls = 0;
    const call = singleFlight(async () => ++calls);
    expect(await Promise.all([call(), call(), call()])).to.deep.equal([1, 1, 1]);
    expect(await call()).to.equal(2);
  });

  it('calls again after a failure', async () => {
    let calls = 0;
    const call = singleFlight(async () => {
      if (++calls === 1) throw new Error('failed');
      return calls;
    });
    expect(await rejection(call())).to.include({ message: 'failed' });
    expect(await call()).to.equal(2);
  });
});
