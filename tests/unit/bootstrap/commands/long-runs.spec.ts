import { expect } from 'chai';
import { simple } from '../../../../adapters/password-hashes/simple.ts';
import { Fault } from '../../../../application/fault.ts';
import { eachUser } from '../../../../bootstrap/commands/long-runs.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { openService } from '../../application/wired-service.ts';

describe('a command that passes over all users', () => {
  /** Resolves with the users whose work has ended, and the records that were reported. */
  const passOver = async (failure: Fault) => {
    const store = new InterruptedUserStore();
    for (let n = 0; n < 40; n++) await store.insert(userOf(`user-${n}@example.com`));
    const { queries } = await openService({ store, hash: await simple.open({}, silentContext) });
    const [done, reported]: [string[], unknown[]] = [[], []];
    await eachUser(
      { queries, requireListing: () => undefined },
      { command: 'reindex' },
      async ({ email: { address } }) => {
        if (address === 'user-1@example.com') throw failure;
        done.push(address);
      },
      ({ unreadable = [] }) => reported.push(...unreadable.map(({ record }) => record)),
    );
    return { done: done.length, reported };
  };

  it('reports a user whose record refuses a change, and goes on with the others', async () => {
    const damage = new Fault('store_rejected', 'a stored user has no readable events', {
      record: 'user-1@example.com',
    });
    expect(await passOver(damage)).to.deep.equal({ done: 39, reported: ['user-1@example.com'] });
  });

  it('ends where the store refuses every change', async () => {
    const refusal = new Fault('store_rejected', 'the user lacks a privilege');
    expect(await rejection(passOver(refusal))).to.equal(refusal);
  });
});
