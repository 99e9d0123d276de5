import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { eachWithInstallation } from './installation.ts';
import { sourcesIn, traceModules } from './module-trace.ts';

/** The modules of features that are off by default. */
const ofFeatures = {
  queue: /adapters\/delivery\/|mail-delivery|mail-queue|event-delivery|outgoing\/notices/,
  languages: /german-|language-lookup|node_modules\/@formatjs\//,
  moves: /(?:domain|application|http\/api)\/address-move|address-moves-feature/,
  forms: /form-pages/,
  ids: /names-feature|node_modules\/uuid\//,
  recovery: /(?:domain|application|http\/api)\/recovery|recovery-feature|delayed-requests/,
} as const;

const sqliteWriter = '../adapters/stores/sqlite/writer.ts';

describe('the modules of ids, recovery, queued mails, changes of address and languages', () => {
  const installation = eachWithInstallation();

  it('are loaded only where each is configured', async function () {
    this.timeout(180_000);
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://accounts.example.com' };
    const passwordHash = { algorithm: 'sha256', serverSideHash: true };
    const loadedWith = async (email: object, blocks: object = {}): Promise<readonly string[]> => {
      const outbox = { type: 'outbox', directory: 'outbox', ...email };
      await installation().configure({ server, passwordHash, email: outbox, ...blocks });
      const { run } = await installation().serve(traceModules);
      // A thread of its own, which may load its module after the service is ready.
      await eventually(async () => expect(sourcesIn(run.stderr)).to.include(sqliteWriter), 30_000);
      return sourcesIn(run.stderr);
    };
    const without = await loadedWith({});
    for (const pattern of Object.values(ofFeatures))
      expect(
        without.filter((source) => pattern.test(source)),
        'without any',
      ).to.deep.equal([]);
    const throttle = /login-throttle|mailed-tokens|attempt|delivery|node_modules\/rate-limiter-flexible\//;
    for (const [features, email, blocks, others] of [
      [['queue'], { queue: true }, {}, /delivery-/],
      [['languages'], { locales: ['de'] }, {}, /^$/],
      [['queue', 'moves', 'forms'], { confirmChange: true }, {}, /mailed-tokens|optional-members|delivery-/],
      [['ids'], {}, { users: { ids: true } }, /property-folding|precis-username|user-key|names/],
      [['recovery', 'forms'], {}, { recovery: { deliver: 'caller' } }, throttle],
      [['recovery', 'forms', 'queue'], {}, { recovery: {} }, throttle],
    ] as const) {
      const loaded = (await loadedWith(email, blocks)).filter((source) => !without.includes(source));
      const patterns = features.map((feature) => ofFeatures[feature]);
      for (const pattern of patterns)
        expect(
          loaded.some((source) => pattern.test(source)),
          String(pattern),
        ).to.equal(true);
      const foreign = loaded.filter((source) => ![...patterns, others].some((pattern) => pattern.test(source)));
      expect(foreign, features.join(' and ')).to.deep.equal([]);
    }
  });
});
