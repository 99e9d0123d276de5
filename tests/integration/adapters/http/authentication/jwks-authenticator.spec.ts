import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { Client } from '../../../../../adapters/http/authentication/authenticator.ts';
import { bearerAuthenticator } from '../../../../../adapters/http/authentication/bearer-token.ts';
import { fetchJwks } from '../../../../../adapters/http/authentication/jwks.ts';
import { JwksAuthenticator } from '../../../../../adapters/http/authentication/jwks-authenticator.ts';
import { JwksCache } from '../../../../../adapters/http/authentication/jwks-cache.ts';
import { Fault } from '../../../../../application/fault.ts';
import { JwksServer, newKey, type PublishedKey } from '../../../../../sdk/contract/http/jwks-server.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { hmacKeyOf } from '../../../../support/client-keys.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { eventually } from '../../../../support/eventually.ts';

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

/** An authenticator with a clock that tests set. */
class Authorizer {
  readonly clock = new ManualClock(0);
  readonly wallClock = new ManualClock(Date.now());
  readonly lines: string[] = [];
  readonly keys: JwksCache;
  readonly authenticator: JwksAuthenticator;

  constructor(server: JwksServer, configured: { hmacSecret?: string; rsa?: PublishedKey } = {}) {
    const write = (fields: object, message: string) => this.lines.push(`${message} ${JSON.stringify(fields)}`);
    const log = { ...silentContext.log, warn: write, info: write };
    this.keys = new JwksCache(
      () => fetchJwks(server.url),
      log,
      () => this.clock.now(),
    );
    const { hmacSecret, rsa } = configured;
    const hmacKeys = hmacSecret === undefined ? [] : [hmacKeyOf(hmacSecret)];
    const others =
      hmacSecret || rsa ? bearerAuthenticator({ ...policy, hmacKeys, rsaKey: rsa?.publicKey ?? null }) : null;
    this.authenticator = new JwksAuthenticator(policy, this.keys, others, this.wallClock);
  }

  async accepts(header: string): Promise<boolean> {
    return (await this.authenticator.authenticate(header)) !== undefined;
  }

  /** The result, unless it is a promise. */
  atOnce(header: string): Client | undefined | 'a promise' {
    const found = this.authenticator.authenticate(header);
    return found instanceof Promise ? 'a promise' : found;
  }

  /** Waits for a fetch in the background. */
  async settled(): Promise<void> {
    await this.keys.check().catch(() => undefined);
  }
}

describe('tokens signed with keys that the issuer publishes', () => {
  let server: JwksServer;
  beforeEach(async () => {
    server = await JwksServer.start(rsa, other, p256, p384, p521);
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
        const authorizer = new Authorizer(server);
        expect(await authorizer.authenticator.authenticate(signed(key, algorithm))).to.deep.equal({ name: 'the shop' });
        expect(server.requests).to.equal(1);
      });
    }

    it('until they expire, by the wall clock, verified before or not', async () => {
      const authorizer = new Authorizer(server);
      const exp = Math.floor(authorizer.wallClock.time / second) + 60;
      const [known, unknown] = ['a', 'b'].map((sub) => signed(rsa, 'RS256', 'rsa', { ...claims, sub, exp }));
      const accepted = async () => [await authorizer.accepts(known ?? ''), await authorizer.accepts(unknown ?? '')];
      expect(await authorizer.accepts(known ?? '')).to.equal(true);
      authorizer.wallClock.time += 66 * second;
      expect(await accepted()).to.deep.equal([false, false]);
      authorizer.wallClock.time -= 66 * second;
      expect(await accepted()).to.deep.equal([true, true]);
    });

    it('without waiting when their key is known, verified before or not', async () => {
      const authorizer = new Authorizer(server);
      expect(authorizer.atOnce(signed(rsa, 'RS256'))).to.equal('a promise');
      await authorizer.settled();
      for (const header of [signed(rsa, 'RS256'), signed(rsa, 'RS256'), signed(p256, 'ES256')])
        expect(authorizer.atOnce(header)).to.deep.equal({ name: 'the shop' });
      expect(authorizer.atOnce(signed(p256, 'ES256', 'rsa'))).to.equal(undefined);
    });

    it('without a key id when only one key has their algorithm', async () => {
      const authorizer = new Authorizer(server);
      expect(await authorizer.accepts(signed(p256, 'ES256', null))).to.equal(true);
      expect(await authorizer.accepts(signed(rsa, 'RS256', null))).to.equal(false);
    });

    it('with a key of a set that contains unusable keys, too', async () => {
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
      expect((await fetchJwks(server.url)).keys).to.have.lengthOf(1);
      expect(await new Authorizer(server).accepts(signed(rsa, 'RS256'))).to.equal(true);
    });

    it('with a key that is declared for verifying, or for nothing', async () => {
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
      'an unknown key id': signed(rsa, 'RS256', 'nobody'),
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
        const authorizer = new Authorizer(server);
        expect(await authorizer.accepts(signed(bound, 'RS256')), 'a genuine one').to.equal(true);
        expect(await authorizer.accepts(header)).to.equal(false);
      });
    }

    it('without an error or a fetch when the header is malformed', async () => {
      const authorizer = new Authorizer(server);
      for (const header of [undefined, '', 'Bearer', 'Bearer a', 'Bearer a.b.c', 'Basic YTpi', withSecret('a')])
        expect(authorizer.authenticator.authenticate(header), header).to.equal(undefined);
      expect(server.requests).to.equal(0);
    });
  });

  describe('together with configured keys', () => {
    const hmacSecret = 'an HMAC secret of at least thirty-two bytes';
    const configuredRsa = newKey(2048, {});

    it('each key verifies its own tokens, and tokens of configured keys never wait', async () => {
      const authorizer = new Authorizer(server, { hmacSecret, rsa: configuredRsa });
      expect(authorizer.atOnce(`Bearer ${jwt.sign(claims, hmacSecret)}`)).to.deep.equal({ name: 'the shop' });
      expect(server.requests).to.equal(0);
      for (const header of [
        signed(configuredRsa, 'RS256'),
        signed(configuredRsa, 'RS256', 'its own'),
        signed(rsa, 'RS256'),
      ])
        expect(await authorizer.accepts(header)).to.equal(true);
      expect(server.requests).to.equal(1);
      for (const header of [
        signed(configuredRsa, 'RS256', 'rsa'),
        signed(configuredRsa, 'PS256'),
        `Bearer ${jwt.sign(claims, `${hmacSecret}!`)}`,
      ])
        expect(await authorizer.accepts(header)).to.equal(false);
    });

    it('a token without a key id may be signed with either', async () => {
      server.publish(rsa);
      const authorizer = new Authorizer(server, { rsa: configuredRsa });
      for (const header of [signed(rsa, 'RS256', null), signed(configuredRsa, 'RS256', null)])
        expect(await authorizer.accepts(header)).to.equal(true);
    });

    it('their tokens are accepted before the issuer has answered', async () => {
      await server.close();
      const authorizer = new Authorizer(server, { hmacSecret, rsa: configuredRsa });
      for (const header of [signed(configuredRsa, 'RS256'), `Bearer ${jwt.sign(claims, hmacSecret)}`])
        expect(authorizer.atOnce(header)).to.deep.equal({ name: 'the shop' });
    });
  });

  describe('when the issuer changes its keys', () => {
    it('a new key is accepted at once, and tokens with unknown key ids cause one fetch per minute', async () => {
      server.publish(rsa);
      const authorizer = new Authorizer(server);
      expect(await authorizer.accepts(signed(rsa, 'RS256'))).to.equal(true);
      server.publish(rsa, p256);
      expect(await authorizer.accepts(signed(p256, 'ES256'))).to.equal(true);
      expect(server.requests).to.equal(2);
      server.publish(rsa, p256, p384);
      authorizer.clock.time += minute - 1;
      expect(authorizer.atOnce(signed(p384, 'ES384'))).to.equal(undefined);
      authorizer.clock.time += 1;
      expect(await authorizer.accepts(signed(p384, 'ES384'))).to.equal(true);
      expect(server.requests).to.equal(3);
    });

    it('a new key is accepted for concurrent requests', async () => {
      server.publish(rsa);
      const authorizer = new Authorizer(server);
      await authorizer.accepts(signed(rsa, 'RS256'));
      server.publish(p256);
      const headers = Array.from({ length: 20 }, (_, index) => signed(p256, 'ES256', 'p256', { ...claims, index }));
      const all = await Promise.all(headers.map((header) => authorizer.accepts(header)));
      expect(new Set(all)).to.deep.equal(new Set([true]));
      expect(server.requests).to.equal(2);
    });

    it('many unknown key ids cause one fetch, and other tokens do not wait', async () => {
      const authorizer = new Authorizer(server);
      await authorizer.accepts(signed(rsa, 'RS256'));
      server.listenWith(() => undefined);
      const flood = Array.from({ length: 500 }, () =>
        authorizer.authenticator.authenticate(signed(p256, 'ES256', randomUUID())),
      );
      expect(authorizer.atOnce(signed(rsa, 'RS256')), 'meanwhile').to.deep.equal({ name: 'the shop' });
      expect(authorizer.atOnce(signed(p384, 'ES384')), 'meanwhile, not seen before').to.deep.equal({
        name: 'the shop',
      });
      await eventually(async () => expect(server.requests).to.equal(2), 5_000);
      await server.close();
      expect(new Set(await Promise.all(flood))).to.deep.equal(new Set([undefined]));
      expect(server.requests).to.equal(2);
    });

    it('a withdrawn key is accepted for at most ten minutes, also for cached tokens', async () => {
      const authorizer = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      expect(await authorizer.accepts(token)).to.equal(true);
      server.publish(p256);
      authorizer.clock.time += 5 * minute - 1;
      expect(authorizer.atOnce(token)).to.deep.equal({ name: 'the shop' });
      expect(server.requests).to.equal(1);
      authorizer.clock.time += 5 * minute + 1;
      expect(await authorizer.accepts(token)).to.equal(false);
      expect(await authorizer.accepts(signed(p256, 'ES256'))).to.equal(true);
      expect(server.requests).to.be.within(2, 3);
    });

    it('keys older than five minutes are fetched again in the background', async () => {
      const authorizer = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      await authorizer.accepts(token);
      server.publish(p256);
      authorizer.clock.time += 5 * minute;
      expect(authorizer.atOnce(token)).to.deep.equal({ name: 'the shop' });
      await authorizer.settled();
      expect(authorizer.atOnce(token)).to.not.deep.equal({ name: 'the shop' });
      expect(await authorizer.accepts(token)).to.equal(false);
    });

    it('an empty JWKS replaces the known keys', async () => {
      const authorizer = new Authorizer(server);
      await authorizer.accepts(signed(rsa, 'RS256'));
      server.publish();
      authorizer.clock.time += 10 * minute;
      expect(await authorizer.accepts(signed(rsa, 'RS256'))).to.equal(false);
    });

    it('tokens stay cached while the keys are the same', async () => {
      const authorizer = new Authorizer(server);
      await authorizer.accepts(signed(rsa, 'RS256'));
      const before = authorizer.keys.current;
      authorizer.clock.time += 6 * minute;
      await authorizer.settled();
      expect(server.requests).to.equal(2);
      expect(authorizer.keys.current).to.equal(before);
    });
  });

  describe('when the issuer does not answer', () => {
    const responses: Readonly<Record<string, (server: JwksServer) => void>> = {
      'an error': (issuer) => issuer.answerWith(500, '{"keys":[]}'),
      'a redirect': (issuer) => issuer.answerWith(302, '', { Location: '/elsewhere' }),
      'a page': (issuer) => issuer.answerWith(200, '<html>'),
      nothing: (issuer) => issuer.answerWith(200, ''),
      'another document': (issuer) => issuer.answerWith(200, '{"keys":{}}'),
      'a list with something else in it': (issuer) => issuer.answerWith(200, '{"keys":[null]}'),
      'too much': (issuer) => issuer.answerWith(200, JSON.stringify({ keys: [], filler: 'x'.repeat(257 * 1024) })),
      'an end in the middle': (issuer) =>
        issuer.listenWith((_, response) => {
          response.writeHead(200, { 'Content-Length': '100' }).write('{"keys":[');
          response.destroy();
        }),
    };
    for (const [name, change] of Object.entries(responses)) {
      it(`but with ${name}, the known keys are still used`, async () => {
        const authorizer = new Authorizer(server);
        expect(await authorizer.accepts(signed(rsa, 'RS256'))).to.equal(true);
        change(server);
        authorizer.clock.time += hour;
        expect(await authorizer.accepts(signed(rsa, 'RS256'))).to.equal(true);
        expect(server.requests).to.equal(2);
        expect(await rejection(authorizer.keys.check())).to.be.instanceOf(Fault);
      });
    }

    it('its keys are used for a day, and it is asked once a minute', async () => {
      const authorizer = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      await authorizer.accepts(token);
      await server.close();
      authorizer.clock.time += 10 * minute;
      expect(authorizer.atOnce(token), 'the first one finds out').to.equal('a promise');
      await authorizer.settled();
      expect(authorizer.atOnce(token), 'the others do not wait').to.deep.equal({ name: 'the shop' });
      authorizer.clock.time += minute;
      expect(authorizer.atOnce(token), 'also while it is asked again').to.deep.equal({ name: 'the shop' });
      await authorizer.settled();
      authorizer.clock.time = 24 * hour - 1;
      expect(authorizer.atOnce(token)).to.deep.equal({ name: 'the shop' });
      await authorizer.settled();
      authorizer.clock.time += minute;
      expect(await rejection(authorizer.accepts(token))).to.include({ code: 'keys_unavailable' });
      expect(authorizer.lines).to.deep.equal([
        'the signing keys cannot be fetched {"reason":"the issuer cannot be reached"}',
      ]);
      await server.open();
      authorizer.clock.time += 5 * second;
      expect(await authorizer.accepts(token)).to.equal(true);
      expect(authorizer.lines[1]).to.equal('the signing keys can be fetched again {"keys":5}');
    });

    it('from the start, tokens are answered with keys_unavailable until it answers', async () => {
      await server.close();
      const authorizer = new Authorizer(server);
      const token = signed(rsa, 'RS256');
      const refusal = { code: 'keys_unavailable', retryAfterSeconds: 5 };
      expect(await rejection(authorizer.accepts(token))).to.include(refusal);
      await server.open();
      authorizer.clock.time += 5 * second - 1;
      expect(await rejection(authorizer.accepts(token))).to.include(refusal);
      authorizer.clock.time += 1;
      expect(await authorizer.accepts(token)).to.equal(true);
    });

    it('in time, the fetch fails after three seconds', async () => {
      server.listenWith(() => undefined);
      const started = performance.now();
      expect(await rejection(fetchJwks(server.url))).to.include({
        code: 'keys_unavailable',
        message: 'the issuer does not answer within 3 s',
      });
      expect(performance.now() - started).to.be.greaterThan(2_900);
    });

    it('the health check reports it without the URL', async () => {
      const authorizer = new Authorizer(server);
      expect(await authorizer.keys.check()).to.equal('5 signing keys of the issuer are known');
      server.answerWith(500, '');
      authorizer.clock.time += 5 * minute;
      const known = await rejection(authorizer.keys.check());
      expect(known).to.include({ message: 'the issuer answers with status 500; 5 signing keys are still used' });
      authorizer.clock.time += 24 * hour;
      const unknown = await rejection(authorizer.keys.check());
      expect(unknown).to.include({ message: 'the issuer answers with status 500' });
    });
  });

  it('a private key in a set is never used', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    server.answerWith(200, JSON.stringify({ keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'a' }] }));
    const token = signed({ privateKey, publicKey, jwk: { kid: 'a' } }, 'ES256');
    expect(await new Authorizer(server).accepts(token)).to.equal(false);
  });
});
