import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Account, newAddress } from './client.ts';
import type { Harness } from './harness.ts';

/** A service with an outbox and these options of `email`. Each `title` is a separate instance. */
const mailing = async (harness: Harness, options: object, title = 'One instance') => {
  const directory = `${await harness.file('mails-of', '')}-${JSON.stringify(options).replaceAll(/\W/g, '')}`;
  const email = { type: 'outbox', directory, fromAddress: 'sender@example.com', ...options };
  const { client } = await harness.service({ email, openApi: { title } });
  const send = ({ address, password }: Account) => client.post('/verify', { query: { email: address }, password });
  const mailsTo = async (address: string) => (await harness.mailsIn(directory)).filter(({ to }) => to === address);
  const follow = ({ address }: Account, token: string, response_type = 'json') =>
    client.get('/verify', { query: { email: address, token, response_type }, authorization: null });
  return { client, send, mailsTo, follow };
};

/** Waits until the clock has advanced by a number of milliseconds. */
const waitForMs = async (milliseconds: number): Promise<void> => {
  const end = Date.now() + milliseconds;
  while (Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 1));
};

const lifetimes = (harness: Harness): void => {
  const brief = { tokenLifetime: '1ms' };
  const long = { tokenLifetime: '36500d' };

  describe('email.tokenLifetime', () => {
    it('400 after expiry: the user does not change, and a wrong token is still reported as wrong', async () => {
      const { client, follow } = await mailing(harness, brief);
      const account = await client.create();
      const token = await client.token(account);
      await waitForMs(2);
      expect((await follow(account, token)).refusal).to.equal('400 token_expired');
      expect((await follow(account, 'another token')).refusal).to.equal('400 token_mismatch');
      expect((await client.read(account)).user.email).to.include({ verified: false, verificationToken: token });
    });

    it('400 with a page that says what to do', async () => {
      const { client, follow } = await mailing(harness, brief);
      const account = await client.create();
      const token = await client.token(account);
      await waitForMs(2);
      const response = await follow(account, token, 'html');
      expect(response.status).to.equal(400);
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(response.text)
        .to.include('This link has expired')
        .and.include('works for 0.001\u00a0seconds')
        .and.include('Ask for a new email');
    });

    it('200 before expiry, also on another instance', async () => {
      const { client } = await mailing(harness, long);
      const other = await mailing(harness, long, 'Another instance');
      const account = await client.create();
      expect((await other.follow(account, await client.token(account))).user.email.verified).to.equal(true);
    });

    it('starts with the token, not with the last update', async () => {
      const { client } = await mailing(harness, long);
      const account = await client.create();
      const token = await client.token(account);
      const { address, password } = account;
      const { follow } = await mailing(harness, { tokenLifetime: '1s' });
      await waitForMs(1_000);
      const body = { email: { address }, changed: true };
      expect((await client.put('/users', { body, password })).status).to.equal(200);
      expect((await follow(account, token)).refusal).to.equal('400 token_expired');
    });

    it('200 and 303 for a link that was used before, however old it is', async () => {
      const { client, follow } = await mailing(harness, long);
      const expiring = await mailing(harness, brief);
      const account = await client.create();
      const token = await client.token(account);
      await follow(account, token);
      await waitForMs(2);
      expect((await expiring.follow(account, token)).user.email.verified).to.equal(true);
      expect((await expiring.follow(account, token, 'html')).status).to.equal(303);
    });

    it('starts with the update for a token that was set by a body', async () => {
      const { client } = await mailing(harness, long);
      const account = await client.create();
      const { address, password } = account;
      const ofBody = randomUUID();
      const body = { email: { address, verified: false, verificationToken: ofBody } };
      await client.put('/users', { body, password });
      await waitForMs(2);
      const expiring = await mailing(harness, brief);
      expect((await expiring.follow(account, ofBody)).refusal).to.equal('400 token_expired');
      const { follow } = await mailing(harness, long);
      expect((await follow(account, ofBody)).user.email.verified).to.equal(true);
    });
  });
};

const intervals = (harness: Harness): void => {
  const slow = { resendInterval: '1h' };

  describe('email.resendInterval', () => {
    it('429 with Retry-After during the interval: no mail, and the token stays', async () => {
      const { client, send, mailsTo } = await mailing(harness, slow);
      const account = await client.create();
      const first = await send(account);
      expect(first.status).to.equal(200);
      const second = await send(account);
      expect(second.refusal).to.equal('429 resend_too_soon');
      expect(second.headers.get('retry-after')).to.match(/^\d+$/);
      expect(Number(second.headers.get('retry-after'))).to.be.within(3_000, 3_600);
      expect((await client.read(account)).text).to.equal(first.text);
      expect(await mailsTo(account.address)).to.have.length(1);
    });

    it('200 after the interval', async () => {
      const { client, send, mailsTo } = await mailing(harness, { resendInterval: '1ms' });
      const account = await client.create();
      await send(account);
      await waitForMs(2);
      expect((await send(account)).status).to.equal(200);
      expect(await mailsTo(account.address)).to.have.length(2);
    });

    it('sends exactly one mail for 32 concurrent requests to two instances', async () => {
      const one = await mailing(harness, slow);
      const other = await mailing(harness, slow, 'Another instance');
      const account = await one.client.create();
      const responses = await Promise.all(Array.from({ length: 32 }, (_, n) => (n % 2 ? one : other).send(account)));
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.have.length(1);
      expect(statuses.filter((status) => status !== 200 && status !== 429)).to.deep.equal([]);
      expect(await one.mailsTo(account.address)).to.have.length(1);
    });

    it('is not ended by a reset or an update', async () => {
      const { client, send } = await mailing(harness, slow);
      const account = await client.create();
      const { address, password } = account;
      await send(account);
      const body = { email: { address, verified: false, verificationToken: null } };
      await client.put('/users', { body, password });
      expect((await send(account)).refusal).to.equal('429 resend_too_soon');
      await client.post('/verify/reset', { query: { email: address }, password });
      expect((await send(account)).refusal).to.equal('429 resend_too_soon');
    });

    it('belongs to the user: changing the address, also back again, does not end it', async () => {
      const { client, send, mailsTo } = await mailing(harness, slow);
      const account = await client.create();
      const { address, password } = account;
      expect((await send(account)).status).to.equal(200);
      const move = async (from: string, to: string) =>
        expect(
          (await client.put('/users', { query: { email: from }, body: { email: { address: to } }, password })).status,
        ).to.equal(200);
      const other = newAddress();
      await move(address, other);
      expect((await send({ ...account, address: other })).refusal).to.equal('429 resend_too_soon');
      await move(other, address);
      expect((await send(account)).refusal).to.equal('429 resend_too_soon');
      expect(await mailsTo(other)).to.have.length(0);
      expect(await mailsTo(address)).to.have.length(1);
    });

    it('200 at a new address after the interval', async () => {
      const { client, send, mailsTo } = await mailing(harness, { resendInterval: '1ms' });
      const account = await client.create();
      await send(account);
      const address = newAddress();
      const { password } = account;
      await client.put('/users', { query: { email: account.address }, body: { email: { address } }, password });
      await waitForMs(2);
      expect((await send({ ...account, address })).status).to.equal(200);
      expect(await mailsTo(address)).to.have.length(1);
    });

    it('401 with the wrong password during the interval', async () => {
      const { client, send } = await mailing(harness, slow);
      const account = await client.create();
      await send(account);
      expect((await send({ ...account, password: 'wrong' })).refusal).to.equal('401 wrong_password');
    });

    it('500 without an interval when the mail cannot be sent', async () => {
      const directory = await harness.file('no-folder', 'a file');
      const email = { type: 'outbox', directory, fromAddress: 'sender@example.com', ...slow };
      const { client } = await harness.service({ email });
      const account = await client.create();
      for (const query of [{ email: account.address }, { email: account.address }]) {
        const response = await client.post('/verify', { query, password: account.password });
        expect(response.refusal).to.equal('500 mail_failed');
      }
    });

    it('absent: mails have no interval', async () => {
      const { client, send, mailsTo } = await mailing(harness, {});
      const account = await client.create();
      for (const status of [200, 200, 200]) expect((await send(account)).status).to.equal(status);
      expect(await mailsTo(account.address)).to.have.length(3);
    });
  });
};

/** The lifetime of tokens and the interval between mails, which apply to all instances. */
export const verificationTimes = (harness: Harness): void => {
  lifetimes(harness);
  intervals(harness);
};
