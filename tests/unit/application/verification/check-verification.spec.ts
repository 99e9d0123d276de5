import { expect } from 'chai';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, withJane } from '../wired-service.ts';

const token = '0b8f3c55-6b43-4d5a-9d1e-0f6f7a3c2b11';
const check = { type: 'CheckVerification', key: janeKey, token } as const;
const email = { address: jane, verification: { verified: false, token, tokenTime: 1_800_000_000_000 } };

describe('CheckVerification', () => {
  it('returns the user of the token, and changes nothing', async () => {
    const service = await openService();
    const user = await withJane(service, { email });
    const before = await service.store.now(janeKey);
    expect(userIn(await service.queries.dispatch(check))).to.deep.equal(user);
    expect(await service.store.now(janeKey)).to.deep.equal(before);
  });

  it('refuses what ConfirmVerification refuses', async () => {
    const service = await openService({ tokenLifetime: 60_000 });
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await service.queries.dispatch({ ...check, key }))).to.deep.equal({ code: 'user_not_found' });
    await withJane(service, { email });
    const another = { ...check, token: 'another' };
    expect(leftOf(await service.queries.dispatch(another))).to.deep.equal({ code: 'token_mismatch' });
    service.clock.time += 60_000;
    expect(leftOf(await service.queries.dispatch(check))).to.deep.equal({ code: 'token_expired' });
    expect(leftOf(await service.queries.dispatch(another))).to.deep.equal({ code: 'token_mismatch' });
  });

  it('refuses an unknown user like a wrong token, if unknown users are hidden', async () => {
    const service = await openService({ policy: { hideUnknownUsers: true } });
    expect(leftOf(await service.queries.dispatch(check))).to.deep.equal({ code: 'token_mismatch' });
  });
});
