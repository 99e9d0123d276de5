import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import { eachUser, retryWhileUnavailable } from '../../../../bootstrap/commands/long-runs.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { openService } from '../../../unit/application/wired-service.ts';

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

describe('eachUser', () => {
  it('fails after the users in progress, so that none of them meets a closed store', async () => {
    const { store, queries } = await openService();
    for (const name of ['ann', 'bea', 'cleo']) await store.insert(userOf(`${name}@example.com`));
    const ended: string[] = [];
    const refused = new Fault('store_rejected', 'no');
    const work = async ({ email }: { readonly email: { readonly address: string } }): Promise<void> => {
      if (email.address.startsWith('ann')) throw refused;
      await sleep(20);
      ended.push(email.address);
    };
    const transfer = { queries, requireListing: () => undefined };
    expect(await rejection(eachUser(transfer, { command: 'ids' }, work, () => undefined))).to.equal(refused);
    expect(ended).to.deep.equal(['bea@example.com', 'cleo@example.com']);
  });
});
