import { setImmediate } from 'node:timers/promises';
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

  it('makes one more call for all who ask while one is running, so that they learn what happened before they asked', async () => {
    let state = 'before';
    const finish: (() => void)[] = [];
    const call = singleFlight(async () => {
      const seen = state;
      await new Promise<void>((resolve) => finish.push(resolve));
      return seen;
    });
    const early = call();
    await setImmediate();
    state = 'after';
    const late = [call(), call()];
    await setImmediate();
    expect(finish).to.have.length(1);
    finish[0]?.();
    expect(await early).to.equal('before');
    await setImmediate();
    expect(finish).to.have.length(2);
    finish[1]?.();
    expect(await Promise.all(late)).to.deep.equal(['after', 'after']);
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
    expect(once.current).to.equal(undefined);
    const failures = await Promise.all([rejection(once.get()), rejection(once.get())]);
    for (const failure of failures) expect(failure).to.include({ message: 'failed' });
    expect(once.current).to.equal(undefined);
    const made = once.get();
    expect(once.current).to.equal(made);
    expect(await made).to.equal(2);
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
