import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createClient, type Outcome } from '../../../../sdk/client/index.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';

const hmacSecret = 'a secret of at least thirty-two bytes';
const issuer = 'https://issuer.example.com';
const freshToken = (): string => jwt.sign({}, hmacSecret, { issuer, subject: 'shop', expiresIn: 60 });
const staleToken = (): string => jwt.sign({}, hmacSecret, { issuer, subject: 'shop', expiresIn: -60 });

const unknownUser = { email: 'nobody@example.com', password: 'any' };
// The user is only looked up after successful authentication.
const isAuthenticated = (outcome: Outcome): boolean => !outcome.ok && outcome.problem.code === 'user_not_found';
const isUnauthorized = (outcome: Outcome): boolean => !outcome.ok && outcome.problem.code === 'client_unauthorized';

describe('the credentials of the client', () => {
  describe('of a service with keys', () => {
    let latchkey: TestLatchkey;
    const key = { application: 'schlüssel', secret: 'geheim: ñ 🔑' };
    before(async () => {
      latchkey = await startLatchkey({ auth: { keys: [key] } });
    });
    after(() => latchkey.stop());

    it('are an application and its secret, in UTF-8', async () => {
      expect(latchkey.credentials).to.deep.equal(key);
      expect(
        isAuthenticated(await createClient({ url: latchkey.url, credentials: key }).getUser(unknownUser)),
      ).to.equal(true);
    });

    it('are refused if they are wrong or missing', async () => {
      const wrong = createClient({ url: latchkey.url, credentials: { ...key, secret: 'wrong' } });
      expect(isUnauthorized(await wrong.getUser(unknownUser))).to.equal(true);
      expect(isUnauthorized(await createClient({ url: latchkey.url }).getUser(unknownUser))).to.equal(true);
    });
  });

  it('may lack a permission, which the outcome names', async () => {
    const key = { application: 'mailer', secret: 'a secret of the mailer' };
    const latchkey = await startLatchkey({ auth: { keys: [{ ...key, may: ['verify', 'without-password'] }] } });
    try {
      const client = createClient({ url: latchkey.url, credentials: key });
      const outcome = await client.getUser(unknownUser);
      if (outcome.ok) expect.fail('the key may not read');
      const { code, permission } = outcome.problem;
      expect([code, permission]).to.deep.equal(['not_permitted', 'read']);
      const reset = await client.resetVerification({ email: unknownUser.email });
      expect(!reset.ok && reset.problem.code).to.equal('user_not_found');
    } finally {
      await latchkey.stop();
    }
  });

  describe('of a service with tokens', () => {
    let latchkey: TestLatchkey;
    before(async () => {
      latchkey = await startLatchkey({ auth: { type: 'oauth', hmacSecret, issuer } });
    });
    after(() => latchkey.stop());

    it('may be a token', async () => {
      const client = createClient({ url: latchkey.url, credentials: { token: freshToken() } });
      expect(isAuthenticated(await client.getUser(unknownUser))).to.equal(true);
    });

    it('may be a function that is called for the token of each call', async () => {
      const tokens = [staleToken(), freshToken(), freshToken()];
      const client = createClient({ url: latchkey.url, credentials: { token: async () => tokens.shift() ?? '' } });
      expect(isUnauthorized(await client.getUser(unknownUser))).to.equal(true);
      expect(isAuthenticated(await client.getUser(unknownUser))).to.equal(true);
      expect(tokens).to.have.length(1);
    });

    it('reject with the error of the function', async () => {
      const failing = () => Promise.reject(new Error('the issuer is down'));
      const client = createClient({ url: latchkey.url, credentials: { token: failing } });
      expect(await rejection(client.getUser(unknownUser))).to.have.property('message', 'the issuer is down');
    });

    it('are not contained in the error for an invalid token', async () => {
      const client = createClient({ url: latchkey.url, credentials: { token: 'secret\ntoken' } });
      const error = await rejection(client.getUser(unknownUser));
      expect(error).to.be.instanceOf(TypeError);
      expect(String(error)).not.to.include('secret');
    });

    it('are undefined for the client of a test service with tokens', () => {
      expect(latchkey.credentials).to.equal(undefined);
    });
  });
});
