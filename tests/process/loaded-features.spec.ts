import { expect } from 'chai';
import { eachWithInstallation } from './installation.ts';
import { sourcesIn, traceModules } from './module-trace.ts';

/** The modules that only one configured feature loads. */
const ofFeatures = {
  languages: /german-|language-lookup|other-languages|node_modules\/@formatjs\//,
  moves: /address-moves-feature|http\/api\/address-moves\//,
  webhooks: /webhooks-feature|webhooks\/webhook-client/,
  signUp: /sign-up-feature|application\/sign-up\/complete-sign-up/,
  passwordRules: /password-rules-feature|adapters\/password-rules\//,
  audit: /audit-feature|audit-file/,
  unverified: /unverified-users-feature/,
} as const;

describe('the modules of features that are rarely configured', () => {
  const installation = eachWithInstallation();

  it('are loaded only where each is configured', async function () {
    this.timeout(180_000);
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' };
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const loadedWith = async (email: object, blocks: object = {}): Promise<readonly string[]> => {
      const outbox = { type: 'outbox', directory: 'outbox', ...email };
      await installation().configure({ server, passwordHash, email: outbox, ...blocks });
      const { run } = await installation().serve(traceModules);
      return sourcesIn(run.stderr);
    };
    const without = await loadedWith({});
    for (const pattern of Object.values(ofFeatures))
      expect(
        without.filter((source) => pattern.test(source)),
        String(pattern),
      ).to.deep.equal([]);
    for (const [feature, email, blocks] of [
      ['languages', { locales: ['de'] }, {}],
      ['moves', { confirmChange: true }, {}],
      ['webhooks', {}, { events: { webhooks: [] } }],
      ['signUp', {}, { signUp: {} }],
      ['passwordRules', {}, { passwordRules: {} }],
      ['audit', {}, { audit: { to: 'log' } }],
      ['unverified', {}, { users: { deleteUnverifiedAfter: '30d' } }],
    ] as const) {
      const loaded = await loadedWith(email, blocks);
      for (const [name, pattern] of Object.entries(ofFeatures))
        expect(
          loaded.some((source) => pattern.test(source)),
          `${name} with ${feature}`,
        ).to.equal(name === feature);
    }
  });
});
