import { expect } from 'chai';
import { retryStrategy } from '../../../../../adapters/stores/dynamodb/dynamodb-client.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { lostReply, reset } from './http-fault-proxy.ts';
import { useStoreFixture } from './store-fixture.ts';

describe('attempts of the DynamoDB client', () => {
  const fixture = useStoreFixture();

  it('are not used up by an outage: a write whose reply is lost afterwards succeeds', async () => {
    const { proxy, store } = fixture();
    proxy.every(reset);
    const calls = Array.from({ length: 40 }, () => store.insert(userOf('ada@example.com')));
    for (const fault of await Promise.all(calls.map(rejection)))
      expect(fault).to.include({ code: 'store_unavailable' });
    expect(proxy.seen, 'three attempts each').to.have.length(120);
    proxy.every(undefined);
    proxy.next([lostReply()]);
    expect(await store.insert(userOf('ada@example.com'))).to.equal('inserted');
  });

  it('suffice for every write when all connections break at once', async () => {
    const { proxy, store } = fixture();
    const count = 100;
    const users = Array.from({ length: count }, (_, index) => userOf(`user-${index}@example.com`));
    let stored = 0;
    let allStored = (): void => undefined;
    const breaking = new Promise<void>((resolve) => {
      allStored = resolve;
    });
    const fault = lostReply(() => {
      stored += 1;
      if (stored === count) allStored();
      return breaking;
    });
    proxy.next(Array.from({ length: count }, () => fault));
    const outcomes = await Promise.all(users.map((user) => store.insert(user)));
    expect(new Set(outcomes)).to.deep.equal(new Set(['inserted']));
  });
});

describe('the retries of DynamoDB', () => {
  const transient = { errorType: 'TRANSIENT' } as const;

  it('are as many as there may be attempts after the first', async () => {
    const retries = retryStrategy(3, 1_000, () => 0);
    const first = await retries.acquireInitialRetryToken('');
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    const third = await retries.refreshRetryTokenForRetry(second, transient);
    expect(third.getRetryCount()).to.equal(2);
    expect(await rejection(retries.refreshRetryTokenForRetry(third, transient))).to.be.an('error');
  });

  it('end with the timeout of the call', async () => {
    let time = 5_000;
    const retries = retryStrategy(3, 1_000, () => time);
    const first = await retries.acquireInitialRetryToken('');
    time += 999;
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    time += 1;
    expect(await rejection(retries.refreshRetryTokenForRetry(second, transient))).to.be.an('error');
  });
});
