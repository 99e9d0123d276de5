import { expect } from 'chai';
import { keyOf } from '../../../../domain/email-address.ts';
import { resetVerification } from '../../../../domain/verification.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../wired-service.ts';

const token = '0b8f3c55-6b43-4d5a-9d1e-0f6f7a3c2b11';
const confirmation = { type: 'ConfirmVerification', key: janeKey, token } as const;

describe('ConfirmVerification', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService();
  });
  const outstanding = (verificationToken: string | null) =>
    withJane(service, { email: { address: jane, verification: { verified: false, token: verificationToken } } });

  it('verifies the user of the token without a password', async () => {
    const before = await outstanding(token);
    const after = userIn(await service.commands.dispatch(confirmation));
    expect(after).to.deep.equal({
      ...before,
      email: { address: jane, verification: { verified: true, token } },
      lastUpdateTime: 1_800_000_000_000,
    });
    expect((await service.store.now(janeKey))?.user).to.deep.equal(after);
  });

  it('returns the same the second time, and writes nothing', async () => {
    await outstanding(token);
    const first = userIn(await service.commands.dispatch(confirmation));
    const version = (await service.store.now(janeKey))?.version;
    service.clock.time += 60_000;
    expect(userIn(await service.commands.dispatch(confirmation))).to.deep.equal(first);
    expect((await service.store.now(janeKey))?.version).to.equal(version);
  });

  for (const [why, held, given] of [
    ['another token', token, '0b8f3c55-6b43-4d5a-9d1e-0f6f7a3c2b12'],
    ['a part of the token', token, token.slice(0, -1)],
    ['the token in capitals', token, token.toUpperCase()],
    ['an empty token', token, ''],
    ['any token when none is outstanding', null, token],
    ['an empty token when none is outstanding', null, ''],
    ['the word null when none is outstanding', null, 'null'],
    ['dashes in the place of a token when none is outstanding', null, '-'.repeat(36)],
  ] as const) {
    it(`refuses ${why}, and changes nothing`, async () => {
      const before = await outstanding(held);
      const refused = await service.commands.dispatch({ ...confirmation, token: given });
      expect(leftOf(refused)).to.deep.equal({ code: 'token_mismatch' });
      expect((await service.store.now(janeKey))?.user).to.deep.equal(before);
    });
  }

  it('refuses an unknown user like a wrong token, if unknown users are hidden', async () => {
    const hiding = await openService({ policy: { hideUnknownUsers: true } });
    const key = keyOf(addressOf('unknown@example.com'));
    const refused = await hiding.commands.dispatch({ ...confirmation, key });
    expect(leftOf(refused)).to.deep.equal({ code: 'token_mismatch' });
  });

  it('refuses an unknown user', async () => {
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await service.commands.dispatch({ ...confirmation, key }))).to.deep.equal({ code: 'user_not_found' });
  });

  it('refuses a token that was reset between the read and the write', async () => {
    await outstanding(token);
    service.store.interrupt(1, janeKey, (user) => resetVerification(user, 1_800_000_000_000));
    expect(leftOf(await service.commands.dispatch(confirmation))).to.deep.equal({ code: 'token_mismatch' });
    expect((await service.store.now(janeKey))?.user.email).to.deep.include({
      verification: { verified: false, token: null },
    });
  });

  it('fails with contended if other writers keep changing the user', async () => {
    await outstanding(token);
    service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
    expect(leftOf(await service.commands.dispatch(confirmation))).to.deep.equal({ code: 'contended' });
  });

  describe('with a token lifetime', () => {
    const lifetime = 60_000;
    const issued = 1_800_000_000_000;
    beforeEach(async () => {
      service = await openService({ tokenLifetime: lifetime });
      await withJane(service, {
        email: { address: jane, verification: { verified: false, token, tokenTime: issued } },
      });
    });

    it('verifies until the token expires', async () => {
      service.clock.time = issued + lifetime - 1;
      expect(userIn(await service.commands.dispatch(confirmation)).email.verification.verified).to.equal(true);
    });

    it('refuses an expired token, and changes nothing', async () => {
      service.clock.time = issued + lifetime;
      expect(leftOf(await service.commands.dispatch(confirmation))).to.deep.equal({ code: 'token_expired' });
      expect((await service.store.now(janeKey))?.user.email.verification.verified).to.equal(false);
    });

    it('reports a wrong token as wrong, and does not reveal that the outstanding one has expired', async () => {
      service.clock.time = issued + lifetime;
      const refused = await service.commands.dispatch({ ...confirmation, token: 'another' });
      expect(leftOf(refused)).to.deep.equal({ code: 'token_mismatch' });
    });

    it('accepts the link again after the verification, regardless of its age', async () => {
      const verified = userIn(await service.commands.dispatch(confirmation));
      service.clock.time = issued + 1000 * lifetime;
      expect(userIn(await service.commands.dispatch(confirmation))).to.deep.equal(verified);
    });
  });
});
