import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Account, newAddress, newPassword } from './client.ts';
import type { Harness, TestService } from './harness.ts';
import { linkOf, uuid } from './mails.ts';

const sending = (harness: Harness): void => {
  describe('POST /verify', () => {
    it('200: stores a token with the user, who stays unverified, and mails it', async () => {
      const service = await harness.service();
      const account = await service.client.create();
      const query = { email: account.address };
      const response = await service.client.post('/verify', { query, password: account.password });
      expect(response.status).to.equal(200);
      const { verificationToken, verified } = response.user.email;
      expect(verified).to.equal(false);
      expect(verificationToken).to.match(uuid);
      expect(response.user.lastUpdateTime).to.be.above(account.user.lastUpdateTime);
      expect((await service.client.read(account)).text).to.equal(response.text);
      const [mail, ...others] = await service.mailsTo(account.address);
      expect(others).to.be.empty;
      expect(mail?.from).to.equal('no-reply@example.com');
      expect(mail?.subject).to.equal('Account Verification');
      expect(mail?.text).to.include(linkOf(account.address, String(verificationToken)));
      expect(mail?.html).to.include(linkOf(account.address, String(verificationToken)).replaceAll('&', '&amp;'));
    });

    it('replaces the previous token, and makes a verified user unverified', async () => {
      const { client, mailsTo } = await harness.service();
      const account = await client.create();
      const email = account.address;
      const first = await client.token(account);
      await client.get('/verify', { query: { email, token: first } });
      const second = await client.token(account);
      expect(second).to.not.equal(first);
      expect((await client.read(account)).user.email.verified).to.equal(false);
      expect((await client.get('/verify', { query: { email, token: first } })).refusal).to.equal('400 token_mismatch');
      expect((await client.get('/verify', { query: { email, token: second } })).status).to.equal(200);
      expect(await mailsTo(email)).to.have.length(2);
    });

    it('percent-encodes the address in the link', async () => {
      const { client, mailsTo } = await harness.service();
      const account = await client.create({ address: `a&b=c+ü%${newAddress()}` });
      const token = await client.token(account);
      const [mail] = await mailsTo(account.address);
      expect(mail?.text).to.include(linkOf(account.address, token));
      expect(mail?.text).to.include('a%26b%3Dc%2B%C3%BC%25');
    });

    it('404: no user has the address, and no mail is sent', async () => {
      const { client, mailsTo } = await harness.service();
      const email = newAddress();
      const response = await client.post('/verify', { query: { email }, password: newPassword() });
      expect(response.refusal).to.equal('404 user_not_found');
      expect(await mailsTo(email)).to.be.empty;
    });

    it('401 with the wrong password, and no mail is sent', async () => {
      const { client, mailsTo } = await harness.service();
      const account = await client.create();
      const response = await client.post('/verify', { query: { email: account.address }, password: newPassword() });
      expect(response.refusal).to.equal('401 wrong_password');
      expect(await mailsTo(account.address)).to.be.empty;
      expect((await client.read(account)).user).to.deep.equal(account.user);
    });
  });
};

const confirming = (harness: Harness): void => {
  const outstanding = async (): Promise<TestService & { account: Account; token: string }> => {
    const service = await harness.service();
    const account = await service.client.create();
    return { ...service, account, token: await service.client.token(account) };
  };

  describe('GET /verify', () => {
    it('200 without credentials: the verified user as JSON, including the token', async () => {
      const { client, account, token } = await outstanding();
      const query = { email: account.address, token };
      const response = await client.get('/verify', { query, authorization: null });
      expect(response.status).to.equal(200);
      expect(response.user.email).to.deep.equal({ address: account.address, verified: true, verificationToken: token });
      expect((await client.read(account)).text).to.equal(response.text);
    });

    it('responds with JSON to response_type=json, ignoring case', async () => {
      const { client, account, token } = await outstanding();
      for (const response_type of ['json', 'JSON', 'Json', '']) {
        const response = await client.get('/verify', { query: { email: account.address, token, response_type } });
        expect(response.user.email.verified).to.equal(true);
      }
    });

    it('303 to /verify/success with response_type=html, ignoring case; the redirect contains neither address nor token', async () => {
      const { client, account, token } = await outstanding();
      for (const response_type of ['html', 'HTML']) {
        const query = { email: account.address, token, response_type };
        const response = await client.get('/verify', { query, authorization: null });
        expect(response.status).to.equal(303);
        expect(response.headers.get('location')).to.equal('/verify/success');
        expect(response.headers.get('referrer-policy')).to.equal('no-referrer');
        expect(response.headers.get('cache-control')).to.equal('no-store');
        expect(response.headers.get('content-type')).to.equal(null);
        expect(response.text).to.equal('');
      }
      expect((await client.read(account)).user.email.verified).to.equal(true);
    });

    it('accepts the link a second time, which changes nothing', async () => {
      const { client, account, token } = await outstanding();
      const query = { email: account.address.toUpperCase(), token };
      const first = await client.get('/verify', { query });
      const second = await client.get('/verify', { query });
      expect(second.status).to.equal(200);
      expect(second.text).to.equal(first.text);
    });

    it('400: the token does not match, or there is none', async () => {
      const { client, account } = await outstanding();
      const fresh = await client.create();
      for (const email of [account.address, fresh.address]) {
        const response = await client.get('/verify', { query: { email, token: randomUUID() } });
        expect(response.refusal).to.equal('400 token_mismatch');
      }
      expect((await client.read(account)).user.email.verified).to.equal(false);
    });

    it('404: no user has the address', async () => {
      const { client } = await harness.service();
      const response = await client.get('/verify', { query: { email: newAddress(), token: randomUUID() } });
      expect(response.refusal).to.equal('404 user_not_found');
    });
  });
};

const resetting = (harness: Harness): void => {
  describe('POST /verify/reset', () => {
    it('200: unverified and without a token, in any previous state', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const { address: email, password } = account;
      const token = await client.token(account);
      await client.get('/verify', { query: { email, token } });
      const response = await client.post('/verify/reset', { query: { email }, password });
      expect(response.status).to.equal(200);
      expect(response.user.email).to.deep.equal({ address: email, verified: false, verificationToken: null });
      expect((await client.read(account)).text).to.equal(response.text);
      expect((await client.get('/verify', { query: { email, token } })).refusal).to.equal('400 token_mismatch');
    });

    it('does not change a user who is reset already, including lastUpdateTime', async () => {
      const { client } = await harness.service();
      const { address: email, password, user } = await client.create();
      const response = await client.post('/verify/reset', { query: { email }, password });
      expect(response.user).to.deep.equal(user);
    });

    it('404: no user has the address', async () => {
      const { client } = await harness.service();
      const response = await client.post('/verify/reset', { query: { email: newAddress() }, password: newPassword() });
      expect(response.refusal).to.equal('404 user_not_found');
    });

    it('401 with the wrong password, and the token stays', async () => {
      const { client } = await harness.service();
      const account = await client.create();
      const token = await client.token(account);
      const query = { email: account.address };
      const response = await client.post('/verify/reset', { query, password: newPassword() });
      expect(response.refusal).to.equal('401 wrong_password');
      expect((await client.read(account)).user.email.verificationToken).to.equal(token);
    });
  });
};

/** The verification of addresses (docs/verification.md). */
export const verification = (harness: Harness): void => {
  sending(harness);
  confirming(harness);
  resetting(harness);
};
