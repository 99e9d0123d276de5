import { expect } from 'chai';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { Activity } from '../../../../application/activity/activity.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { EndUserHandler } from '../../../../application/administration/end-user.ts';
import { Fault } from '../../../../application/fault.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { isInactive } from '../../../../domain/user-state.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rightOf } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { eventually } from '../../../support/eventually.ts';

const hour = 3_600_000;
const started = 1_800_000_000_000;

/** A store that can be slow or fail, and counts its writes. */
class TriedStore extends InterruptedUserStore {
  active = 0;
  most = 0;
  tries = 0;
  wait: Promise<unknown> = Promise.resolve();

  override async find(key: EmailKey): Promise<StoredUser | undefined> {
    this.tries++;
    this.most = Math.max(this.most, ++this.active);
    await this.wait;
    this.active--;
    return super.find(key);
  }
}

const open = () => {
  const store = new TriedStore();
  const clock = new ManualClock(started);
  const warnings: string[] = [];
  const log = { ...silentContext.log, warn: (_: object, message: string) => void warnings.push(message) };
  const updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits());
  const activity = new Activity(updates, hour, clock, log);
  const insert = async (address: string, changes: Partial<User> = {}): Promise<User> => {
    const user = { ...userOf(address), ...changes };
    await store.insert(user);
    return user;
  };
  const stored = async ({ email }: User) => store.now(keyOf(email.address));
  const noted = (user: User, time: number): Promise<void> =>
    eventually(async () => {
      expect((await stored(user))?.user.lastCheckTime).to.equal(time);
    }, 5_000);
  return { store, clock, warnings, updates, activity, insert, stored, noted };
};

/** Releases what waits for it. */
const gate = () => {
  let release: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { opened, release };
};

describe('the time when a password was last right', () => {
  it('is stored once in the precision, however often it is noted', async () => {
    const { activity, clock, insert, noted, stored } = open();
    const user = await insert('jane@example.com');
    for (let n = 0; n < 100; n++) activity.note(user);
    await noted(user, started);
    const first = await stored(user);
    clock.time += hour - 1;
    // Also by a process that read the user before.
    activity.note(user);
    if (first !== undefined) activity.note(first.user);
    await activity.stop();
    expect((await stored(user))?.version).to.equal(first?.version);
  });

  it('is stored again after the precision', async () => {
    const { activity, clock, insert, noted, stored } = open();
    const user = await insert('jane@example.com');
    activity.note(user);
    await noted(user, started);
    clock.time += hour;
    activity.note((await stored(user))?.user ?? user);
    await noted(user, started + hour);
  });

  it('is corrected when a fast clock has stored one from the future', async () => {
    const { activity, insert, noted, stored } = open();
    const user = await insert('jane@example.com', { lastCheckTime: started + 365 * 24 * hour });
    activity.note(user);
    await noted(user, started);
    // Clocks that differ a little do not write in turns.
    const other = await insert('john@example.com', { lastCheckTime: started + hour - 1 });
    activity.note(other);
    await activity.stop();
    expect((await stored(other))?.user.lastCheckTime).to.equal(started + hour - 1);
  });

  it('is that of the same user: not of one who has the address now', async () => {
    const { activity, insert, store, stored } = open();
    const user = await insert('jane@example.com', { creationTime: 1 });
    activity.note(user);
    await store.remove((await store.now(keyOf(user.email.address))) ?? expect.fail());
    const other = await insert('jane@example.com', { creationTime: 2 });
    await activity.stop();
    expect((await stored(other))?.user.lastCheckTime).to.equal(undefined);
  });

  it('is stored after another writer was faster, whose change stays', async () => {
    const { activity, insert, noted, store, stored } = open();
    const user = await insert('jane@example.com');
    store.interrupt(3, keyOf(user.email.address), (found) => ({ ...found, lastUpdateTime: found.lastUpdateTime + 1 }));
    activity.note(user);
    await noted(user, started);
    expect((await stored(user))?.user.lastUpdateTime).to.equal(user.lastUpdateTime + 3);
  });

  it('is written for a few users at once, and for a bounded number in all', async () => {
    const { activity, insert, noted, store, stored } = open();
    const users = await Promise.all(Array.from({ length: 1_100 }, (_, n) => insert(`user-${n}@example.com`)));
    const { opened, release } = gate();
    store.wait = opened;
    for (const user of users) activity.note(user);
    await eventually(async () => expect(store.active).to.equal(4), 5_000);
    release();
    await noted(users[999] ?? expect.fail(), started);
    expect(store.most).to.equal(4);
    await activity.stop();
    const times = await Promise.all(users.map(stored));
    expect(times.filter((found) => found?.user.lastCheckTime !== undefined)).to.have.lengthOf(1_000);
  });

  it('is dropped while the store is not available, with one warning, and stored by a later check', async () => {
    const { activity, insert, noted, store, warnings } = open();
    const users = await Promise.all(Array.from({ length: 100 }, (_, n) => insert(`user-${n}@example.com`)));
    const { opened, release } = gate();
    store.wait = opened;
    store.fault = new Fault('store_unavailable', 'a test');
    for (const user of users) activity.note(user);
    await eventually(async () => expect(store.active).to.equal(4), 5_000);
    release();
    const [user = expect.fail()] = users;
    await eventually(async () => expect(warnings).to.have.lengthOf(1), 5_000);
    await eventually(async () => {
      store.fault = undefined;
      activity.note(user);
      await noted(user, started);
    }, 5_000);
    expect(store.tries).to.be.at.most(6);
    expect(warnings).to.deep.equal(['could not note when a password was right; later checks try again']);
  });
});

describe('the deletion of an inactive user', () => {
  const inactive = { before: started, recordedSince: 0 };

  it('counts from the last right password, and else from the creation, the import, an invitation and the start of the records', () => {
    const outcome = (changes: Partial<User>, recordedSince = 0): boolean =>
      isInactive({ ...userOf('jane@example.com', { creationTime: 1 }), ...changes }, { ...inactive, recordedSince });
    expect(outcome({})).to.equal(true);
    expect(outcome({ creationTime: started })).to.equal(false);
    expect(outcome({ importTime: started - 1 })).to.equal(true);
    expect(outcome({ importTime: started })).to.equal(false);
    expect(outcome({ importTime: started, lastCheckTime: started - 1 })).to.equal(true);
    expect(outcome({ lastCheckTime: started - 1 }, started)).to.equal(false);
    expect(outcome({ lastCheckTime: started - 1, passwordTime: started })).to.equal(false);
    expect(outcome({ lastCheckTime: started - 1, creationTime: started })).to.equal(false);
    expect(outcome({ invitation: { time: started - 1 } })).to.equal(true);
    expect(outcome({ invitation: { time: started } })).to.equal(false);
    expect(outcome({ lastCheckTime: started })).to.equal(false);
    expect(outcome({}, started)).to.equal(false);
  });

  it('does not happen to a user who signs in between the read and the write', async () => {
    const { insert, updates, store, stored } = open();
    const user = await insert('jane@example.com', { creationTime: 1 });
    const key = keyOf(user.email.address);
    store.interrupt(1, key, (found) => ({ ...found, lastCheckTime: started }));
    const isOver = (found: User): boolean => isInactive(found, inactive);
    const message = { type: 'EndUser', by: administrator, key, reason: 'inactive', isOver } as const;
    expect(rightOf(await new EndUserHandler(updates).handle(message, performance.now()))).to.equal(false);
    expect((await stored(user))?.user.lastCheckTime).to.equal(started);
  });
});
