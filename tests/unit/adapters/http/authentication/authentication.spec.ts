import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { type Authenticator, denyAll } from '../../../../../adapters/http/authentication/authenticator.ts';
import { basicAuthenticator } from '../../../../../adapters/http/authentication/basic.ts';
import { oauthAuthenticator, type TokenPolicy } from '../../../../../adapters/http/authentication/oauth.ts';

/** The signature of the HMAC family, made without the library that verifies it. */
const hmac = (content: string, key: KeyObject, algorithm = 'HS256'): string =>
  createHmac(`sha${algorithm.slice(2)}`, key)
    .update(content)
    .digest('base64url');

const rsaSignature = (content: string, key: KeyObject): string =>
  sign('sha256', Buffer.from(content), key).toString('base64url');

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('Basic authentication', () => {
  const keys = [
    { application: 'shop', secret: 'the secret of the shop' },
    { application: 'café 漢', secret: 'a:secret:with:colons and ü' },
    { application: 'empty name of nobody', secret: ' ' },
  ];
  const authenticator = basicAuthenticator(keys);
  const accepted = (header: string | undefined): string | undefined => authenticator.authenticate(header)?.name;

  it('names the application of the key', () => {
    for (const { application, secret } of keys) {
      expect(accepted(`Basic ${base64(`${application}:${secret}`)}`)).to.equal(application);
    }
  });

  it('reads the scheme in any case, and spaces around the credentials', () => {
    const credentials = base64('shop:the secret of the shop');
    for (const header of [`basic ${credentials}`, `BASIC ${credentials}`, `Basic   ${credentials} `]) {
      expect(accepted(header)).to.equal('shop');
    }
  });

  it('finds each of a thousand keys, and only with its own secret', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ application: `app ${at}`, secret: `secret ${at}` }));
    const { authenticate } = basicAuthenticator(many);
    for (const at of [0, 1, 499, 998, 999]) {
      expect(authenticate(`Basic ${base64(`app ${at}:secret ${at}`)}`)?.name).to.equal(`app ${at}`);
      expect(authenticate(`Basic ${base64(`app ${at}:secret ${at + 1}`)}`)).to.equal(undefined);
    }
  });

  const refused = {
    nothing: undefined,
    'an empty header': '',
    'the scheme only': 'Basic',
    'the scheme and a space': 'Basic ',
    'another scheme': `Bearer ${base64('shop:the secret of the shop')}`,
    'a scheme that starts like it': `Basics ${base64('shop:the secret of the shop')}`,
    'no scheme': base64('shop:the secret of the shop'),
    'a wrong secret': `Basic ${base64('shop:the secret of the shop!')}`,
    'a shorter secret': `Basic ${base64('shop:the secret of the sho')}`,
    'no secret': `Basic ${base64('shop:')}`,
    'no colon': `Basic ${base64('shop')}`,
    'a wrong application': `Basic ${base64('shop2:the secret of the shop')}`,
    'another case': `Basic ${base64('Shop:the secret of the shop')}`,
    'the secret of another key': `Basic ${base64('shop:a:secret:with:colons and ü')}`,
    'text that is not encoded': 'Basic shop:the secret of the shop',
    'malformed base64': 'Basic ====',
    'base64 with a character of another alphabet': `Basic ${base64('shop:the secret of the shop')}!`,
    'base64 with a space inside': `Basic ${base64('shop:the secret of the shop').replace(/^.{4}/, '$& ')}`,
    'Latin-1': `Basic ${base64(Buffer.from('café:a:secret', 'latin1'))}`,
    'a byte order mark': `Basic ${base64('\ufeffshop:the secret of the shop')}`,
    'two credentials': `Basic ${base64('shop:the secret of the shop')}, Basic ${base64('a:b')}`,
  };
  for (const [name, header] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(accepted(header)).to.equal(undefined);
    });
  }

  it('takes bytes that are no UTF-8 for nothing, not for the character that stands in for them', () => {
    const { authenticate } = basicAuthenticator([{ application: 'shop', secret: '\ufffd' }]);
    expect(authenticate(`Basic ${base64('shop:\ufffd')}`)?.name).to.equal('shop');
    expect(authenticate(`Basic ${base64(Buffer.from('shop:\xff', 'latin1'))}`)).to.equal(undefined);
  });

  it('challenges for UTF-8', () => {
    expect(authenticator.challenge(undefined)).to.equal('Basic realm="latchkey", charset="UTF-8"');
  });
});

describe('without a block auth', () => {
  it('nobody is let in', () => {
    expect(denyAll.authenticate(`Basic ${base64(':')}`)).to.equal(undefined);
    expect(denyAll.challenge(undefined)).to.match(/^Basic /);
  });
});

describe('OAuth authentication', () => {
  const secret = 'an HMAC secret of at least thirty-two bytes';
  const hmacKey = createSecretKey(secret, 'utf8');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const claims = { iss: 'the issuer', sub: 'the shop', aud: 'latchkey' };
  const now = (): number => Math.floor(Date.now() / 1000);

  const policy: TokenPolicy = {
    hmacKey,
    rsaKey: rsa.publicKey,
    issuer: 'the issuer',
    audience: ['latchkey'],
    requireExpiry: false,
  };
  const both = oauthAuthenticator(policy);
  const hmacOnly = oauthAuthenticator({ ...policy, rsaKey: null });
  const rsaOnly = oauthAuthenticator({ ...policy, hmacKey: null });
  const accepts = (authenticator: Authenticator, token: string): boolean =>
    authenticator.authenticate(`Bearer ${token}`) !== undefined;

  const part = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

  /** A token whose header and payload are whatever is given, with a true HMAC signature. */
  const forged = (header: unknown, payload: unknown): string => {
    const content = `${part(header)}.${part(payload)}`;
    return `${content}.${hmac(content, hmacKey)}`;
  };

  it('names the subject; a token without one is accepted all the same', () => {
    expect(both.authenticate(`Bearer ${jwt.sign(claims, secret)}`)).to.deep.equal({ name: 'the shop' });
    const { sub: _, ...nameless } = claims;
    expect(both.authenticate(`Bearer ${jwt.sign(nameless, secret)}`)).to.deep.equal({ name: undefined });
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
    'an algorithm that nobody knows': ofAlgorithm('HS1'),
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

  it('accepts a token made by hand, so that the refusals above mean something', () => {
    expect(accepts(both, forged({ alg: 'HS256', typ: 'JWT' }, claims))).to.equal(true);
    expect(accepts(both, forged({ alg: 'HS256' }, { ...claims, exp: now() + 60, nbf: now() - 60 }))).to.equal(true);
  });

  it('forgives clocks that differ by less than five seconds', () => {
    expect(accepts(both, jwt.sign({ ...claims, exp: now() - 2 }, secret))).to.equal(true);
    expect(accepts(both, jwt.sign({ ...claims, nbf: now() + 3 }, secret))).to.equal(true);
  });

  it('refuses a token that was accepted before, once it has expired, and one that differs from it', () => {
    const token = jwt.sign({ ...claims, exp: now() + 60 }, secret);
    expect(accepts(both, token)).to.equal(true);
    const [head, payload] = token.split('.');
    expect(accepts(both, `${head}.${payload}.${part('another signature')}`)).to.equal(false);
    const clock = Date.now;
    try {
      Date.now = () => clock() + 66_000;
      expect(accepts(both, token)).to.equal(false);
    } finally {
      Date.now = clock;
    }
    expect(accepts(both, token)).to.equal(true);
  });

  it('accepts one of several audiences; without a configured one, any and none', () => {
    const several = oauthAuthenticator({ ...policy, audience: ['first', 'second'] });
    const any = oauthAuthenticator({ ...policy, audience: [] });
    expect(accepts(several, jwt.sign({ ...claims, aud: ['x', 'second'] }, secret))).to.equal(true);
    expect(accepts(several, jwt.sign(claims, secret))).to.equal(false);
    for (const token of [jwt.sign(claims, secret), jwt.sign({ iss: 'the issuer' }, secret)]) {
      expect(accepts(any, token)).to.equal(true);
    }
  });

  it('with requireExpiry, refuses a token that never expires', () => {
    const strict = oauthAuthenticator({ ...policy, requireExpiry: true });
    expect(accepts(strict, jwt.sign(claims, secret))).to.equal(false);
    expect(accepts(strict, jwt.sign(claims, secret, { expiresIn: 60 }))).to.equal(true);
  });

  it('tells in the challenge whether there was a token', () => {
    expect(both.challenge(undefined)).to.equal('Bearer realm="latchkey"');
    expect(both.challenge(`Basic ${base64('a:b')}`)).to.equal('Bearer realm="latchkey"');
    expect(both.challenge('bearer abc')).to.equal('Bearer realm="latchkey", error="invalid_token"');
  });

  it('never throws, and lets nothing in, whatever the header is', () => {
    const json = fc.oneof(fc.json(), fc.constantFrom('{"alg":"HS256"}', '{"alg":"RS256"}', '{"alg":"none"}'));
    const tokens = fc
      .tuple(json, json, fc.string())
      .map(([header, payload, signature]) => `${part(header)}.${part(payload)}.${part(signature)}`);
    const headers = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(
          fc.constantFrom('Bearer ', 'Basic ', 'bearer', 'Basic'),
          fc.oneof(fc.string(), tokens, fc.base64String()),
        )
        .map((both) => both.join('')),
    );
    const basic = basicAuthenticator([{ application: 'shop', secret: 'a secret' }]);
    const property = fc.property(headers, (header) => {
      for (const authenticator of [both, basic, denyAll]) {
        expect(authenticator.authenticate(header)).to.equal(undefined);
        expect(authenticator.challenge(header)).to.match(/^[\x20-\x7e]+$/);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});
