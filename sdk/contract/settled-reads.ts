import { expect } from 'chai';
import { isLeft, left } from 'fp-ts/lib/Either.js';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { anyCaller } from '../../application/writing/authorization.ts';
import { ReservationLedger } from '../../application/writing/reservation-ledger.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { entityTagOf, withoutKeptTag } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import { isReservation } from '../../domain/reservation.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';

const subject = (address: string) => ({ user: userOf(address), key: keyOf(addressOf(address)) });

/** Reads after which no earlier write is applied: a write that was sent before them arrives late. */
export const settledReads = (storeOfTest: () => UserStore): void => {
  describe('settled reads', () => {
    let store: UserStore;
    let reservations: SettlingStore;
    beforeEach(() => {
      store = storeOfTest();
      reservations = new SettlingStore(store, { now: () => 1_800_000_000_000 });
    });

    const stored = async (user: User): Promise<StoredUser> => {
      const found = await store.find(keyOf(user.email.address));
      if (found === undefined) throw new Error('an inserted user is not found');
      return found;
    };

    const settle = async ({ email }: User): Promise<User | undefined> => {
      const decided = await reservations.settle(email.address, anyCaller, 'app');
      return isLeft(decided) ? undefined : withoutKeptTag(decided.right.user);
    };
    const isReserved = async (user: User): Promise<boolean> => isReservation((await stored(user)).user);
    const insertOverReservation = (user: User) => reservations.insert(user, undefined, performance.now());

    it('return the user, after which no earlier update or removal is applied', async () => {
      const { user } = subject('changed@example.com');
      const later = { ...user, lastUpdateTime: user.lastUpdateTime + 1 };
      await store.insert(user);
      const previous = await stored(user);
      const entityTag = entityTagOf(previous);
      expect(await settle(user)).to.deep.equal(user);
      expect(await store.replace(previous, later)).to.equal('stale');
      expect(await store.replace(previous, userOf('moved@example.com'))).to.equal('stale');
      expect(await store.remove(previous)).to.equal('stale');
      const after = await stored(user);
      expect(withoutKeptTag(after.user)).to.deep.equal(user);
      expect(entityTagOf(after)).to.equal(entityTag);
    });

    it('write nothing for a caller who may not read the user', async () => {
      const { user } = subject('guarded@example.com');
      await store.insert(user);
      const { version } = await stored(user);
      const refused = left(failure('wrong_password'));
      expect(await reservations.settle(user.email.address, async () => refused, 'app')).to.equal(refused);
      expect((await stored(user)).version).to.equal(version);
    });

    it('find no user, after which no earlier insert is applied', async () => {
      const { user } = subject('absent@example.com');
      expect(await settle(user)).to.equal(undefined);
      expect(await store.insert(user)).to.equal('taken');
      expect(await isReserved(user)).to.equal(true);
      expect(await settle(user)).to.equal(undefined);
    });

    it('reserve an address whose key is longer than the limits of addresses', async () => {
      const { user, key } = subject(`${'Ⱥ'.repeat(32)}@example.com`);
      expect(Buffer.byteLength(key.slice(0, key.indexOf('@')))).to.be.greaterThan(64);
      expect(await settle(user)).to.equal(undefined);
      expect(await store.insert(user)).to.equal('taken');
      expect(await insertOverReservation(user)).to.have.property('version');
      expect((await store.find(key))?.user).to.deep.equal(user);
    });

    it('keep the address free for a new user, whose insert settled reads refuse when it is late', async () => {
      const { user, key } = subject('reserved@example.com');
      await settle(user);
      const reserved = await stored(user);
      expect(await insertOverReservation(user)).to.have.property('version');
      expect(await insertOverReservation(user)).to.equal('taken');
      expect((await store.find(key))?.user).to.deep.equal(user);
      await store.remove(await stored(user));
      await settle(user);
      // The insert of a user over a reservation replaces it.
      expect(await store.replace(reserved, user)).to.equal('stale');
      expect(await isReserved(user)).to.equal(true);
    });

    it('keep the address free for the new address of a user', async () => {
      const { user, key } = subject('reserved-for-move@example.com');
      const former = userOf('former@example.com');
      await store.insert(former);
      await settle(user);
      const previous = await stored(former);
      expect(await store.replace(previous, user)).to.equal('taken');
      expect(await reservations.replace(previous, user, undefined, performance.now())).to.have.property('version');
      expect((await store.find(key))?.user).to.deep.equal(user);
    });

    describe('whose process has ended', () => {
      const minute = 60_000;
      let nowMs: number;
      let other: ReservationLedger;
      beforeEach(() => {
        nowMs = 0;
        other = new ReservationLedger(store, { now: () => 0 }, () => nowMs);
      });
      const sweepAfter = async (minutes: number): Promise<void> => {
        nowMs += minutes * minute;
        await other.sweep();
      };

      it('free their addresses after 15 minutes in which no process has read them again', async () => {
        const [{ user, key }, renewed] = [subject('left@example.com'), subject('renewed@example.com')];
        await settle(user);
        await settle(renewed.user);
        await sweepAfter(0);
        await sweepAfter(14);
        expect([await isReserved(user), await isReserved(renewed.user)]).to.deep.equal([true, true]);
        await settle(renewed.user);
        await sweepAfter(1);
        expect(await store.find(key)).to.equal(undefined);
        expect(await isReserved(renewed.user)).to.equal(true);
        await sweepAfter(14);
        expect(await isReserved(renewed.user)).to.equal(true);
        await sweepAfter(1);
        expect(await store.find(renewed.key)).to.equal(undefined);
        expect(await store.insert(user)).to.have.property('version');
      });

      it('do not touch the user who has got the address', async () => {
        const { user, key } = subject('taken@example.com');
        await settle(user);
        await sweepAfter(0);
        await insertOverReservation(user);
        await sweepAfter(15);
        await sweepAfter(15);
        expect((await store.find(key))?.user).to.deep.equal(user);
      });
    });
  });
};
