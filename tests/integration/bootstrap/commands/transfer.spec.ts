import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import { retryWhileUnavailable } from '../../../../bootstrap/commands/long-runs.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

describe('retryWhileUnavailable', () => {
  it('repeats work that fails because the database is unavailable or slow', async () => {
    const faults = [new Fault('store_unavailable', 'away'), new Fault('timed_out', 'slow')];
    const outcome = await retryWhileUnavailable(async () => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      return 'done';
    });
    expect(outcome).to.equal('done');
  });

  it('throws the fault after the timeout, and any other error at once', async () => {
    const unavailable = new Fault('store_unavailable', 'away');
    expect(await rejection(retryWhileUnavailable(() => Promise.reject(unavailable), 0))).to.equal(unavailable);
    const rejected = new Fault('store_rejected', 'no');
    expect(await rejection(retryWhileUnavailable(() => Promise.reject(rejected)))).to.equal(rejected);
  });
});
