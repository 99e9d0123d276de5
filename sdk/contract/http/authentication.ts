import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { basic, newAddress, newPassword } from './client.ts';
import { type Harness, secretOfSuite } from './harness.ts';
import { JwksServer, newKey, type PublishedKey } from './jwks-server.ts';

/** The endpoints that require authentication (docs/api.md, "Operations"). */
export const protectedEndpoints = [
  ['POST', '/users'],
  ['PUT', '/users'],
  ['PATCH', '/users'],
  ['GET', '/users'],
  ['DELETE', '/users'],
  ['POST', '/verify'],
  ['POST', '/verify/reset'],
] as const;

const basicChallenge = 'Basic realm="latchkey", charset="UTF-8"';

/** Requests that are valid except for the authentication. */
const query = { email: 'jane@example.com' };

const withBasic = (harness: Harness): void => {
  describe('with Basic credentials', () => {
    for (const [method, path] of protectedEndpoints) {
      it(`401 with a challenge: ${method} ${path} with missing or wrong credentials`, async () => {
        const { client } = await harness.service();
        const wrong = [null, basic('suite', newPassword()), basic(newPassword(), secretOfSuite), 'Bearer abc', 'Basic'];
        for (const authorization of wrong) {
          const response = await client.send(method, path, { query, password: 'any', authorization });
          expect(response.refusal).to.equal('401 client_unauthorized');
          expect(response.headers.get('www-authenticate')).to.equal(basicChallenge);
        }
      });
    }

    it('accepts each of the keys, with the name of the scheme in any case', async () => {
      const secret = `with:colons:and:ümlauts:${randomUUID()}`;
      const keys = [...Array(20).keys()].map((index) => ({
        application: `app ${index} ü`,
        secret: `${secret}${index}`,
      }));
      const { client } = await harness.service({ auth: { type: 'basic', keys } });
      for (const { application, secret } of keys) {
        const authorization = basic(application, secret);
        for (const header of [authorization, authorization.replace('Basic', 'bAsIc')]) {
          const response = await client.get('/users', { query, password: 'any', authorization: header });
          expect(response.refusal).to.equal('404 user_not_found');
        }
      }
      const mixed = basic('app 1 ü', `${secret}2`);
      const response = await client.get('/users', { query, password: 'any', authorization: mixed });
      expect(response.refusal).to.equal('401 client_unauthorized');
    });

    it('refuses every request without an auth block, and warns at the start', async () => {
      const { client, warnings } = await harness.service({ auth: null });
      expect(warnings.join()).to.include('auth is absent');
      for (const [method, path] of protectedEndpoints) {
        const response = await client.send(method, path, { query, password: 'any' });
        expect(response.refusal).to.equal('401 client_unauthorized');
      }
      expect((await client.get('/verify/success')).status).to.equal(200);
    });

    it('refuses every request without keys', async () => {
      const { client } = await harness.service({ auth: { type: 'basic', keys: [] } });
      const response = await client.get('/users', { query, password: 'any', authorization: basic('', '') });
      expect(response.refusal).to.equal('401 client_unauthorized');
    });
  });
};

const withTokens = (harness: Harness): void => {
  const hmacSecret = `an HMAC secret of the suite ${randomUUID()}`;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const claims = { sub: 'the suite', iss: 'the issuer', aud: 'latchkey' };

  const service = async () => {
    const rsaPublicKeyFilePath = await harness.file('public-key.der', der);
    const auth = { type: 'oauth', hmacSecret, rsaPublicKeyFilePath, issuer: 'the issuer', audience: 'latchkey' };
    return harness.service({ auth });
  };
  const ask = async (authorization: string | null) => {
    const { client } = await service();
    return client.get('/users', { query: { email: newAddress() }, password: 'any', authorization });
  };

  describe('with OAuth tokens', () => {
    for (const [family, key] of [
      ['HS', hmacSecret],
      ['RS', privateKey],
    ] as const) {
      for (const size of ['256', '384', '512'] as const) {
        it(`accepts a token signed with ${family}${size}`, async () => {
          const token = jwt.sign(claims, key, { algorithm: `${family}${size}`, expiresIn: 60 });
          expect((await ask(`Bearer ${token}`)).refusal).to.equal('404 user_not_found');
        });
      }
    }

    it('401 without a token, with a challenge that names no error', async () => {
      for (const authorization of [null, basic('suite', secretOfSuite)]) {
        const response = await ask(authorization);
        expect(response.refusal).to.equal('401 client_unauthorized');
        expect(response.headers.get('www-authenticate')).to.equal('Bearer realm="latchkey"');
      }
    });

    it('401 for a token that is expired, forged or for another audience, with a challenge that says so', async () => {
      const forged = der.toString('base64');
      const tokens = [
        jwt.sign(claims, hmacSecret, { expiresIn: -60 }),
        jwt.sign(claims, `${hmacSecret}!`),
        jwt.sign(claims, forged),
        jwt.sign({ ...claims, iss: 'another issuer' }, hmacSecret),
        jwt.sign({ ...claims, aud: 'another audience' }, hmacSecret),
        'not.a.token',
      ];
      for (const token of tokens) {
        const response = await ask(`Bearer ${token}`);
        expect(response.refusal).to.equal('401 client_unauthorized');
        expect(response.headers.get('www-authenticate')).to.equal('Bearer realm="latchkey", error="invalid_token"');
      }
    });

    it('serves a complete session', async () => {
      const { client } = await service();
      const authorization = `Bearer ${jwt.sign(claims, hmacSecret, { expiresIn: 60 })}`;
      const [address, password] = [newAddress(), newPassword()];
      const created = await client.post('/users', { authorization, body: { email: { address }, password } });
      expect(created.status).to.equal(201);
      const removed = await client.delete('/users', { authorization, password, query: { email: address } });
      expect(removed.user).to.deep.equal(created.user);
    });
  });
};

const withJwks = (harness: Harness): void => {
  const claims = { sub: 'the suite', iss: 'the issuer' };
  const [first, second] = [newKey(2048, { kid: 'first' }), newKey('P-256', { kid: 'second' })];
  const signed = ({ privateKey, jwk }: PublishedKey, algorithm: jwt.Algorithm): string =>
    `Bearer ${jwt.sign(claims, privateKey, { algorithm, keyid: String(jwk.kid), expiresIn: 60 })}`;

  describe('with tokens of an issuer that publishes its keys', () => {
    let issuer: JwksServer | undefined;
    before(async function () {
      // A service in a container cannot reach an issuer on this host.
      if (!harness.takesStores) this.skip();
      issuer = await JwksServer.start(first);
    });
    after(() => issuer?.close());

    const service = async () => {
      if (issuer === undefined) throw new TypeError('the issuer runs only during the tests');
      return {
        issuer,
        ...(await harness.service({ auth: { type: 'oauth', jwksUrl: issuer.url, issuer: 'the issuer' } })),
      };
    };

    it('serves a complete session, with RS256 and PS256', async () => {
      const { client } = await service();
      const [address, password] = [newAddress(), newPassword()];
      const body = { email: { address }, password };
      const created = await client.post('/users', { authorization: signed(first, 'RS256'), body });
      expect(created.status).to.equal(201);
      const query = { email: address };
      const removed = await client.delete('/users', { authorization: signed(first, 'PS256'), password, query });
      expect(removed.user).to.deep.equal(created.user);
    });

    it('accepts a new key without a restart, and continues while the issuer is down', async () => {
      const { client, issuer } = await service();
      const ask = async (authorization: string) =>
        (await client.get('/users', { query: { email: newAddress() }, password: 'any', authorization })).refusal;
      expect(await ask(signed(first, 'RS256'))).to.equal('404 user_not_found');
      issuer.publish(first, second);
      expect(await ask(signed(second, 'ES256'))).to.equal('404 user_not_found');
      await issuer.close();
      for (const token of [signed(first, 'RS256'), signed(second, 'ES256')])
        expect(await ask(token)).to.equal('404 user_not_found');
      expect(await ask(signed(newKey('P-256', { kid: 'third' }), 'ES256'))).to.equal('401 client_unauthorized');
    });
  });
};

/** Client authentication (docs/configuration.md, `auth`). */
export const authentication = (harness: Harness): void => {
  describe('client authentication', () => {
    withBasic(harness);
    withTokens(harness);
    withJwks(harness);
  });
};
