import { expect } from 'chai';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { janeKey, openService, type Service, withJane } from '../wired-service.ts';

const deletion = { type: 'DeleteUser', key: janeKey, supplied: 'secret' } as const;

describe('DeleteUser', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService();
  });

  it('removes the user and returns it', async () => {
    const before = await withJane(service);
    expect(userIn(await service.commands.dispatch(deletion))).to.deep.equal(before);
    expect(await service.store.now(janeKey)).to.equal(undefined);
    expect(leftOf(await service.commands.dispatch(deletion))).to.deep.equal({ code: 'user_not_found' });
  });

  it('refuses a wrong password and an unknown user, and removes nothing', async () => {
    const before = await withJane(service);
    for (const supplied of ['wrong', undefined]) {
      expect(leftOf(await service.commands.dispatch({ ...deletion, supplied }))).to.deep.equal({
        code: 'wrong_password',
      });
    }
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await service.commands.dispatch({ ...deletion, key }))).to.deep.equal({ code: 'user_not_found' });
    expect((await service.store.now(janeKey))?.user).to.deep.equal(before);
  });

  it('returns the user as other writers changed it meanwhile', async () => {
    await withJane(service);
    service.store.interrupt(1, janeKey, (user) => ({ ...user, creationTime: 7 }));
    expect(userIn(await service.commands.dispatch(deletion)).creationTime).to.equal(7);
  });

  it('fails with contended if other writers keep changing the user', async () => {
    await withJane(service);
    service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
    expect(leftOf(await service.commands.dispatch(deletion))).to.deep.equal({ code: 'contended' });
  });

  it('succeeds for exactly one of many concurrent requests', async () => {
    await withJane(service);
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => service.commands.dispatch(deletion)));
    expect(outcomes.filter(({ _tag }) => _tag === 'Right')).to.have.length(1);
  });
});
