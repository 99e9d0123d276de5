import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { KeySetServer } from '../../sdk/contract/http/key-set-server.ts';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { audience, changedByABit, endless, forgeries, genuine, issuer, type SigningKeys } from './forgeries.ts';
import type { Promised } from './guarantee.ts';
import { genuinePublished, newPublishedKeys, publishedForgeries, uselessKeys } from './published-forgeries.ts';

/** The endpoints that take a token (specification, section 4). */
const endpoints = [
  ['POST', '/users'],
  ['PUT', '/users'],
  ['GET', at('somebody@example.com')],
  ['DELETE', at('somebody@example.com')],
  ['POST', '/verify?email=somebody%40example.com'],
  ['POST', '/verify/reset?email=somebody%40example.com'],
] as const;

interface Acceptance {
  readonly auth: Readonly<Record<string, unknown>>;
  /** The families of algorithms that are accepted. */
  readonly families: readonly ('HS' | 'RS')[];
  /** What is accepted and forged where an issuer publishes its keys. */
  readonly published?: { readonly genuine: readonly string[]; readonly forged: readonly string[] };
}

const keyFiles = { spki: 'key.spki.der', pkcs1: 'key.pkcs1.der' } as const;

/** Every way in which keys can be configured. */
const acceptances = (
  hmacSecret: string,
  jwksUrl: string,
  published: NonNullable<Acceptance['published']>,
): readonly Acceptance[] => [
  { auth: { hmacSecret }, families: ['HS'] },
  { auth: { rsaPublicKeyFilePath: keyFiles.spki }, families: ['RS'] },
  { auth: { rsaPublicKeyFilePath: keyFiles.pkcs1 }, families: ['RS'] },
  { auth: { hmacSecret, rsaPublicKeyFilePath: keyFiles.spki, requireExpiry: true }, families: ['HS', 'RS'] },
  { auth: { jwksUrl }, families: [], published },
  { auth: { jwksUrl, hmacSecret, rsaPublicKeyFilePath: keyFiles.spki }, families: ['HS', 'RS'], published },
];

const bearer = (token: string) => ({ Authorization: `Bearer ${token}`, password: 'any' });

const isLetIn = async (caller: Caller, token: string): Promise<void> => {
  const answer = await caller.call('GET', at('somebody@example.com'), undefined, bearer(token));
  expect(answer?.status, 'a genuine token').to.equal(404);
};

const isRefused = async (caller: Caller, token: string, [method, path]: (typeof endpoints)[number]): Promise<void> => {
  const answer = await caller.call(method, path, undefined, bearer(token));
  expect(answer?.status, `${method} ${path} with ${token}`).to.equal(401);
  expect(answer?.headers['www-authenticate']).to.match(/^Bearer realm="latchkey"/);
  if (token.length > 8) expect(answer?.body).to.not.include(token);
};

/** Sends every forgery, and changed tokens, to a service with these keys; resolves with how many were refused. */
const forge = async (caller: Caller, keys: SigningKeys, acceptance: Acceptance, changed: number) => {
  const { auth, families, published } = acceptance;
  const right = [...families.map((family) => genuine(family, keys)), ...(published?.genuine ?? [])];
  const foreign = (['HS', 'RS'] as const).filter((family) => !families.includes(family));
  const wrong = [
    ...forgeries(keys),
    ...(published?.forged ?? []),
    ...foreign.map((family) => genuine(family, keys)),
    ...Array.from({ length: changed }, (_, index) => changedByABit(right[index % right.length] ?? '')),
    ...('requireExpiry' in auth ? [endless(keys)] : []),
  ];
  for (const token of right) await isLetIn(caller, token);
  for (const [index, token] of wrong.entries()) {
    await isRefused(caller, token, endpoints[index % endpoints.length] ?? endpoints[0]);
  }
  for (const token of right) await isLetIn(caller, token);
  return wrong.length;
};

/** Forges tokens in every way that is known, and by chance. A round is a genuine token with one bit changed. */
export const refusesForgedTokens: Promised = {
  name: 'a forged token is 401, whichever keys are configured: algorithms, keys, critical headers, claims, shapes, and single bits',
  rounds: { short: 200, long: 10_000 },
  patience: 60_000,
  run: async (rounds) => {
    const installation = await Installation.create();
    const [publishedKeys, useless] = [newPublishedKeys(), uselessKeys()];
    const issuerOfKeys = await KeySetServer.start(...Object.values(publishedKeys), ...useless);
    try {
      const hmacSecret = `an HMAC secret ${randomUUID()}`;
      const keys = { hmacSecret, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
      for (const type of ['spki', 'pkcs1'] as const) {
        await installation.write(keyFiles[type], keys.publicKey.export({ type, format: 'der' }));
      }
      const published = {
        genuine: genuinePublished(publishedKeys),
        forged: publishedForgeries(publishedKeys, useless),
      };
      const configurations = acceptances(hmacSecret, issuerOfKeys.url, published);
      let refused = 0;
      for (const acceptance of configurations) {
        await installation.configure({ auth: { type: 'oauth', issuer, audience, ...acceptance.auth } });
        const serving = await installation.serve();
        const caller = new Caller(serving.url);
        refused += await forge(caller, keys, acceptance, Math.ceil(rounds / configurations.length));
        caller.close();
        expect(await serving.stop()).to.equal(0);
        expect(serving.run.stdout + serving.run.stderr).to.not.include(hmacSecret);
      }
      return `${refused} forged tokens, ${rounds} of them by one bit, over ${configurations.length} configurations of keys: all 401`;
    } finally {
      await issuerOfKeys.close();
      await installation.dispose();
    }
  },
};
