import { expect } from 'chai';
import { Fault } from '../../../../application/fault.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { entityTagOf } from '../../../../domain/entity-tag.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../wired-service.ts';

const sending = {
  type: 'SendVerification',
  key: janeKey,
  supplied: 'secret',
  baseUrl: 'https://accounts.example.com',
} as const;

describe('SendVerification', () => {
  let service: Service;
  beforeEach(async () => {
    service = await openService();
  });
  const stored = async () => (await service.store.now(janeKey))?.user;

  it('stores a token, mails it to the stored address, and returns the user', async () => {
    const before = await withJane(service);
    const after = userIn(await service.commands.dispatch(sending));
    const time = 1_800_000_000_000;
    const email = {
      address: jane,
      verification: { verified: false, token: 'token-1', tokenTime: time },
      mailTime: time,
    };
    expect(after).to.deep.equal({ ...before, email, lastUpdateTime: 1_800_000_000_000 });
    expect(await stored()).to.deep.equal(after);
    const link = 'https://accounts.example.com/verify?email=Jane%40example.com&token=token-1&response_type=html';
    expect(service.mailer.mails).to.have.length(1);
    expect(service.mailer.mails[0]).to.include({ to: jane, text: link });
  });

  it('replaces the token every time, and resets a verified user', async () => {
    await withJane(service, { email: { address: jane, verification: { verified: true, token: 'old' } } });
    for (const token of ['token-1', 'token-2']) {
      const { email } = userIn(await service.commands.dispatch(sending));
      expect(email.address).to.equal(jane);
      expect(email.verification).to.include({ verified: false, token });
    }
    expect(service.mailer.mails.map(({ text }) => /token-\d/.exec(text)?.[0])).to.deep.equal(['token-1', 'token-2']);
  });

  it('mails nothing for a wrong password or an unknown user', async () => {
    const before = await withJane(service);
    expect(leftOf(await service.commands.dispatch({ ...sending, supplied: 'x' }))).to.deep.equal({
      code: 'wrong_password',
    });
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await service.commands.dispatch({ ...sending, key }))).to.deep.equal({ code: 'user_not_found' });
    expect(service.mailer.mails).to.deep.equal([]);
    expect(await stored()).to.deep.equal(before);
  });

  it('keeps the token if the mail fails, and replaces it with the next mail', async () => {
    await withJane(service);
    service.mailer.failing = true;
    expect(await rejection(service.commands.dispatch(sending))).to.include({ code: 'mail_failed' });
    expect((await stored())?.email.verification.token).to.equal('token-1');
    service.mailer.failing = false;
    expect(userIn(await service.commands.dispatch(sending)).email.verification.token).to.equal('token-2');
  });

  it('mails the stored token once if other writers change the user meanwhile', async () => {
    await withJane(service);
    service.store.interrupt(3, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
    const { email } = userIn(await service.commands.dispatch(sending));
    expect(service.mailer.mails.map(({ text }) => /token=([^&]+)/.exec(text)?.[1])).to.deep.equal([
      email.verification.token,
    ]);
  });

  it('mails nothing if the update fails', async () => {
    await withJane(service);
    service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
    expect(leftOf(await service.commands.dispatch(sending))).to.deep.equal({ code: 'contended' });
    expect(service.mailer.mails).to.deep.equal([]);
  });

  describe('with an interval between mails', () => {
    const interval = 60_000;
    beforeEach(async () => {
      service = await openService({ resendInterval: interval });
    });
    const send = () => service.commands.dispatch(sending);

    it('refuses the next mail too early, with the remaining seconds rounded up, and changes nothing', async () => {
      await withJane(service);
      const sent = userIn(await send());
      for (const [passed, retryAfterSeconds] of [
        [0, 60],
        [999, 60],
        [1_000, 59],
        [59_999, 1],
      ] as const) {
        service.clock.time = 1_800_000_000_000 + passed;
        expect(leftOf(await send())).to.deep.equal({ code: 'resend_too_soon', retryAfterSeconds });
      }
      expect(await stored()).to.deep.equal(sent);
      expect(service.mailer.mails).to.have.length(1);
      service.clock.time = 1_800_000_000_000 + interval;
      expect(userIn(await send()).email.verification.token).to.not.equal(sent.email.verification.token);
      expect(service.mailer.mails).to.have.length(2);
    });

    it('checks the password first', async () => {
      await withJane(service);
      await send();
      const refused = await service.commands.dispatch({ ...sending, supplied: 'wrong' });
      expect(leftOf(refused)).to.deep.equal({ code: 'wrong_password' });
    });

    it('sends one mail for 32 concurrent requests', async () => {
      await withJane(service);
      const outcomes = await Promise.all(Array.from({ length: 32 }, send));
      expect(outcomes.filter((outcome) => outcome._tag === 'Right')).to.have.length(1);
      expect(service.mailer.mails).to.have.length(1);
    });

    it('still applies after a reset', async () => {
      await withJane(service);
      await send();
      await service.commands.dispatch({ type: 'ResetVerification', key: janeKey, supplied: 'secret' });
      expect(leftOf(await send())).to.include({ code: 'resend_too_soon' });
    });

    it('allows the next mail at once if one failed; the token, lastUpdateTime and the entity tag stay', async () => {
      await withJane(service);
      service.mailer.failing = true;
      let issued: StoredUser | undefined;
      service.mailer.whileSending = async () => {
        issued = await service.store.now(janeKey);
      };
      expect(await rejection(send())).to.include({ code: 'mail_failed' });
      const after = await service.store.now(janeKey);
      expect(after?.version).to.not.equal(issued?.version);
      expect(after && entityTagOf(after)).to.equal(issued?.version);
      const { email, lastUpdateTime } = after?.user ?? {};
      expect(email?.verification).to.deep.include({ token: 'token-1', tokenTime: 1_800_000_000_000 });
      expect(email).to.not.have.property('mailTime');
      expect(lastUpdateTime).to.equal(1_800_000_000_000);
      service.mailer.failing = false;
      expect(userIn(await send()).email.verification.token).to.equal('token-2');
      expect(leftOf(await send())).to.include({ code: 'resend_too_soon' });
    });

    it('starts at the last update if the store keeps no times', async () => {
      const lastUpdateTime = 1_800_000_000_000 - 1_000;
      const email = { address: jane, verification: { verified: false, token: 'of another instance' } };
      await withJane(service, { email, lastUpdateTime });
      expect(leftOf(await send())).to.deep.equal({ code: 'resend_too_soon', retryAfterSeconds: 59 });
    });

    it('rejects with the fault of the mailer also if the store fails afterwards', async () => {
      await withJane(service);
      service.mailer.failing = true;
      service.mailer.whileSending = async () => {
        service.store.fault = new Fault('store_unavailable', 'down');
      };
      expect(await rejection(send())).to.include({ code: 'mail_failed' });
      service.store.fault = undefined;
      expect(leftOf(await send())).to.include({ code: 'resend_too_soon' });
    });

    it('keeps the time of a later mail if an earlier one fails', async () => {
      await withJane(service);
      service.mailer.failing = true;
      service.mailer.whileSending = async () => {
        service.mailer.whileSending = async () => {};
        service.mailer.failing = false;
        service.clock.time += interval;
        userIn(await send());
      };
      expect(await rejection(send())).to.include({ code: 'mail_failed' });
      expect(leftOf(await send())).to.include({ code: 'resend_too_soon' });
    });
  });
});
