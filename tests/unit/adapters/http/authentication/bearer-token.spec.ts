import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { type Authenticator, basicAuthenticator } from '../../../../../adapters/http/authentication/authenticator.ts';
import {
  bearerAuthenticator,
  digestOf,
  type TokenPolicy,
  VerifiedTokens,
} from '../../../../../adapters/http/authentication/bearer-token.ts';
import { codePoint } from '../../../../../sdk/contract/arbitraries.ts';
import { basicKey, hmacKeyOf } from '../../../../support/client-keys.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';

/** An HMAC signature, made without the library that verifies it. */
const hmac = (content: string, key: KeyObject, algorithm = 'HS256'): string =>
  createHmac(`sha${algorithm.slice(2)}`, key)
    .update(content)
    .digest('base64url');

const rsaSignature = (content: string, key: KeyObject): string =>
  sign('sha256', Buffer.from(content), key).toString('base64url');

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('the authenticator for bearer tokens', () => {
  const secret = 'an HMAC secret of at least thirty-two bytes';
  const hmacKey = createSecretKey(secret, 'utf8');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = { iss: 'the issuer', sub: 'the shop', aud: 'latchkey' };
  const now = (): number => Math.floor(Date.now() / 1000);

  const policy: TokenPolicy = {
    hmacKeys: [hmacKeyOf(secret)],
    rsaKey: rsa.publicKey,
    issuer: 'the issuer',
    audience: ['latchkey'],
    requireExpiry: false,
  };
  const both = bearerAuthenticator(policy);
  const hmacOnly = bearerAuthenticator({ ...policy, rsaKey: null });
  const rsaOnly = bearerAuthenticator({ ...policy, hmacKeys: [] });
  const accepts = (authenticator: Authenticator, token: string): boolean =>
    authenticator.authenticate(`Bearer ${token}`) !== undefined;

  const part = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

  /** A token with this header and payload, and a valid HMAC signature. */
  const forged = (header: unknown, payload: unknown): string => {
    const content = `${part(header)}.${part(payload)}`;
    return `${content}.${hmac(content, hmacKey)}`;
  };

  describe('with two HMAC secrets', () => {
    const other = 'another HMAC secret of at least thirty-two bytes';
    const start = Date.UTC(2030, 0, 31);
    const iat = start / 1_000;
    const clock = new ManualClock(start);
    beforeEach(() => {
      clock.time = start;
    });

    it('accepts tokens of each until it expires, also those that it has verified before', () => {
      const hmacKeys = [hmacKeyOf(other, 0, start + 60_000), hmacKeyOf(secret, 1)];
      const two = bearerAuthenticator({ ...policy, hmacKeys }, clock);
      const [former, next] = [jwt.sign(claims, other), jwt.sign(claims, secret)];
      const unused = jwt.sign({ ...claims, sub: 'another client' }, other);
      expect([former, next].map((token) => accepts(two, token))).to.eql([true, true]);
      expect(accepts(two, jwt.sign(claims, `${secret}!`))).to.equal(false);
      clock.time += 59_999;
      expect(accepts(two, former)).to.equal(true);
      clock.time += 1;
      expect([former, unused, next].map((token) => accepts(two, token))).to.eql([false, false, true]);
    });

    it('accepts no token longer than it says', () => {
      const two = bearerAuthenticator({ ...policy, hmacKeys: [hmacKeyOf(other), hmacKeyOf(secret, 1)] }, clock);
      const token = jwt.sign({ ...claims, iat }, secret, { expiresIn: 60 });
      const unused = jwt.sign({ ...claims, iat, sub: 'another client' }, secret, { expiresIn: 60 });
      expect(accepts(two, token)).to.equal(true);
      clock.time += 70_000;
      expect([token, unused].map((each) => accepts(two, each))).to.eql([false, false]);
      clock.time = start;
      expect(
        [token, unused].map((each) => accepts(two, each)),
        'after the clock was set back',
      ).to.eql([true, true]);
    });

    it('tells which of them signed', () => {
      const two = bearerAuthenticator({ ...policy, hmacKeys: [hmacKeyOf(other), hmacKeyOf(secret, 1)] }, clock);
      expect(two.uses?.map(({ option }) => option)).to.eql(['auth.hmacSecret[0]', 'auth.hmacSecret[1]']);
      for (const _ of ['verified', 'found among verified ones'])
        expect([jwt.sign(claims, other), jwt.sign(claims, secret)].map((token) => two.authenticate(`Bearer ${token}`)))
          .to.have.nested.property('[1].secret')
          .that.equals(two.uses?.[1]);
    });
  });

  it('returns the subject, and accepts a token without one', () => {
    expect(both.authenticate(`Bearer ${jwt.sign(claims, secret)}`)).to.deep.equal({ name: 'the shop' });
    const { sub: _, ...nameless } = claims;
    expect(both.authenticate(`Bearer ${jwt.sign(nameless, secret)}`)).to.deep.equal({ name: undefined });
  });

  const scopes: readonly (readonly [scope: unknown, permissions: readonly string[]])[] = [
    ['openid users:read users:without-password read users:list', ['read', 'without-password']],
    [['users:create', 'users:', 7, 'users:create'], ['create']],
    ['users:readusers:create Users:read', []],
    [undefined, []],
    [{ 'users:read': true }, []],
  ];
  for (const [scope, permissions] of scopes)
    it(`with a scope prefix, permits ${permissions.join(' and ') || 'nothing'} with the scope ${JSON.stringify(scope)}`, () => {
      const limited = bearerAuthenticator({ ...policy, scopePrefix: 'users:' });
      const header = `Bearer ${jwt.sign({ ...claims, scope }, secret)}`;
      for (const client of [limited.authenticate(header), limited.authenticate(header)])
        expect(client).to.deep.equal({ name: 'the shop', may: new Set(permissions) });
      expect(both.authenticate(header)).to.deep.equal({ name: 'the shop' });
    });

  for (const size of ['256', '384', '512'] as const) {
    it(`accepts HS${size} and RS${size}, each with its own key only`, () => {
      const hs = jwt.sign(claims, secret, { algorithm: `HS${size}` });
      const rs = jwt.sign(claims, rsa.privateKey, { algorithm: `RS${size}` });
      expect([both, hmacOnly, rsaOnly].map((one) => accepts(one, hs))).to.deep.equal([true, true, false]);
      expect([both, hmacOnly, rsaOnly].map((one) => accepts(one, rs))).to.deep.equal([true, false, true]);
    });
  }

  const encodings = {
    'SPKI as PEM': rsa.publicKey.export({ type: 'spki', format: 'pem' }),
    'SPKI as PEM without the last line break': rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString().trim(),
    'SPKI as DER': rsa.publicKey.export({ type: 'spki', format: 'der' }),
    'SPKI as DER in base64': rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    'PKCS1 as PEM': rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }),
    'PKCS1 as DER': rsa.publicKey.export({ type: 'pkcs1', format: 'der' }),
    'a JWK': JSON.stringify(rsa.publicKey.export({ format: 'jwk' })),
    nothing: Buffer.alloc(0),
  };
  for (const [name, encoding] of Object.entries(encodings)) {
    it(`refuses a token of the HMAC family that is signed with the public RSA key: ${name}`, () => {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const content = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
        const token = `${content}.${hmac(content, createSecretKey(Buffer.from(encoding)), alg)}`;
        for (const authenticator of [both, rsaOnly, hmacOnly]) expect(accepts(authenticator, token)).to.equal(false);
      }
    });
  }

  const ofAlgorithm = (alg: unknown): string => forged({ alg, typ: 'JWT' }, claims);
  const content = (alg: string): string => `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  const tokens: Readonly<Record<string, string>> = {
    'no algorithm, no signature': `${content('none')}.`,
    'no algorithm in another case': `${content('NoNe')}.`,
    'no algorithm, with a signature': ofAlgorithm('none'),
    'RS256 with the HMAC signature': ofAlgorithm('RS256'),
    'HS256 with the RSA signature': `${content('HS256')}.${rsaSignature(content('HS256'), rsa.privateKey)}`,
    'PS256 with the RSA key': jwt.sign(claims, rsa.privateKey, { algorithm: 'PS256' }),
    'ES256 with another key': jwt.sign(claims, ec.privateKey, { algorithm: 'ES256' }),
    'RS256 with another key': jwt.sign(claims, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, {
      algorithm: 'RS256',
    }),
    'HS256 with another secret': jwt.sign(claims, `${secret}!`),
    'an algorithm in lower case': ofAlgorithm('hs256'),
    'an algorithm that starts like one': ofAlgorithm('HS'),
    'an unknown algorithm': ofAlgorithm('HS1'),
    'a number for the algorithm': ofAlgorithm(256),
    'null for the algorithm': ofAlgorithm(null),
    'a list for the algorithm': ofAlgorithm(['HS256']),
    'an object for the algorithm': ofAlgorithm({ slice: 'HS' }),
    'the algorithm missing': forged({ typ: 'JWT' }, claims),
    'an inherited name for the algorithm': ofAlgorithm('constructor'),
    'a critical extension': forged({ alg: 'HS256', crit: ['exp'], exp: 1 }, claims),
    'an empty list of critical extensions': forged({ alg: 'HS256', crit: [] }, claims),
    'a header that is a text': forged('"HS256"', claims),
    'a header that is null': forged('null', claims),
    'a payload that is a text': forged({ alg: 'HS256' }, '"the issuer"'),
    'a payload that is a list': forged({ alg: 'HS256', typ: 'JWT' }, [claims]),
    'a payload that is null': forged({ alg: 'HS256', typ: 'JWT' }, 'null'),
    'a payload that is no JSON': forged({ alg: 'HS256', typ: 'JWT' }, '{'),
    'another issuer': jwt.sign({ ...claims, iss: 'another issuer' }, secret),
    'no issuer': jwt.sign({ sub: 'a', aud: 'latchkey' }, secret),
    'a list of issuers': forged({ alg: 'HS256' }, { ...claims, iss: ['the issuer'] }),
    'another audience': jwt.sign({ ...claims, aud: 'latch' }, secret),
    'other audiences': jwt.sign({ ...claims, aud: ['latch', 'key'] }, secret),
    'no audience': jwt.sign({ iss: 'the issuer' }, secret),
    'an expiry that is over': jwt.sign({ ...claims, exp: now() - 10 }, secret),
    'an expiry of 0': forged({ alg: 'HS256' }, { ...claims, exp: 0 }),
    'an expiry that is a text': forged({ alg: 'HS256' }, { ...claims, exp: `${now() + 60}` }),
    'an expiry that is null': forged({ alg: 'HS256' }, { ...claims, exp: null }),
    'an expiry that is not finite': forged({ alg: 'HS256' }, JSON.stringify(claims).replace('}', ',"exp":1e999}')),
    'a beginning to come': jwt.sign({ ...claims, nbf: now() + 3600 }, secret),
    'a beginning that is a text': forged({ alg: 'HS256' }, { ...claims, nbf: 'now' }),
    'a beginning that is not finite': forged({ alg: 'HS256' }, JSON.stringify(claims).replace('}', ',"nbf":-1e999}')),
    'one part': 'abc',
    'two parts': `${part({ alg: 'HS256' })}.${part(claims)}`,
    'four parts': `${jwt.sign(claims, secret)}.abc`,
    'a changed payload': jwt.sign(claims, secret).replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'admin' })}.`),
  };
  for (const [name, token] of Object.entries(tokens)) {
    it(`refuses a token with ${name}`, () => {
      for (const authenticator of [both, hmacOnly, rsaOnly]) expect(accepts(authenticator, token)).to.equal(false);
    });
  }

  it('accepts a valid token from the same generator, so that the tokens above are refused for their flaw only', () => {
    expect(accepts(both, forged({ alg: 'HS256', typ: 'JWT' }, claims))).to.equal(true);
    expect(accepts(both, forged({ alg: 'HS256' }, { ...claims, exp: now() + 60, nbf: now() - 60 }))).to.equal(true);
  });

  it('tolerates clocks that differ by less than five seconds', () => {
    expect(accepts(both, jwt.sign({ ...claims, exp: now() - 2 }, secret))).to.equal(true);
    expect(accepts(both, jwt.sign({ ...claims, nbf: now() + 3 }, secret))).to.equal(true);
  });

  it('refuses a cached token after its expiry, and a token that differs from a cached one', () => {
    const clock = new ManualClock(Date.now());
    const clocked = bearerAuthenticator(policy, clock);
    const token = jwt.sign({ ...claims, exp: now() + 60 }, secret);
    expect(accepts(clocked, token)).to.equal(true);
    const [head, payload] = token.split('.');
    expect(accepts(clocked, `${head}.${payload}.${part('another signature')}`)).to.equal(false);
    clock.time += 66_000;
    expect(accepts(clocked, token)).to.equal(false);
    clock.time -= 66_000;
    expect(accepts(clocked, token)).to.equal(true);
  });

  it('refuses a cached token before its beginning, once the clock is set back', () => {
    const clock = new ManualClock(Date.now() + 3_600_000);
    const clocked = bearerAuthenticator(policy, clock);
    const token = jwt.sign({ ...claims, nbf: now() + 1_800 }, secret);
    expect(accepts(clocked, token)).to.equal(true);
    clock.time -= 3_600_000;
    expect(accepts(clocked, token)).to.equal(false);
    clock.time += 1_800_000;
    expect(accepts(clocked, token)).to.equal(true);
  });

  it('accepts one of several audiences, or any and none when none is configured', () => {
    const several = bearerAuthenticator({ ...policy, audience: ['first', 'second'] });
    const any = bearerAuthenticator({ ...policy, audience: [] });
    expect(accepts(several, jwt.sign({ ...claims, aud: ['x', 'second'] }, secret))).to.equal(true);
    expect(accepts(several, jwt.sign(claims, secret))).to.equal(false);
    for (const token of [jwt.sign(claims, secret), jwt.sign({ iss: 'the issuer' }, secret)]) {
      expect(accepts(any, token)).to.equal(true);
    }
  });

  it('refuses a token without expiry if requireExpiry is set', () => {
    const strict = bearerAuthenticator({ ...policy, requireExpiry: true });
    expect(accepts(strict, jwt.sign(claims, secret))).to.equal(false);
    expect(accepts(strict, jwt.sign(claims, secret, { expiresIn: 60 }))).to.equal(true);
  });

  it('names invalid_token in the challenge only after a token', () => {
    expect(both.challenge(undefined)).to.equal('Bearer realm="latchkey"');
    expect(both.challenge(`Basic ${base64('a:b')}`)).to.equal('Bearer realm="latchkey"');
    expect(both.challenge('bearer abc')).to.equal('Bearer realm="latchkey", error="invalid_token"');
  });

  it('refuses arbitrary headers without an error', () => {
    const json = fc.oneof(fc.json(), fc.constantFrom('{"alg":"HS256"}', '{"alg":"RS256"}', '{"alg":"none"}'));
    const tokens = fc
      .tuple(json, json, fc.string())
      .map(([header, payload, signature]) => `${part(header)}.${part(payload)}.${part(signature)}`);
    const headers = fc.oneof(
      fc.string({ unit: codePoint }),
      fc
        .tuple(
          fc.constantFrom('Bearer ', 'Basic ', 'bearer', 'Basic'),
          fc.oneof(fc.string(), tokens, fc.base64String()),
        )
        .map((both) => both.join('')),
    );
    const basic = basicAuthenticator([basicKey('shop', 'a secret')]);
    const property = fc.property(headers, (header) => {
      for (const authenticator of [both, basic, basicAuthenticator([])]) {
        expect(authenticator.authenticate(header)).to.equal(undefined);
        expect(authenticator.challenge(header)).to.match(/^[\x20-\x7e]+$/);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('the cache of verified tokens', () => {
  const client = { name: 'shop' };

  it('returns the client of a token until the token expires', () => {
    const tokens = new VerifiedTokens(10);
    tokens.add('a', { client, fromMs: 0, untilMs: 1_000 });
    expect(tokens.clientOf('a', 999)).to.equal(client);
    expect(tokens.clientOf('a', 1_000)).to.equal(undefined);
    expect(tokens.clientOf('b', 0)).to.equal(undefined);
  });

  it('removes the least recently used token when it is full', () => {
    const tokens = new VerifiedTokens(3);
    for (const token of ['a', 'b', 'c']) tokens.add(token, { client, fromMs: 0, untilMs: 1 });
    expect(tokens.clientOf('a', 0)).to.equal(client);
    tokens.add('d', { client, fromMs: 0, untilMs: 1 });
    const known = ['a', 'b', 'c', 'd'].filter((token) => tokens.clientOf(token, 0) !== undefined);
    expect(known).to.deep.equal(['a', 'c', 'd']);
  });

  it('finds tokens by a digest that contains no part of them', () => {
    expect(digestOf('a.b.c')).to.match(/^[A-Za-z0-9+/]{43}=$/);
    expect(digestOf('a.b.c')).to.not.equal(digestOf('a.b.d'));
  });
});
