import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { sha256 } from '../../../../adapters/password-hashes/sha256.ts';
import { DisabledMailer } from '../../../../application/ports/mailer.ts';
import { noDomainEvents } from '../../../../application/users/domain-events.ts';
import { passwordAidsOf } from '../../../../bootstrap/wiring/password-helpers.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { CountedTokens } from '../../../support/doubles/counted-tokens.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { SetClock } from '../../../support/doubles/set-clock.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { configured, database } from '../configuration/reading.ts';

const open = async (options: string) => {
  const configuration = await configured(`${database}\npasswordHash: {algorithm: sha256, ${options}}`);
  const store = new InterruptedUserStore();
  const adapters = {
    store: store.ports,
    hash: await sha256.open({}, silentContext),
    mailer: new DisabledMailer(),
    clock: new SetClock(1_800_000_000_000),
    tokens: new CountedTokens(),
    attempts: null,
  };
  return { store, aids: await passwordAidsOf(configuration, adapters, noDomainEvents, silentContext.log) };
};

const user = userOf('jane@example.com', { password: createHash('sha256').update('Secret1').digest('hex') });
const key = keyOf(user.email.address);

describe('what is done beside the checks of passwords', () => {
  it('is nothing unless it is configured', async () => {
    const { aids } = await open('serverSideHash: true');
    expect([aids.renewal, aids.verified, aids.readings()]).to.deep.equal([undefined, undefined, []]);
    await aids.stop();
  });

  it('forgets the passwords that it remembers when the service stops', async () => {
    const { aids } = await open('cache: {}');
    const verified = { key, stored: user.password, supplied: 'Secret1' };
    aids.verified?.add(verified);
    expect(aids.verified?.has(verified)).to.equal(true);
    await aids.stop();
    expect(aids.verified?.has(verified)).to.equal(false);
    expect(aids.readings().map(({ name, values }) => [name, values[0]?.value])).to.deep.equal([
      ['latchkey_password_cache_hits_total', 1],
      ['latchkey_password_cache_misses_total', 1],
    ]);
  });

  it('stops only when the password is stored anew that is at work', async () => {
    const { store, aids } = await open('serverSideHash: true, rehash: true');
    await store.insert(user);
    const afterStop = new Promise<string | undefined>((resolve) => {
      // The first read is made: the work has begun.
      store.meanwhile.push(async () => {
        const read = aids.stop().then(() => store.now(key));
        read.then((stored) => resolve(stored?.user.password), resolve);
      });
    });
    aids.renewal?.offer(user, 'Secret1');
    expect(await afterStop).to.match(/^.{16}[0-9a-f]{64}$/);
  });
});
