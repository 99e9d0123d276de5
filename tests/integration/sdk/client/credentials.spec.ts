import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createClient, type Outcome } from '../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../sdk/testing/index.ts';
import { rejection } from '../../../support/outcomes.ts';

const hmacSecret = 'a secret of at least thirty-two bytes';
const issuer = 'https://issuer.example.com';
const freshToken = (): string => jwt.sign({}, hmacSecret, { issuer, subject: 'shop', expiresIn: 60 });
const staleToken = (): string => jwt.sign({}, hmacSecret, { issuer, subject: 'shop', expiresIn: -60 });

const somebody = { email: 'nobody@example.com', password: 'any' };
// The user is looked for only when the client is let in.
const isLetIn = (outcome: Outcome): boolean => !outcome.ok && outcome.problem.code === 'user_not_found';
const isKeptOut = (outcome: Outcome): boolean => !outcome.ok && outcome.problem.code === 'client_unauthorized';

describe('the credentials of a client', () => {
  describe('of a service with keys', () => {
    let latchkey: TestLatchkey;
    const key = { application: 'schlüssel', secret: 'geheim: ñ 🔑' };
    before(async () => {
      latchkey = await startLatchkey({ auth: { keys: [key] } });
    });
    after(() => latchkey.stop());

    it('are an application and its secret, in UTF-8', async () => {
      expect(latchkey.credentials).to.deep.equal(key);
      expect(isLetIn(await createClient({ url: latchkey.url, credentials: key }).getUser(somebody))).to.equal(true);
    });

    it('are refused when they are wrong or missing', async () => {
      const wrong = createClient({ url: latchkey.url, credentials: { ...key, secret: 'wrong' } });
      expect(isKeptOut(await wrong.getUser(somebody))).to.equal(true);
      expect(isKeptOut(await createClient({ url: latchkey.url }).getUser(somebody))).to.equal(true);
    });
  });

  describe('of a service that takes tokens', () => {
    let latchkey: TestLatchkey;
    before(async () => {
      latchkey = await startLatchkey({ auth: { type: 'oauth', hmacSecret, issuer } });
    });
    after(() => latchkey.stop());

    it('are a token', async () => {
      const client = createClient({ url: latchkey.url, credentials: { token: freshToken() } });
      expect(isLetIn(await client.getUser(somebody))).to.equal(true);
    });

    it('are a function that is asked for a token before each call', async () => {
      const tokens = [staleToken(), freshToken(), freshToken()];
      const client = createClient({ url: latchkey.url, credentials: { token: async () => tokens.shift() ?? '' } });
      expect(isKeptOut(await client.getUser(somebody))).to.equal(true);
      expect(isLetIn(await client.getUser(somebody))).to.equal(true);
      expect(tokens).to.have.length(1);
    });

    it('fail as the function fails', async () => {
      const failing = () => Promise.reject(new Error('the issuer is down'));
      const client = createClient({ url: latchkey.url, credentials: { token: failing } });
      expect(await rejection(client.getUser(somebody))).to.have.property('message', 'the issuer is down');
    });

    it('are not repeated when they are no token', async () => {
      const client = createClient({ url: latchkey.url, credentials: { token: 'secret\ntoken' } });
      const error = await rejection(client.getUser(somebody));
      expect(error).to.be.instanceOf(TypeError);
      expect(String(error)).not.to.include('secret');
    });

    it('are not known to the service that was started for a test', () => {
      expect(latchkey.credentials).to.equal(undefined);
    });
  });
});
