import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { JwksServer } from '../../sdk/contract/http/jwks-server.ts';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { invalidJwksTokens, newPublishedKeys, unusableKeys, validJwksTokens } from './invalid-jwks-tokens.ts';
import {
  audience,
  invalidTokens,
  issuer,
  type TokenKeys,
  tokenWithoutExpiry,
  validToken,
  withFlippedBit,
} from './invalid-tokens.ts';
import type { RandomStream } from './random.ts';

/** The endpoints that require a token (docs/api.md, "Operations"). */
const endpoints = [
  ['POST', '/users'],
  ['PUT', '/users'],
  ['PATCH', at('jane@example.com')],
  ['GET', at('jane@example.com')],
  ['DELETE', at('jane@example.com')],
  ['POST', '/verify?email=jane%40example.com'],
  ['POST', '/verify/reset?email=jane%40example.com'],
] as const;

interface KeyConfiguration {
  readonly auth: Readonly<Record<string, unknown>>;
  /** The accepted families of algorithms. */
  readonly families: readonly ('HS' | 'RS')[];
  /** Valid and forged tokens for the keys that the issuer publishes. */
  readonly published?: { readonly validToken: readonly string[]; readonly forged: readonly string[] };
}

const keyFiles = { spki: 'key.spki.der', pkcs1: 'key.pkcs1.der' } as const;

/** Every way to configure keys. */
const keyConfigurations = (
  hmacSecret: string,
  jwksUrl: string,
  published: NonNullable<KeyConfiguration['published']>,
): readonly KeyConfiguration[] => [
  { auth: { hmacSecret }, families: ['HS'] },
  { auth: { rsaPublicKeyFilePath: keyFiles.spki }, families: ['RS'] },
  { auth: { rsaPublicKeyFilePath: keyFiles.pkcs1 }, families: ['RS'] },
  { auth: { hmacSecret, rsaPublicKeyFilePath: keyFiles.spki, requireExpiry: true }, families: ['HS', 'RS'] },
  { auth: { jwksUrl }, families: [], published },
  { auth: { jwksUrl, hmacSecret, rsaPublicKeyFilePath: keyFiles.spki }, families: ['HS', 'RS'], published },
];

const bearer = (token: string) => ({ Authorization: `Bearer ${token}`, password: 'any' });

const expectAccepted = async (caller: Caller, token: string): Promise<void> => {
  const response = await caller.call('GET', at('jane@example.com'), undefined, bearer(token));
  expect(response?.status, 'a valid token').to.equal(404);
};

const expectRefused = async (
  caller: Caller,
  token: string,
  [method, path]: (typeof endpoints)[number],
): Promise<void> => {
  const response = await caller.call(method, path, undefined, bearer(token));
  expect(response?.status, `${method} ${path} with ${token}`).to.equal(401);
  expect(response?.headers['www-authenticate']).to.match(/^Bearer realm="latchkey"/);
  if (token.length > 8) expect(response?.body).to.not.include(token);
};

/** Sends invalid and changed tokens to a service with these keys. Resolves with the number of refused ones. */
const sendInvalidTokens = async (
  caller: Caller,
  keys: TokenKeys,
  keyConfiguration: KeyConfiguration,
  changed: number,
  random: RandomStream,
) => {
  const { auth, families, published } = keyConfiguration;
  const right = [...families.map((family) => validToken(family, keys)), ...(published?.validToken ?? [])];
  const foreign = (['HS', 'RS'] as const).filter((family) => !families.includes(family));
  const wrong = [
    ...invalidTokens(keys),
    ...(published?.forged ?? []),
    ...foreign.map((family) => validToken(family, keys)),
    ...Array.from({ length: changed }, (_, index) => withFlippedBit(right[index % right.length] ?? '', random)),
    ...('requireExpiry' in auth ? [tokenWithoutExpiry(keys)] : []),
  ];
  for (const token of right) await expectAccepted(caller, token);
  for (const [index, token] of wrong.entries()) {
    await expectRefused(caller, token, endpoints[index % endpoints.length] ?? endpoints[0]);
  }
  for (const token of right) await expectAccepted(caller, token);
  return wrong.length;
};

/** Tests known forgeries, and random changes. A round is a valid token with one changed bit. */
export const forgedTokens: Guarantee = {
  name: 'a forged token gets 401 with every key configuration: algorithms, keys, critical headers, claims, malformed tokens and single changed bits',
  rounds: { short: 200, long: 10_000 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    const installation = await Installation.create();
    const [publishedKeys, unusable] = [newPublishedKeys(), unusableKeys()];
    const issuerOfKeys = await JwksServer.start(...Object.values(publishedKeys), ...unusable);
    try {
      const hmacSecret = `an HMAC secret ${random.uuid()}`;
      const keys = { hmacSecret, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
      for (const type of ['spki', 'pkcs1'] as const) {
        await installation.write(keyFiles[type], keys.publicKey.export({ type, format: 'der' }));
      }
      const published = {
        validToken: validJwksTokens(publishedKeys),
        forged: invalidJwksTokens(publishedKeys, unusable),
      };
      const configurations = keyConfigurations(hmacSecret, issuerOfKeys.url, published);
      let refused = 0;
      for (const [index, keyConfiguration] of configurations.entries()) {
        await installation.configure({ auth: { type: 'oauth', issuer, audience, ...keyConfiguration.auth } });
        const serving = await installation.serve();
        const caller = new Caller(serving.url);
        const changed = Math.ceil(rounds / configurations.length);
        refused += await sendInvalidTokens(caller, keys, keyConfiguration, changed, random.stream(index));
        caller.close();
        expect(await serving.stop()).to.equal(0);
        expect(serving.run.stdout + serving.run.stderr).to.not.include(hmacSecret);
      }
      return `${refused} forged tokens, ${rounds} of them with one changed bit, over ${configurations.length} configurations of keys: all 401`;
    } finally {
      await issuerOfKeys.close();
      await installation.dispose();
    }
  },
};
