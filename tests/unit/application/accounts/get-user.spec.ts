import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { Fault } from '../../../../application/fault.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, userIn } from '../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { janeKey, openService, withJane } from '../wired-service.ts';

const query = { type: 'GetUser', key: janeKey, supplied: 'secret' } as const;
const unknownUser = { ...query, key: keyOf(addressOf('unknown@example.com')) };

describe('GetUser', () => {
  it('returns the user, regardless of the case of the address', async () => {
    const service = await openService();
    const user = await withJane(service);
    expect(userIn(await service.queries.dispatch(query))).to.deep.equal(user);
    const key = keyOf(addressOf('JANE@EXAMPLE.COM'));
    expect(userIn(await service.queries.dispatch({ ...query, key }))).to.deep.equal(user);
  });

  it('refuses a wrong and a missing password', async () => {
    const service = await openService();
    await withJane(service);
    for (const supplied of ['Secret', '', undefined]) {
      expect(leftOf(await service.queries.dispatch({ ...query, supplied }))).to.deep.equal({ code: 'wrong_password' });
    }
  });

  it('needs no password if headerCheck is false', async () => {
    const service = await openService({ policy: { headerCheck: false } });
    const user = await withJane(service);
    expect(userIn(await service.queries.dispatch({ ...query, supplied: undefined }))).to.deep.equal(user);
    expect(leftOf(await service.queries.dispatch(unknownUser))).to.deep.equal({ code: 'user_not_found' });
  });

  it('verifies as many passwords for an unknown user as for a wrong password', async () => {
    const hash = new RecordingHash(await sha256.open({}, silentContext));
    const service = await openService({ hash });
    await withJane(service);
    await service.queries.dispatch({ ...query, supplied: 'wrong' });
    const wrong = hash.checked.splice(0).length;
    expect(leftOf(await service.queries.dispatch(unknownUser))).to.deep.equal({ code: 'user_not_found' });
    expect(hash.checked).to.have.length(wrong);
  });

  it('rejects with the fault of the store', async () => {
    const service = await openService();
    service.store.fault = new Fault('store_unavailable', 'the store does not answer');
    expect(await rejection(service.queries.dispatch(query))).to.equal(service.store.fault);
  });
});
