import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { noEvents } from '../../../../application/outgoing/domain-events.ts';
import { PasswordCheck } from '../../../../application/passwords/password-check.ts';
import { DisabledMailer } from '../../../../application/ports/mailer.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { wire } from '../../../../bootstrap/container.ts';
import { withoutMails } from '../../../../bootstrap/wiring/mail-texts.ts';
import { openPasswordServices } from '../../../../bootstrap/wiring/password-services.ts';
import { policiesOf } from '../../../../bootstrap/wiring/use-case-policies.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { SequentialTokens } from '../../../support/doubles/sequential-tokens.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured, database } from '../configuration/read-configuration.ts';

const open = async (options: string) => {
  const configuration = await configured(`${database}\npasswordHash: {algorithm: sha256, ${options}}`);
  const store = new InterruptedUserStore();
  const adapters = {
    store: store.ports,
    hash: await sha256.open({}, silentContext),
    mailer: new DisabledMailer(),
    clock: new ManualClock(1_800_000_000_000),
    tokens: new SequentialTokens(),
    attempts: null,
    log: silentContext.log,
    tokenAttempts: null,
  };
  const services = await openPasswordServices(configuration, adapters, silentContext.log);
  const { checkHelpers, throttle } = services;
  const container = wire(adapters, policiesOf(configuration), {
    events: noEvents,
    interceptor: (_operation, next) => next(),
    checkHelpers,
    throttle,
    passwordRules: services.rules,
    mails: withoutMails,
    mailQueue: null,
    addressChanges: null,
  });
  return { store, services, check: container.get(PasswordCheck), updates: container.get(OptimisticUpdate) };
};

const user = userOf('jane@example.com', { password: createHash('sha256').update('Secret1').digest('hex') });
const key = keyOf(user.email.address);

describe('the optional services of a password check', () => {
  it('are not opened unless they are configured', async () => {
    const { services, updates } = await open('serverSideHash: true');
    expect(services.checkHelpers(updates)).to.deep.equal({ rehasher: null, cache: null, listed: null });
    expect([services.throttle, services.rules, services.metrics()]).to.deep.equal([null, null, []]);
    await services.stop();
  });

  it('clear the cache when the service stops', async () => {
    const { services, updates } = await open('cache: {}');
    const { cache } = services.checkHelpers(updates);
    const attempt = { key, stored: user.password, supplied: 'Secret1' };
    cache?.add(attempt);
    expect(cache?.has(attempt)).to.equal(true);
    await services.stop();
    expect(cache?.has(attempt)).to.equal(false);
    expect(services.metrics().map(({ name, values }) => [name, values[0]?.value])).to.deep.equal([
      ['latchkey_password_cache_hits_total', 1],
      ['latchkey_password_cache_misses_total', 1],
    ]);
  });

  it('finish the running rehash before they stop', async () => {
    const { store, services, check } = await open('serverSideHash: true, rehash: true');
    await store.insert(user);
    const afterStop = new Promise<string | undefined>((resolve) => {
      // The first read is made: the work has begun.
      store.meanwhile.push(async () => {
        const read = services.stop().then(() => store.now(key));
        read.then((stored) => resolve(stored?.user.password), resolve);
      });
    });
    expect(await check.matches(user, 'Secret1')).to.equal(true);
    expect(await afterStop).to.match(/^.{16}[0-9a-f]{64}$/);
  });
});
