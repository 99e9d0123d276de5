import { createHmac, createSecretKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { Client } from '../../../../../adapters/http/authentication/authenticator.ts';
import { bearerAuthenticator } from '../../../../../adapters/http/authentication/bearer-token.ts';
import { fetchKeySet } from '../../../../../adapters/http/authentication/key-set.ts';
import { KeySetAuthenticator } from '../../../../../adapters/http/authentication/key-set-authenticator.ts';
import { SigningKeys } from '../../../../../adapters/http/authentication/signing-keys.ts';
import { Fault } from '../../../../../application/fault.ts';
import { KeySetServer, newKey, type PublishedKey } from '../../../../../sdk/contract/http/key-set-server.ts';
import { ManualClock } from '../../../../support/doubles/fake-runtime.ts';
import { silentContext } from '../../../../support/doubles/silent-tools.ts';
import { eventually } from '../../../../support/eventually.ts';
import { rejection } from '../../../../support/outcomes.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const policy = { issuer: 'the issuer', audience: [], requireExpiry: false };
const claims = { iss: 'the issuer', sub: 'the shop' };

const rsa = newKey(2048, { kid: 'rsa' });
const other = newKey(2048, { kid: 'other' });
const p256 = newKey('P-256', { kid: 'p256' });
const p384 = newKey('P-384', { kid: 'p384' });
const p521 = newKey('P-521', { kid: 'p521' });

const signed = (
  { privateKey, jwk }: PublishedKey,
  algorithm: jwt.Algorithm,
  keyid: unknown = jwk.kid,
  payload: object = claims,
): string =>
  `Bearer ${jwt.sign(payload, privateKey, {
    algorithm,
    allowInsecureKeySizes: true,
    ...(typeof keyid === 'string' && { keyid }),
  })}`;

/** What an authenticator lets in, on a clock that tests set. */
class Authorizer {
  readonly clock = new ManualClock(0);
  readonly lines: string[] = [];
  readonly keys: SigningKeys;
  readonly authenticator: KeySetAuthenticator;

  constructor(server: KeySetServer, configured: { hmacSecret?: string; rsa?: PublishedKey } = {}) {
    const write = (fields: object, message: string) => this.lines.push(`${message} ${JSON.stringify(fields)}`);
    const log = { ...silentContext.log, warn: write, info: write };
    this.keys = new SigningKeys(
      () => fetchKeySet(server.url),
      log,
      () => this.clock.now(),
    );
    const { hmacSecret, rsa } = configured;
    const hmacKey = hmacSecret === undefined ? null : createSecretKey(hmacSecret, 'utf8');
    const others = hmacKey || rsa ? bearerAuthenticator({ ...policy, hmacKey, rsaKey: rsa?.publicKey ?? null }) : null;
    this.authenticator = new KeySetAuthenticator(policy, this.keys, others);
  }

  async accepts(header: string): Promise<boolean> {
    return (await this.authenticator.authenticate(header)) !== undefined;
  }

  /** What is known without waiting; a promise is not waited for. */
  atOnce(header: string): Client | undefined | 'a promise' {
    const found = this.authenticator.authenticate(header);
    return found instanceof Promise ? 'a promise' : found;
  }

  /** Waits for what is being fetched behind the requests. */
  async settled(): Promise<void> {
    await this.keys.check().catch(() => undefined);
  }
}

describe('tokens signed with keys that the issuer publishes', () => {
  let server: KeySetServer;
  beforeEach(async () => {
    server = await KeySetServer.start(rsa, other, p256, p384, p521);
  });
  afterEach(() => server.close());

  describe('are accepted', () => {
    const accepted: readonly (readonly [PublishedKey, jwt.Algorithm])[] = [
      ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const).map((name) => [rsa, name] as const),
      [p256, 'ES256'],
      [p384, 'ES384'],
      [p521, 'ES512'],
    ];
    for (const [key, algorithm] of accepted) {
      it(`with ${algorithm}`, async () => {
        const gatekeeper = new Authorizer(server);
        expect(await gatekeeper.authenticator.authenticate(signed(key, algorithm))).to.deep.equal({ name: 'the shop' });
        expect(server.requests).to.equal(1);
      });
    }

    it('at once where their key is known, proven before or not', async () => {
      const gatekeeper = new Authorizer(server);
      expect(gatekeeper.atOnce(signed(rsa, 'RS256'))).to.equal('a promise');
      await gatekeeper.settled();
      for (const header of [signed(rsa, 'RS256'), signed(rsa, 'RS256'), signed(p256, 'ES256')])
        expect(gatekeeper.atOnce(header)).to.deep.equal({ name: 'the shop' });
      expect(gatekeeper.atOnce(signed(p256, 'ES256', 'rsa'))).to.equal(undefined);
    });

    it('without a key id, where one key alone is for their algorithm', async () => {
      const gatekeeper = new Authorizer(server);
      expect(await gatekeeper.accepts(signed(p256, 'ES256', null))).to.equal(true);
      expect(await gatekeeper.accepts(signed(rsa, 'RS256', null))).to.equal(false);
    });

    it('with a key that stands beside others which can not be used', async () => {
      const { jwk } = newKey('P-256', { kid: 'rsa' });
      const useless = [
        {},
        { kty: 'x' },
        { kty: 'RSA', n: 1 },
        { kty: 'RSA', n: '!', e: '!' },
        { ...rsa.jwk, use: 'enc' },
        { ...rsa.jwk, key_ops: ['encrypt'] },
        { ...rsa.jwk, kid: 1 },
        { ...rsa.jwk, alg: 1 },
        { ...rsa.jwk, alg: 'RSA-OAEP' },
        { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'rsa' },
        { ...jwk, crv: 'P-999' },
        { ...jwk, x: jwk.y },
        { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'rsa' },
        { kty: 'oct', k: 'AA', kid: 'rsa' },
      ];
      server.answerWith(200, JSON.stringify({ keys: [...useless, rsa.jwk] }));
      expect((await fetchKeySet(server.url)).keys).to.have.lengthOf(1);
      expect(await new Authorizer(server).accepts(signed(rsa, 'RS256'))).to.equal(true);
    });

    it('with a key that says in any way that it verifies, or not what it is for', async () => {
      for (const members of [{ use: 'sig' }, { key_ops: ['verify'] }, { use: undefined }, { x5c: ['canary'] }]) {
        server.publish(newKey(2048, { kid: 'other' }), { ...rsa, jwk: { ...rsa.jwk, use: undefined, ...members } });
        expect(await new Authorizer(server).accepts(signed(rsa, 'RS256')), JSON.stringify(members)).to.equal(true);
      }
    });
  });

  describe('are refused', () => {
    const small = newKey(1024, { kid: 'small' });
    const bound = newKey(2048, { kid: 'bound', alg: 'RS256' });
    const forPss = newKey(2048, { kid: 'pss', alg: 'PS256' });
    const forEncryption = newKey(2048, { kid: 'enc', use: 'enc' });
    const wrongAlg = newKey('P-256', { kid: 'wrong', alg: 'ES384' });
    const koblitz = newKey('secp256k1', { kid: 'koblitz' });
    const nameless = newKey('P-256', {});
    const all = [rsa, other, p256, p384, small, bound, forPss, forEncryption, wrongAlg, koblitz, nameless];
    const unsigned = (alg: string, kid: string) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg, kid })}.${part(claims)}`;
    };
    const withSecret = (secret: string | Buffer, alg = 'HS256') => {
      const content = unsigned(alg, 'rsa');
      return `Bearer ${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
    };
    const headers: Readonly<Record<string, string>> = {
      'the key id of another key': signed(other, 'RS256', 'rsa'),
      'the key id of a key of another family': signed(rsa, 'RS256', 'p256'),
      'no key id, where several keys could be meant': signed(rsa, 'RS256', null),
      'a key id that nobody has': signed(rsa, 'RS256', 'nobody'),
      'an empty key id': signed(rsa, 'RS256', ''),
      'PS256 by a key for RS256': signed(bound, 'PS256'),
      'RS512 by a key for RS256': signed(bound, 'RS512'),
      'RS256 by a key for PS256': signed(forPss, 'RS256'),
      'ES256 by a key that says ES384': signed(wrongAlg, 'ES256'),
      'a key for encryption': signed(forEncryption, 'RS256'),
      'an RSA key of 1024 bits': signed(small, 'RS256'),
      'a key that the set does not hold': signed(newKey('P-256', { kid: 'p256' }), 'ES256'),
      'the HMAC of the public key as PEM': withSecret(rsa.publicKey.export({ type: 'spki', format: 'pem' })),
      'the HMAC of the public key as DER': withSecret(rsa.publicKey.export({ type: 'spki', format: 'der' })),
      'the HMAC of the public key as it is published': withSecret(JSON.stringify(rsa.jwk)),
      'an HMAC that says RS256': withSecret('a', 'RS256'),
      'no signature': `Bearer ${unsigned('none', 'rsa')}.`,
      'a signature of zeros': `Bearer ${unsigned('ES256', 'p256')}.${Buffer.alloc(64).toString('base64url')}`,
      EdDSA: `Bearer ${unsigned('EdDSA', 'rsa')}.${Buffer.alloc(64).toString('base64url')}`,
      'another issuer': signed(rsa, 'RS256', 'rsa', { iss: 'another' }),
      'an expiry that is over': signed(rsa, 'RS256', 'rsa', { ...claims, exp: 1 }),
    };
    for (const [name, header] of Object.entries(headers)) {
      it(`with ${name}`, async () => {
        server.publish(...all);
        const gatekeeper = new Authorizer(server);
        expect(await gatekeeper.accepts(signed(bound, 'RS256')), 'a genuine one').to.equal(true);
        expect(await gatekeeper.accepts(header)).to.equal(false);
      });
    }

    it('whatever else they are: no header throws, and garbage has nothing fetched', async () => {
      const gatekeeper = new Authorizer(server);
      for (const header of [undefined, '', 'Bearer', 'Bearer a', 'Bearer a.b.c', 'Basic YTpi', withSecret('a')])
        expect(gatekeeper.authenticator.authenticate(header), header).to.equal(undefined);
      expect(server.requests).to.equal(0);
    });
  });

  describe('beside keys that are configured', () => {
    const hmacSecret = 'an HMAC secret of at least thirty-two bytes';
    const configuredRsa = newKey(2048, {});

    it('each key is for its own tokens, and those of configured keys never wait', async () => {
      const gatekeeper = new Authorizer(server, { hmacSecret, rsa: configuredRsa });
      expect(gatekeeper.atOnce(`Bearer ${jwt.sign(claims, hmacSecret)}`)).to.deep.equal({ name: 'the shop' });
      expect(server.requests).to.equal(0);
      for (const header of [
        signed(configuredRsa, 'RS256'),
        signed(configuredRsa, 'RS256', 'its own'),
        signed(rsa, 'RS256'),
      ])
        expect(await gatekeeper.accepts(header)).to.equal(true);
      expect(server.requests).to.equal(1);
      for (const header of [
        signed(configuredRsa, 'RS256', 'rsa'),
        signed(configuredRsa, 'PS256'),
        `Bearer ${jwt.sign(claims, `${hmacSecret}!`)}`,
      ])
        expect(await gatekeeper.accepts(header)).to.equal(false);
    });

    it('a token that names no key may be of either', async () => {
      server.publish(rsa);
      const gatekeeper = new Authorizer(server, { rsa: configuredRsa });
      for (const header of [signed(rsa, 'RS256', null), signed(configuredRsa, 'RS256', null)])
        expect(await gatekeeper.accepts(header)).to.equal(true);
    });

    it('they are accepted while the issuer has never answered', async () => {
      await server.close();
      const gatekeeper = new Authorizer(server, { hmacSecret, rsa: configuredRsa });
      for (const header of [signed(configuredRsa, 'RS256'), `Bearer ${jwt.sign(claims, hmacSecret)}`])
        expect(gatekeeper.atOnce(header)).to.deep.equal({ name: 'the shop' });
    });
  });

  describe('when the issuer changes its keys', () => {
    it('a new key works at once, and tokens with unknown key ids have them fetched once a minute', async () => {
      server.publish(rsa);
      const gatekeeper = new Authorizer(server);
      expect(await gatekeeper.accepts(signed(rsa, 'RS256'))).to.equal(true);
      server.publish(rsa, p256);
      expect(await gatekeeper.accepts(signed(p256, 'ES256'))).to.equal(true);
      expect(server.requests).to.equal(2);
      server.publish(rsa, p256, p384);
      gatekeeper.clock.time += minute - 1;
      expect(gatekeeper.atOnce(signed(p384, 'ES384'))).to.equal(undefined);
      gatekeeper.clock.time += 1;
      expect(await gatekeeper.accepts(signed(p384, 'ES384'))).to.equal(true);
      expect(server.requests).to.equal(3);
    });

    it('a new key works for all who come with it at once', async () => {
      server.publish(rsa);
      const gatekeeper = new Authorizer(server);
      await gatekeeper.accepts(signed(rsa, 'RS256'));
      server.publish(p256);
      const headers = Array.from({ length: 20 }, (_, index) => signed(p256, 'ES256', 'p256', { ...claims, index }));
      const all = await Promise.all(headers.map((header) => gatekeeper.accepts(header)));
      expect(new Set(all)).to.deep.equal(new Set([true]));
      expect(server.requests).to.equal(2);
    });

    it('a flood of unknown key ids has them fetched once, and others are not kept waiting', async () => {
      const gatekeeper = new Authorizer(server);
      await gatekeeper.accepts(signed(rsa, 'RS256'));
      server.answerBy(() => undefined);
      const flood = Array.from({ length: 500 }, () =>
        gatekeeper.authenticator.authenticate(signed(p256, 'ES256', randomUUID())),
      );
      expect(gatekeeper.atOnce(signed(rsa, 'RS256')), 'meanwhile').to.deep.equal({ name: 'the shop' });
      expect(gatekeeper.atOnce(signed(p384, 'ES384')), 'meanwhile, not seen before').to.deep.equal({
        name: 'the shop',
      });
      await eventually(async () => expect(server.requests).to.equal(2), 5_000);
      await server.close();
      expect(new Set(await Promise.all(flood))).to.deep.equal(new Set([undefined]));
      expect(server.requests).to.equal(2);
    });

    it('a key that was withdrawn is good for ten minutes at most, also for tokens that were proven', async () => {
      const gatekeeper = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      expect(await gatekeeper.accepts(token)).to.equal(true);
      server.publish(p256);
      gatekeeper.clock.time += 5 * minute - 1;
      expect(gatekeeper.atOnce(token)).to.deep.equal({ name: 'the shop' });
      expect(server.requests).to.equal(1);
      gatekeeper.clock.time += 5 * minute + 1;
      expect(await gatekeeper.accepts(token)).to.equal(false);
      expect(await gatekeeper.accepts(signed(p256, 'ES256'))).to.equal(true);
      expect(server.requests).to.be.within(2, 3);
    });

    it('they are fetched again behind requests from five minutes on, without a wait', async () => {
      const gatekeeper = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      await gatekeeper.accepts(token);
      server.publish(p256);
      gatekeeper.clock.time += 5 * minute;
      expect(gatekeeper.atOnce(token)).to.deep.equal({ name: 'the shop' });
      await gatekeeper.settled();
      expect(gatekeeper.atOnce(token)).to.not.deep.equal({ name: 'the shop' });
      expect(await gatekeeper.accepts(token)).to.equal(false);
    });

    it('none at all are none: an empty set is an answer', async () => {
      const gatekeeper = new Authorizer(server);
      await gatekeeper.accepts(signed(rsa, 'RS256'));
      server.publish();
      gatekeeper.clock.time += 10 * minute;
      expect(await gatekeeper.accepts(signed(rsa, 'RS256'))).to.equal(false);
    });

    it('tokens stay proven where the keys are the same', async () => {
      const gatekeeper = new Authorizer(server);
      await gatekeeper.accepts(signed(rsa, 'RS256'));
      const before = gatekeeper.keys.current;
      gatekeeper.clock.time += 6 * minute;
      await gatekeeper.settled();
      expect(server.requests).to.equal(2);
      expect(gatekeeper.keys.current).to.equal(before);
    });
  });

  describe('when the issuer does not answer', () => {
    const answers: Readonly<Record<string, (server: KeySetServer) => void>> = {
      'an error': (issuer) => issuer.answerWith(500, '{"keys":[]}'),
      'a redirect': (issuer) => issuer.answerWith(302, '', { Location: '/elsewhere' }),
      'a page': (issuer) => issuer.answerWith(200, '<html>'),
      nothing: (issuer) => issuer.answerWith(200, ''),
      'another document': (issuer) => issuer.answerWith(200, '{"keys":{}}'),
      'a list with something else in it': (issuer) => issuer.answerWith(200, '{"keys":[null]}'),
      'too much': (issuer) => issuer.answerWith(200, JSON.stringify({ keys: [], filler: 'x'.repeat(257 * 1024) })),
      'an end in the middle': (issuer) =>
        issuer.answerBy((_, response) => {
          response.writeHead(200, { 'Content-Length': '100' }).write('{"keys":[');
          response.destroy();
        }),
    };
    for (const [name, change] of Object.entries(answers)) {
      it(`but with ${name}, its keys are those that are known`, async () => {
        const gatekeeper = new Authorizer(server);
        expect(await gatekeeper.accepts(signed(rsa, 'RS256'))).to.equal(true);
        change(server);
        gatekeeper.clock.time += hour;
        expect(await gatekeeper.accepts(signed(rsa, 'RS256'))).to.equal(true);
        expect(server.requests).to.equal(2);
        expect(await rejection(gatekeeper.keys.check())).to.be.instanceOf(Fault);
      });
    }

    it('its keys go on for a day, and it is asked once a minute', async () => {
      const gatekeeper = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      await gatekeeper.accepts(token);
      await server.close();
      gatekeeper.clock.time += 10 * minute;
      expect(gatekeeper.atOnce(token), 'the first one finds out').to.equal('a promise');
      await gatekeeper.settled();
      expect(gatekeeper.atOnce(token), 'the others do not wait').to.deep.equal({ name: 'the shop' });
      gatekeeper.clock.time += minute;
      expect(gatekeeper.atOnce(token), 'also while it is asked again').to.deep.equal({ name: 'the shop' });
      await gatekeeper.settled();
      gatekeeper.clock.time = 24 * hour - 1;
      expect(gatekeeper.atOnce(token)).to.deep.equal({ name: 'the shop' });
      await gatekeeper.settled();
      gatekeeper.clock.time += minute;
      expect(await rejection(gatekeeper.accepts(token))).to.include({ code: 'keys_unavailable' });
      expect(gatekeeper.lines).to.deep.equal([
        'the signing keys cannot be fetched {"reason":"the issuer is not reached"}',
      ]);
      await server.open();
      gatekeeper.clock.time += 5 * second;
      expect(await gatekeeper.accepts(token)).to.equal(true);
      expect(gatekeeper.lines[1]).to.equal('the signing keys are fetched again {"keys":5}');
    });

    it('from the beginning, tokens can not be judged; soon after it answers they can', async () => {
      await server.close();
      const gatekeeper = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      const refusal = { code: 'keys_unavailable', retryAfterSeconds: 5 };
      expect(await rejection(gatekeeper.accepts(token))).to.include(refusal);
      await server.open();
      gatekeeper.clock.time += 5 * second - 1;
      expect(await rejection(gatekeeper.accepts(token))).to.include(refusal);
      gatekeeper.clock.time += 1;
      expect(await gatekeeper.accepts(token)).to.equal(true);
    });

    it('in time, it is given up after three seconds', async () => {
      server.answerBy(() => undefined);
      const started = performance.now();
      expect(await rejection(fetchKeySet(server.url))).to.include({
        code: 'keys_unavailable',
        message: 'the issuer does not answer within 3 s',
      });
      expect(performance.now() - started).to.be.greaterThan(2_900);
    });

    it('the line about it says so, without a word of where it is', async () => {
      const gatekeeper = new Authorizer(server);
      expect(await gatekeeper.keys.check()).to.equal('5 signing keys of the issuer are known');
      server.answerWith(500, '');
      gatekeeper.clock.time += 5 * minute;
      const known = await rejection(gatekeeper.keys.check());
      expect(known).to.include({ message: 'the issuer answers with status 500; 5 signing keys are still used' });
      gatekeeper.clock.time += 24 * hour;
      const unknown = await rejection(gatekeeper.keys.check());
      expect(unknown).to.include({ message: 'the issuer answers with status 500' });
    });
  });

  it('no private key of a set is ever used', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    server.answerWith(200, JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'a' }] }));
    const token = signed({ privateKey, publicKey, jwk: { kid: 'a' } }, 'ES256');
    expect(await new Authorizer(server).accepts(token)).to.equal(false);
  });
});
