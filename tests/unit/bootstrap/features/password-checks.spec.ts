import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { withoutRules } from '../../../../application/passwords/password-update.ts';
import { unlimited } from '../../../../application/ports/attempt-counter.ts';
import { DisabledMailer } from '../../../../application/ports/mailer.ts';
import { policiesOf, wire } from '../../../../bootstrap/container.ts';
import { openFeatures } from '../../../../bootstrap/features/index.ts';
import { startPublicService } from '../../../../bootstrap/service.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { sequentialTokens } from '../../../support/doubles/sequential-tokens.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured, database } from '../configuration/read-configuration.ts';

const open = async (options: string) => {
  const configuration = await configured(`${database}\npasswordHash: {algorithm: sha256, ${options}}`);
  const adapters = {
    store: new InterruptedUserStore().ports,
    hash: await sha256.open({}, silentContext),
    mailer: new DisabledMailer(),
    clock: new ManualClock(1_800_000_000_000),
    newToken: sequentialTokens(),
    log: silentContext.log,
  };
  const features = await openFeatures({ configuration, adapters, log: silentContext.log });
  const services = wire(adapters, policiesOf(configuration), features);
  const close = () => Promise.all(features.map((feature) => feature.close?.()));
  return { features, services, close };
};

const user = userOf('jane@example.com', { password: createHash('sha256').update('Secret1').digest('hex') });
const key = keyOf(user.email.address);

describe('the optional services of a password check', () => {
  it('are not opened unless they are configured', async () => {
    const { features, services } = await open('serverSideHash: true');
    expect(features).to.deep.equal([]);
    expect([services.throttle, services.passwordRules]).to.deep.equal([unlimited, withoutRules]);
  });

  it('clear the cache when the service stops', async () => {
    const { features, services, close } = await open('cache: {}');
    const [feature] = features;
    const cache = feature?.checkHelpers?.(services).cache;
    const attempt = { key, stored: user.password, supplied: 'Secret1' };
    cache?.add(attempt);
    expect(cache?.has(attempt)).to.equal(true);
    await close();
    expect(cache?.has(attempt)).to.equal(false);
    expect(feature?.metrics?.().map(({ name, values }) => [name, values[0]?.value])).to.deep.equal([
      ['latchkey_password_cache_hits_total', 1],
      ['latchkey_password_cache_misses_total', 1],
    ]);
  });

  it('finish the running rehash before the service stops', async () => {
    const configuration = await configured(
      `${database}\nserver: {host: 127.0.0.1, port: 0}\npasswordHash: {algorithm: sha256, serverSideHash: true, rehash: true}`,
    );
    const store = new InterruptedUserStore();
    await store.insert(user);
    const service = await startPublicService(
      { ...configuration, database: { ...configuration.database, open: async () => store.ports } },
      silentContext.log,
    );
    const afterStop = new Promise<string | undefined>((resolve, reject) => {
      // After the read of the check, that of the rehash is made: the work has begun.
      store.meanwhile.push(
        async () => undefined,
        async () => {
          const read = service.stop().then(() => store.now(key));
          read.then((stored) => resolve(stored?.user.password), reject);
        },
      );
    });
    const { queries } = service.generation.openAdministration();
    expect(isRight(await queries.dispatch({ type: 'CheckPassword', key, supplied: 'Secret1' }))).to.equal(true);
    expect(await afterStop).to.match(/^.{16}[0-9a-f]{64}$/);
  });
});
