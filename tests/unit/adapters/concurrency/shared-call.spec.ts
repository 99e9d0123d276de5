import { expect } from 'chai';
import { Once, singleFlight } from '../../../../adapters/concurrency/shared-call.ts';
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

describe('Once', () => {
  const counting = (failures = 0) => {
    let calls = 0;
    return new Once(async () => {
      if (++calls <= failures) throw new Error('failed');
      return calls;
    });
  };

  it('makes one call for all callers, and keeps its result', async () => {
    const once = counting();
    expect(await Promise.all([once.get(), once.get()])).to.deep.equal([1, 1]);
    expect(await once.get()).to.equal(1);
  });

  it('makes the call again after a failure, which all waiting callers get', async () => {
    const once = counting(1);
    const failures = await Promise.all([rejection(once.get()), rejection(once.get())]);
    for (const failure of failures) expect(failure).to.include({ message: 'failed' });
    expect(await once.get()).to.equal(2);
  });

  it('makes the call again once it is told to forget the result', async () => {
    const once = counting();
    await once.get();
    once.forget();
    expect(await once.get()).to.equal(2);
  });

  it('keeps a result although a forgotten call fails afterwards', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failing = new Promise<number>((_, reject) => {
      fail = reject;
    });
    let calls = 0;
    const once = new Once(async () => (++calls === 1 ? failing : calls));
    const forgotten = once.get();
    once.forget();
    expect(await once.get()).to.equal(2);
    fail(new Error('failed'));
    await rejection(forgotten);
    expect(await once.get()).to.equal(2);
  });
});
