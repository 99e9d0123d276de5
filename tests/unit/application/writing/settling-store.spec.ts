import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { MemoryUserStore } from '../../../../adapters/stores/memory/index.ts';
import { Fault } from '../../../../application/fault.ts';
import type { QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { anyCaller } from '../../../../application/writing/authorization.ts';
import { ReservationLedger } from '../../../../application/writing/reservation-ledger.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import { isReservation, reservationPages } from '../../../../domain/reservation.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

/** Another process acts on an address right after it was read. */
class ContendedStore extends InMemoryUserStore {
  act: (() => Promise<unknown>) | undefined;
  /** How many reads are followed by an action. */
  actions = 0;
  /** Fails the next replacement. */
  replaceFault: Fault | undefined;

  override async find(key: EmailKey): Promise<StoredUser | undefined> {
    const found = await super.find(key);
    const { act } = this;
    if (act === undefined || this.actions === 0) return found;
    this.act = undefined;
    await act();
    this.act = act;
    this.actions--;
    return found;
  }

  override async replace(
    previous: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const fault = this.replaceFault;
    this.replaceFault = undefined;
    if (fault !== undefined) throw fault;
    return super.replace(previous, next, events);
  }
}

describe('SettlingStore', () => {
  const user = userOf('jane@example.com');
  const key = keyOf(addressOf('jane@example.com'));
  const other = userOf('other@example.com');

  const opened = async () => {
    const store = new ContendedStore();
    const reservations = new SettlingStore(store, new ManualClock(1_800_000_000_000));
    const settle = async () => isLeft(await reservations.settle(user.email.address, anyCaller, 'app'));
    const removeReservation = async () => {
      const stored = await store.find(key);
      if (stored !== undefined) await store.remove(stored);
    };
    const previous = await store.insert(other);
    if (previous === 'taken') throw new Error('a new address is taken');
    await settle();
    const insert = () => reservations.insert(user, undefined, performance.now());
    const move = () => reservations.replace(previous, user, undefined, performance.now());
    return { store, settle, removeReservation, insert, move };
  };
  type Opened = Awaited<ReturnType<typeof opened>>;

  const writes = { insert: ({ insert }: Opened) => insert(), move: ({ move }: Opened) => move() };
  for (const [name, write] of Object.entries(writes)) {
    it(`give the address to a user while settled reads renew them: ${name}`, async () => {
      const test = await opened();
      test.store.actions = 1;
      test.store.act = test.settle;
      expect(await write(test)).to.have.property('version');
      expect((await test.store.find(key))?.user).to.deep.equal(user);
    });

    it(`give the address to a user when they end at this moment: ${name}`, async () => {
      const test = await opened();
      await test.removeReservation();
      expect(await write(test)).to.have.property('version');
    });

    it(`do not report an address as taken that no user has, however often it is reserved: ${name}`, async () => {
      const test = await opened();
      test.store.actions = Number.POSITIVE_INFINITY;
      test.store.act = async () => {
        await test.removeReservation();
        await test.settle();
      };
      expect(await rejection(write(test))).to.include({ code: 'store_unavailable' });
    });
  }

  it('stay when a change to their address fails, because an earlier create may still be under way', async () => {
    const { store, move } = await opened();
    store.replaceFault = new Fault('store_unavailable', 'no response');
    expect(await rejection(move())).to.include({ code: 'store_unavailable' });
    const stored = await store.find(key);
    expect(stored !== undefined && isReservation(stored.user)).to.equal(true);
    expect(await store.insert(user)).to.equal('taken');
  });

  it('end 15 minutes after the last settled read of any process, whatever its clock shows', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const store = new InMemoryUserStore();
      const minute = 60_000;
      const slow = new SettlingStore(store, new ManualClock(1_800_000_000_000 - 60 * minute));
      const right = new SettlingStore(store, new ManualClock(1_800_000_000_000));
      const isReserved = async () => {
        // Lets the removal end.
        for (let turn = 0; turn < 5; turn++) await setImmediate();
        return (await store.find(key)) !== undefined;
      };
      await right.settle(user.email.address, anyCaller, 'app');
      mock.timers.tick(10 * minute);
      await slow.settle(user.email.address, anyCaller, 'app');
      mock.timers.tick(14 * minute);
      expect(await isReserved()).to.equal(true);
      await slow.settle(user.email.address, anyCaller, 'app');
      mock.timers.tick(14 * minute);
      expect(await isReserved()).to.equal(true);
      mock.timers.tick(minute);
      expect(await isReserved()).to.equal(false);
    } finally {
      mock.timers.reset();
    }
  });

  it('leave room for other clients, whoever wants all of it, and stay renewable', async () => {
    const reservations = new SettlingStore(new MemoryUserStore(), new ManualClock(1_800_000_000_000));
    /** Resolves with how many of so many addresses a client could reserve. */
    const reserved = async (client: string, from: number, to: number): Promise<number> => {
      const settled = Array.from({ length: to - from }, async (_, n) => {
        try {
          await reservations.settle(addressOf(`user-${from + n}@example.com`), anyCaller, client);
          return 1;
        } catch (fault) {
          expect(fault).to.include({ code: 'overloaded', retryAfterSeconds: 60 });
          return 0;
        }
      });
      return (await Promise.all(settled)).reduce<number>((sum, count) => sum + count, 0);
    };
    expect(await reserved('greedy', 0, 6_000)).to.equal(5_000);
    expect(await reserved('other', 6_000, 6_100)).to.equal(100);
    expect(await reserved('greedy', 0, 100)).to.equal(100);
    expect(await reserved('other', 0, 100)).to.equal(100);
    expect(await reserved('greedy', 7_000, 7_001)).to.equal(0);
  });

  it('end without their process, whose successor begins to look for them after its start', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const store = new MemoryUserStore();
      await new SettlingStore(store, new ManualClock(0)).settle(user.email.address, anyCaller, 'app');
      let nowMs = 0;
      const ledger = new ReservationLedger(store, new ManualClock(0), () => nowMs);
      ledger.start();
      for (let minutes = 0; minutes < 30; minutes++) {
        nowMs += 60_000;
        mock.timers.tick(60_000);
        for (let turn = 0; turn < 50; turn++) await setImmediate();
      }
      expect(await store.find(key)).to.equal(undefined);
      await ledger.stop();
    } finally {
      mock.timers.reset();
    }
  });

  it('are made as well if users have the addresses under which they are recorded', async () => {
    const store = new MemoryUserStore();
    const users = reservationPages.map((address) => userOf(address));
    for (const each of users) await store.insert(each);
    const reservations = new SettlingStore(store, new ManualClock(0));
    await reservations.settle(user.email.address, anyCaller, 'app');
    expect(await store.insert(user)).to.equal('taken');
    await reservations.ledger.sweep();
    for (const each of users) expect((await store.find(keyOf(each.email.address)))?.user).to.deep.equal(each);
  });
});
