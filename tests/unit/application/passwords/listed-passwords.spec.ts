import { expect } from 'chai';
import { changedMembers } from '../../../../adapters/kit/exact-json.ts';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { Fault } from '../../../../application/fault.ts';
import { DomainEvents } from '../../../../application/outgoing/domain-events.ts';
import { ListedPasswords } from '../../../../application/passwords/listed-passwords.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { entityTagOf, withoutKeptTag } from '../../../../domain/entity-tag.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { eventually } from '../../../support/eventually.ts';

const day = 24 * 3_600_000;

describe('ListedPasswords', () => {
  const jane = userOf('jane@example.com');
  const key = keyOf(jane.email.address);
  let clock: ManualClock;
  let store: InterruptedUserStore;
  let warnings: unknown[];

  const open = (known = (password: string) => password === 'listed'): ListedPasswords => {
    const log = { info: () => {}, warn: (fields: unknown) => warnings.push(fields), error: () => {} };
    const subscriptions = [{ destination: 'hook', types: ['password.listed'] as const }];
    let ids = 0;
    const events = new DomainEvents(subscriptions, clock, () => `${++ids}`, changedMembers);
    const updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits(), events);
    return new ListedPasswords({ has: known }, updates, clock, log);
  };

  const countEvents = async (): Promise<number> => (await store.ports.events?.pending('hook', 100)) ?? 0;
  const untilEvents = (count: number): Promise<void> =>
    eventually(async () => expect(await countEvents()).to.equal(count), 10_000).then(() => undefined);

  /** Expects that no event was scheduled before that of another user, whose event is the next one. */
  const expectNone = async (listed: ListedPasswords): Promise<void> => {
    const other = userOf('other@example.com');
    await store.insert(other);
    listed.schedule(other, 'listed');
    await untilEvents(1);
    await listed.stop();
    expect(await countEvents()).to.equal(1);
  };

  beforeEach(async () => {
    clock = new ManualClock(1_800_000_000_000);
    store = new InterruptedUserStore();
    warnings = [];
    await store.insert(jane);
  });

  it('stores one event for a listed password, and leaves the user and the entity tag as they are', async () => {
    const before = await store.now(key);
    const listed = open();
    listed.schedule(jane, 'listed');
    listed.schedule(jane, 'listed');
    await untilEvents(1);
    await listed.stop();
    expect(await countEvents()).to.equal(1);
    const after = await store.now(key);
    expect(after && withoutKeptTag(after.user)).to.deep.equal(jane);
    expect(after && entityTagOf(after)).to.equal(before?.version);
  });

  it('stores none for other passwords', async () => {
    const listed = open();
    listed.schedule(jane, 'another');
    await expectNone(listed);
  });

  it('repeats the event after a day', async () => {
    const listed = open();
    listed.schedule(jane, 'listed');
    await untilEvents(1);
    clock.time += day - 1;
    listed.schedule(jane, 'listed');
    clock.time += 1;
    // The user may count as waiting for a moment after the event was stored.
    await eventually(async () => {
      listed.schedule(jane, 'listed');
      expect(await countEvents()).to.equal(2);
    }, 10_000);
    listed.schedule(jane, 'listed');
    await listed.stop();
    expect(await countEvents()).to.equal(2);
  });

  it('stores none if the password has changed since the login', async () => {
    const listed = open();
    listed.schedule({ ...jane, password: 'former hash' }, 'listed');
    await expectNone(listed);
  });

  it('tries again when another writer is faster', async () => {
    store.interrupt(2, key, (user) => ({ ...user, lastUpdateTime: user.lastUpdateTime + 1 }));
    const listed = open();
    listed.schedule(jane, 'listed');
    await untilEvents(1);
    await listed.stop();
  });

  it('logs a failure, and tries again at the next login', async () => {
    const listed = open();
    store.meanwhile.push(() => Promise.reject(new Fault('store_unavailable', 'the database is down')));
    listed.schedule(jane, 'listed');
    await eventually(async () => expect(warnings).to.deep.equal([{ reason: 'the database is down' }]), 10_000);
    await eventually(async () => {
      listed.schedule(jane, 'listed');
      expect(await countEvents()).to.equal(1);
    }, 10_000);
    await listed.stop();
  });
});
