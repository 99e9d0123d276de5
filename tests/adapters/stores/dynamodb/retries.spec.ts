import { expect } from 'chai';
import { retriesUpTo } from '../../../../adapters/stores/dynamodb/retries.ts';
import { rejection } from '../../../rejection.ts';

describe('the retries of DynamoDB', () => {
  const transient = { errorType: 'TRANSIENT' } as const;

  it('are as many as there may be attempts after the first', async () => {
    const retries = retriesUpTo(3, 1_000, () => 0);
    const first = await retries.acquireInitialRetryToken('');
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    const third = await retries.refreshRetryTokenForRetry(second, transient);
    expect(third.getRetryCount()).to.equal(2);
    expect(await rejection(retries.refreshRetryTokenForRetry(third, transient))).to.be.an('error');
  });

  it('end when nobody waits for the request any more', async () => {
    let time = 5_000;
    const retries = retriesUpTo(3, 1_000, () => time);
    const first = await retries.acquireInitialRetryToken('');
    time += 999;
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    time += 1;
    expect(await rejection(retries.refreshRetryTokenForRetry(second, transient))).to.be.an('error');
  });
});
