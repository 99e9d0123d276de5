import { expect } from 'chai';
import { createAdminClient } from '../../../../sdk/client/index.ts';
import { WebhookReceiver } from '../../../../sdk/contract/http/webhook-receiver.ts';
import { startLatchkey } from '../../../../sdk/testing/start-latchkey.ts';
import { eventually } from '../../../support/eventually.ts';

const email = 'jane@example.com';
const password = 'a password that replaces it';
const passwordHash = { algorithm: 'sha256', serverSideHash: true } as const;

describe('the client of a service with recovery', () => {
  it('gets the token with deliver: caller, and replaces the password, of which receivers are told', async () => {
    const receiver = await WebhookReceiver.open();
    const latchkey = await startLatchkey({
      passwordHash,
      recovery: { deliver: 'caller' },
      events: { webhooks: [{ url: receiver.url, secret: receiver.secret }] },
    });
    try {
      const { client } = latchkey;
      await client.createUser({ email: { address: email }, password: 'forgotten' });
      const requested = await client.requestRecovery({ email });
      const token = requested.ok ? (requested.issued?.token ?? '') : '';
      expect(requested.ok && requested.issued).to.include({ address: email });
      const wrong = await client.confirmRecovery({ email, token: 'wrong', password });
      if (wrong.ok) throw new Error('a wrong token was accepted');
      expect(wrong.problem.code).to.equal('token_mismatch');
      expect(wrong.problem.detail).to.not.match(/verification/i);
      expect(await client.confirmRecovery({ email, token, password })).to.deep.equal({ ok: true });
      expect(await client.checkPassword({ email, password })).to.deep.equal({ ok: true });
      await eventually(async () => {
        const types = receiver.received.map((event) => Object(receiver.verified(event)).type);
        expect(types).to.have.members(['user.created', 'recovery.sent', 'password.changed', 'verification.confirmed']);
      }, 10_000);
      for (const event of receiver.received)
        expect(JSON.stringify(receiver.verified(event)))
          .not.to.match(/recoveryDigest|recoveryTime/)
          .and.not.contain(token);
    } finally {
      await latchkey.stop();
      await receiver.close();
    }
  });

  it('is refused while more requests wait than are answered in time, for every address alike', async () => {
    const latchkey = await startLatchkey({
      passwordHash,
      recovery: { pageUrl: 'https://app.example.com/new-password', lifetime: '10s', resendInterval: '1s' },
    });
    try {
      const { client, mails } = latchkey;
      const known = Array.from({ length: 60 }, (_, n) => `known-${n}@example.com`);
      for (const address of known) await client.createUser({ email: { address }, password: 'forgotten' });
      const addresses = known.flatMap((address, n) => [address, `unknown-${n}@example.com`]);
      const results = await Promise.all(addresses.map((address) => client.requestRecovery({ email: address })));
      const refused = results.flatMap((result) => (result.ok ? [] : [result]));
      // Fifty can wait, five for each second of the lifetime. Those that are answered meanwhile make room for others.
      expect(refused.length).to.be.within(1, 70);
      for (const { problem, retryAfterSeconds } of refused)
        expect([problem.status, problem.code, problem.detail, retryAfterSeconds]).to.deep.equal([
          503,
          'overloaded',
          'Too many requests for a new password are waiting. Try again later.',
          30,
        ]);
      const accepted = addresses.filter((_, n) => results[n]?.ok);
      const expected = accepted.filter((address) => address.startsWith('known'));
      expect(expected.length, 'known and unknown addresses').to.be.within(1, accepted.length - 1);
      await eventually(async () => expect(mails.map(({ to }) => to)).to.have.members(expected), 10_000);
      expect((await client.requestRecovery({ email: 'another@example.com' })).ok).to.equal(true);
    } finally {
      await latchkey.stop();
    }
  });

  it('requests a mail in the language of the person who asks', async () => {
    const latchkey = await startLatchkey({
      passwordHash,
      email: { locales: ['de'] },
      recovery: { pageUrl: 'https://app.example.com/new-password' },
    });
    try {
      const { client, mails } = latchkey;
      await client.createUser({ email: { address: email }, password: 'forgotten' });
      expect(await client.requestRecovery({ email, acceptLanguage: 'de-AT' })).to.deep.equal({
        ok: true,
        issued: null,
      });
      await eventually(async () => expect(mails.map(({ subject }) => subject)).to.have.length(1), 10_000);
      expect(mails[0]?.subject).to.equal('Wählen Sie ein neues Passwort');
      const token = /token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? '';
      expect(await client.confirmRecovery({ email, token, password })).to.deep.equal({ ok: true });
    } finally {
      await latchkey.stop();
    }
  });

  it('requests the mails about a new address in the language of the person who changes it', async () => {
    const latchkey = await startLatchkey({
      passwordHash,
      server: { publicUrl: 'https://users.example.com' },
      email: { locales: ['de'], confirmChange: true },
    });
    try {
      const { client, mails } = latchkey;
      const jane = { email, password, acceptLanguage: 'de-AT' };
      await client.createUser({ email: { address: email }, password });
      for (const change of [client.patchUser.bind(client), client.updateUser.bind(client)]) {
        const sent = mails.length;
        const changed = await change(jane, { email: { address: `jane-${sent}@example.org` } });
        expect(changed.ok && changed.user.email.pending).to.equal(`jane-${sent}@example.org`);
        await eventually(async () => expect(mails).to.have.length(sent + 2), 10_000);
        for (const { subject } of mails.slice(sent)) expect(subject).to.include('Adresse');
      }
    } finally {
      await latchkey.stop();
    }
  });

  it('lets administrators mail a link, and list the mails that wait', async () => {
    const credentials = { application: 'support', secret: 'of the support team' };
    const latchkey = await startLatchkey({
      passwordHash,
      admin: { keys: [credentials] },
      recovery: { pageUrl: 'https://app.example.com/new-password' },
    });
    try {
      const administration = createAdminClient({ url: latchkey.adminUrl, credentials });
      await latchkey.client.createUser({ email: { address: email }, password });
      const started = await administration.startRecovery(email);
      expect(started.ok && started.user.email.address).to.equal(email);
      await eventually(async () => expect(latchkey.mails.map(({ to }) => to)).to.deep.equal([email]), 10_000);
      await eventually(
        async () => expect(await administration.listMails()).to.deep.equal({ ok: true, mails: [], next: null }),
        10_000,
      );
    } finally {
      await latchkey.stop();
    }
  });
});
