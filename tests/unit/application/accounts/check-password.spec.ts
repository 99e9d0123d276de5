import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { Fault } from '../../../../application/fault.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { janeKey, openService, withJane } from '../wired-service.ts';

const query = { type: 'CheckPassword', key: janeKey, supplied: 'secret' } as const;
const unknownUser = { ...query, key: keyOf(addressOf('unknown@example.com')) };

describe('CheckPassword', () => {
  for (const headerCheck of [true, false]) {
    it(`accepts the password of the user, and refuses a wrong password, with headerCheck: ${headerCheck}`, async () => {
      const service = await openService({ policy: { headerCheck } });
      await withJane(service);
      expect(keyOf(rightOf(await service.queries.dispatch(query)).user.email.address)).to.equal(janeKey);
      const wrong = await service.queries.dispatch({ ...query, supplied: 'Secret' });
      expect(leftOf(wrong)).to.deep.equal({ code: 'wrong_password' });
      expect(leftOf(await service.queries.dispatch(unknownUser))).to.deep.equal({ code: 'user_not_found' });
    });
  }

  it('verifies as many passwords for an unknown user as for a wrong password', async () => {
    const hash = new RecordingHash(await sha256.open({}, silentContext));
    const service = await openService({ hash });
    await withJane(service);
    await service.queries.dispatch({ ...query, supplied: 'wrong' });
    const wrong = hash.checked.splice(0).length;
    expect(wrong).to.be.above(0);
    await service.queries.dispatch(unknownUser);
    expect(hash.checked).to.have.length(wrong);
  });

  it('writes nothing', async () => {
    const service = await openService();
    await withJane(service);
    const before = await service.store.now(janeKey);
    await service.queries.dispatch(query);
    expect(await service.store.now(janeKey)).to.deep.equal(before);
  });

  it('rejects with the fault of the store', async () => {
    const service = await openService();
    service.store.fault = new Fault('store_unavailable', 'the store does not answer');
    expect(await rejection(service.queries.dispatch(query))).to.equal(service.store.fault);
  });
});
