import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { startLatchkey } from '../../../../sdk/testing/start-latchkey.ts';

const administrator = { application: 'support', secret: 'of the support team' };
const Authorization = `Basic ${btoa(`${administrator.application}:${administrator.secret}`)}`;

type Configuration = Parameters<typeof startLatchkey>[0];

/** The hashes of the documents of the service and of the administration. */
const documentsOf = async (configuration: Configuration): Promise<readonly string[]> => {
  const latchkey = await startLatchkey({ admin: { keys: [administrator] }, ...configuration });
  try {
    const urls = [`${latchkey.url}/openapi.json`, `${latchkey.adminUrl}/admin/openapi.json`];
    const responses = await Promise.all(urls.map((url) => fetch(url, { headers: { Authorization } })));
    const texts = await Promise.all(responses.map((response) => response.text()));
    return texts.map((text) => createHash('sha256').update(text).digest('hex'));
  } finally {
    await latchkey.stop();
  }
};

// Of the last version without ids, unique properties and permissions. After an intended change of the documents, write the new hashes.
const former: readonly (readonly [name: string, configuration: Configuration, ...hashes: string[]])[] = [
  [
    'the defaults',
    { server: { publicUrl: 'https://users.example.com' } },
    'de8d8b3936c382db60771e441ad67dac90d9b788b39edb5f02ad2dab4cf6f975',
    'babc012211198bbed23cb74b7f7bd05cd7a45d17d65607b856fccfc6c26abe8f',
  ],
  [
    'every other feature',
    {
      email: { confirmPage: true, confirmChange: true, tokenLifetime: '24h', resendInterval: '60s', locales: ['de'] },
      passwordHash: { serverSideHash: true },
      passwordRules: {},
      properties: { allowed: [{ name: 'visits', type: 'integer' }], allowSuperset: false },
      recovery: { deliver: 'caller' },
      server: { publicUrl: 'https://users.example.com' },
      throttle: {},
    },
    'ee2067fea1d6d141439ce229e670e9a252e3e20ab487aa6e3ec09df432a62153',
    '5e146586d57a1709686d859b33d18ec73cace1f723949560e3ad33717d637f0f',
  ],
  [
    'tokens',
    {
      auth: { type: 'oauth', issuer: 'the issuer', hmacSecret: 'a secret of the issuer: 5b1d0e93d2c4' },
      server: { publicUrl: 'https://users.example.com' },
    },
    'b623561d1e9cf789c5fe260f67b22b503de4493b446322ce2fb679cff018ec39',
    'babc012211198bbed23cb74b7f7bd05cd7a45d17d65607b856fccfc6c26abe8f',
  ],
];

describe('the OpenAPI documents without ids, unique properties and permissions', () => {
  for (const [name, configuration, ...hashes] of former)
    it(`are byte for byte those of the version before these, with ${name}`, async () => {
      expect(await documentsOf(configuration)).to.deep.equal(hashes);
    });
});
