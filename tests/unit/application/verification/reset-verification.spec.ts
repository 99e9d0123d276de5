import { expect } from 'chai';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../wired-service.ts';

const resetting = { type: 'ResetVerification', key: janeKey, supplied: 'secret' } as const;

describe('ResetVerification', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService();
  });

  for (const verified of [true, false]) {
    it(`resets a user with verified: ${verified}`, async () => {
      const before = await withJane(service, {
        email: { address: jane, verification: { verified, token: 'a token' } },
      });
      const after = userIn(await service.commands.dispatch(resetting));
      const email = { address: jane, verification: { verified: false, token: null } };
      const lastUpdateTime = 1_800_000_000_000;
      // Whoever was verified once is not deleted for being unverified.
      const mark = verified ? { unverifiedTime: lastUpdateTime } : {};
      expect(after).to.deep.equal({ ...before, email, lastUpdateTime, ...mark });
      expect((await service.store.now(janeKey))?.user).to.deep.equal(after);
    });
  }

  it('writes nothing if the verification is already reset', async () => {
    const before = await withJane(service);
    const stored = await service.store.now(janeKey);
    expect(userIn(await service.commands.dispatch(resetting))).to.deep.equal(before);
    expect(await service.store.now(janeKey)).to.deep.equal(stored);
  });

  it('refuses a wrong password and an unknown user', async () => {
    const before = await withJane(service, {
      email: { address: jane, verification: { verified: true, token: 'a token' } },
    });
    expect(leftOf(await service.commands.dispatch({ ...resetting, supplied: 'x' }))).to.deep.equal({
      code: 'wrong_password',
    });
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await service.commands.dispatch({ ...resetting, key }))).to.deep.equal({ code: 'user_not_found' });
    expect((await service.store.now(janeKey))?.user).to.deep.equal(before);
  });

  it('fails with contended if other writers keep changing the user', async () => {
    await withJane(service, { email: { address: jane, verification: { verified: true, token: 'a token' } } });
    service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
    expect(leftOf(await service.commands.dispatch(resetting))).to.deep.equal({ code: 'contended' });
  });
});
