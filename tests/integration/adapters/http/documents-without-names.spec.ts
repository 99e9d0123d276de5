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
    'a37973eb81b05f50eec6ba2417cd838a1e8fee3458f7d5439a23c04e8f6a7f03',
    'eee4f12035ed63372cb9da86c948c512a00bfa59d38dfa7a28ac267dee889020',
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
    'a57ce137a5f22a0491badf3c7137a9bd568c1669c9ee3cdf23fd2e17c1f1202a',
    'c2eb9f4f25205ef36feadfdf38156f1b42bd9a7aef8a56d5127a73b5a29b4896',
  ],
  [
    'tokens',
    {
      auth: { type: 'oauth', issuer: 'the issuer', hmacSecret: 'a secret of the issuer: 5b1d0e93d2c4' },
      server: { publicUrl: 'https://users.example.com' },
    },
    '9738d5fcadfe58297f19d64bae51a4b90adbdab31fd3293238c0c8680eb058c9',
    'eee4f12035ed63372cb9da86c948c512a00bfa59d38dfa7a28ac267dee889020',
  ],
];

describe('the OpenAPI documents without ids, unique properties and permissions', () => {
  for (const [name, configuration, ...hashes] of former)
    it(`are byte for byte those of the version before these, with ${name}`, async () => {
      expect(await documentsOf(configuration)).to.deep.equal(hashes);
    });
});
