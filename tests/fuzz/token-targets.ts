import { createSecretKey, hash } from 'node:crypto';
import { basicAuthenticator, credentialsOf } from '../../adapters/http/authentication/authenticator.ts';
import { attempt, bearerAuthenticator, headerOf } from '../../adapters/http/authentication/bearer-token.ts';
import { isOutstanding } from '../../application/constant-time.ts';
import { codeTokens, linkTokens } from '../../application/mailed-tokens.ts';
import { withUuids } from '../../application/verification/verification-codes.ts';
import { keyOf } from '../../domain/email-address.ts';
import { audience, claims, hmac, issuer, token } from '../reliability/invalid-tokens.ts';
import { jane } from '../support/users.ts';
import { assert, type FuzzTarget } from './fuzz-target.ts';

const secret = 'a secret of thirty-two characters';
const policy = { issuer, audience: [audience], requireExpiry: false, scopePrefix: 'latchkey:' };
const bearer = bearerAuthenticator({
  ...policy,
  hmacKeys: [{ key: createSecretKey(Buffer.from(secret)), option: 'auth.hmac', expires: null }],
  rsaKey: null,
});
const application = 'shop';
const basic = basicAuthenticator([
  { application, secrets: [{ secret, sha256: hash('sha256', secret), option: 'auth', expires: null }] },
  { application: 'other', secrets: [{ secret: null, sha256: hash('sha256', 'other'), option: 'auth', expires: null }] },
]);
const credentials = [`${application}:${secret}`, 'other:other'];

const { exp: _, ...unlimited } = claims();
const signed = [
  { scope: 'latchkey:read latchkey:update' },
  { scope: ['latchkey:read'], nbf: 1 },
  { exp: 4_102_444_800 },
].map((more) => token({ alg: 'HS256', typ: 'JWT' }, { ...unlimited, ...more }, hmac(secret)));
const signatures: ReadonlySet<string> = new Set(signed.map((one) => one.slice(0, one.lastIndexOf('.'))));

const fromHeader = (data: Buffer): string => data.toString('latin1');
const codeKey = { secret, option: 'recovery', expires: null };
const kinds = [
  linkTokens,
  codeTokens([codeKey, codeKey], { now: () => 0 }),
  withUuids(codeTokens([codeKey], { now: () => 0 })),
];

/** What proves a client or a person. */
export const tokenTargets: Readonly<Record<string, FuzzTarget>> = {
  bearerTokens: {
    seeds: [...signed, ...signed.map((one) => `Bearer ${one}`), 'bearer a.b.c', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
    run: (data) => {
      const text = fromHeader(data);
      for (const header of [text, `Bearer ${text}`]) {
        const client = bearer.authenticate(header);
        const given = credentialsOf('bearer', header) ?? '';
        assert(
          client === undefined || signatures.has(given.slice(0, given.lastIndexOf('.'))),
          'only what the issuer signed is a token',
        );
        const challenge = bearer.challenge(header);
        assert(/^[ -~]+$/.test(challenge) && challenge.length < 100, 'a challenge does not repeat the header');
      }
    },
  },
  tokenHeaders: {
    seeds: ['{"alg":"HS256","kid":"1"}', '{"alg":"RS256","crit":["b64"]}', '{"alg":[],"__proto__":{}}'],
    run: (data) => {
      const header = attempt(() => headerOf(`${data.toString('base64url')}.e30.AAAA`));
      assert(header === undefined || typeof header.alg === 'string', 'a header names its algorithm');
    },
  },
  basicKeys: {
    seeds: [...credentials, '', ':', 'other:', `${application}:${secret}\0`].map((one) => Buffer.from(one)),
    run: (data) => {
      const text = data.toString('latin1');
      for (const header of [
        text,
        `Basic ${text}`,
        `bAsIc ${data.toString('base64')}`,
        `Basic ${data.toString('base64url')}`,
      ]) {
        const client = basic.authenticate(header);
        const given = Buffer.from(credentialsOf('basic', header) ?? '', 'base64').toString('latin1');
        assert((client !== undefined) <= credentials.includes(given), 'only a key proves a client');
      }
    },
  },
  mailedTokens: {
    seeds: [...kinds.map(({ next }) => next()), '000000', ' 123 456 ', 'Yk5mE2v0b1hC7Zr9p3wQ4sT6uX8aD0fGjKlMnBqRcVt'],
    run: (data) => {
      const given = data.toString();
      for (const tokens of kinds) {
        const stored = tokens.digest(keyOf(jane), given);
        assert(
          tokens.digests(keyOf(jane), given).every((one) => isOutstanding(stored, one)),
          'a token is its own',
        );
        assert(stored.length === tokens.digest(keyOf(jane), '').length, 'digests have one length');
        assert(!isOutstanding(undefined, stored) && !isOutstanding(null, given), 'no token is no token');
      }
    },
  },
};
