import { expect } from 'chai';
import type { Reservation, StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { delaysMs, later } from './named-users.ts';
import { isWritten, reserved, written } from './outcomes.ts';

const subject = (address: string) => ({ user: userOf(address), key: keyOf(addressOf(address)) });

/** Addresses that are kept free: a write that was sent before arrives late, and does not take them. */
export const reservedAddresses = (storeOfTest: () => UserStore): void => {
  describe('a reservation of an address', () => {
    let store: UserStore;
    beforeEach(() => {
      store = storeOfTest();
    });
    const inserted = async (user: User): Promise<StoredUser> => written(await store.insert(user));
    const reserve = async (key: UserKey): Promise<Reservation> => reserved(await store.reserve(key));

    it('is for the writes that know its version', async () => {
      const { user, key } = subject('reserved@example.com');
      const reservation = await reserve(key);
      expect(reservation.key).to.equal(key);
      expect(await store.find(key)).to.equal(undefined);
      const refused = { taken: key, reservation };
      expect(await store.insert(user)).to.deep.equal(refused);
      expect(await store.insert(user, { reservations: [{ key, version: 'another' }] })).to.deep.equal(refused);
      expect(await store.find(key)).to.equal(undefined);
      const written = await store.insert(user, { reservations: [reservation] });
      expect(written).to.have.property('version').that.does.not.equal(reservation.version);
      expect(await store.find(key)).to.deep.equal(written);
    });

    it('is for a user who moves', async () => {
      const { user, key } = subject('reserved-for-move@example.com');
      const previous = await inserted(userOf('mover@example.com'));
      const reservation = await reserve(key);
      expect(await store.replace(previous, user)).to.deep.equal({ taken: key, reservation });
      expect(await store.find(keyOf(previous.user.email.address))).to.deep.equal(previous);
      const moved = written(await store.replace(previous, user, { reservations: [reservation] }));
      expect(await store.find(key)).to.deep.equal(moved);
      expect(await store.find(keyOf(previous.user.email.address))).to.equal(undefined);
    });

    it('can have a key that is longer than the limits of addresses', async () => {
      const { user, key } = subject(`${'Ⱥ'.repeat(32)}@example.com`);
      expect(Buffer.byteLength(key.slice(0, key.indexOf('@')))).to.be.greaterThan(64);
      const reservation = await reserve(key);
      expect(await store.insert(user)).to.deep.equal({ taken: key, reservation });
      await store.insert(user, { reservations: [reservation] });
      expect((await store.find(key))?.user).to.deep.equal(user);
    });

    it('has another version when it is renewed, which refuses the writes that know the former one', async () => {
      const { user, key } = subject('renewed@example.com');
      const previous = await inserted(userOf('late-mover@example.com'));
      const [first, second] = [await reserve(key), await reserve(key)];
      expect(second).to.deep.include({ key }).and.not.include({ version: first.version });
      const late = { reservations: [first] };
      expect(await store.insert(user, late)).to.deep.equal({ taken: key, reservation: second });
      expect(await store.replace(previous, user, late)).to.deep.equal({ taken: key, reservation: second });
      expect(await store.insert(user, { reservations: [first, second] })).to.have.property('version');
    });

    it('can be made again after its user was removed', async () => {
      const { user, key } = subject('reserved-again@example.com');
      const first = await reserve(key);
      const previous = written(await store.insert(user, { reservations: [first] }));
      expect(await store.remove(previous)).to.equal('removed');
      const second = await reserve(key);
      expect(await store.insert(user, { reservations: [first] })).to.deep.equal({ taken: key, reservation: second });
      expect(await store.replace(previous, user)).to.equal('stale');
      expect(await store.find(key)).to.equal(undefined);
    });

    it('is refused if a user has the address, who stays as it is', async () => {
      const { user, key } = subject('not-reserved@example.com');
      const first = await inserted(user);
      expect(await store.reserve(key)).to.equal('taken');
      expect(await store.find(key)).to.deep.equal(first);
      expect(await store.replace(first, user)).to.have.property('version');
    });

    it('ends when a user gets the address', async () => {
      const { user, key } = subject('ended@example.com');
      const reservation = await reserve(key);
      const first = written(await store.insert(user, { reservations: [reservation] }));
      expect(await store.insert(user)).to.deep.equal({ taken: key });
      expect(await store.insert(user, { reservations: [reservation] })).to.deep.equal({ taken: key });
      const second = written(await store.replace(first, user));
      expect(await store.remove(second)).to.equal('removed');
      expect(await store.insert(user)).to.have.property('version');
    });

    it('keeps out a user who has left the address', async () => {
      const { user, key } = subject('left@example.com');
      const first = await inserted(user);
      const moved = written(await store.replace(first, userOf('gone@example.com')));
      const reservation = await reserve(key);
      expect(await store.replace(first, user)).to.equal('stale');
      expect(await store.replace(moved, user)).to.deep.equal({ taken: key, reservation });
      expect(await store.remove(first)).to.equal('stale');
      expect(await store.insert(user)).to.deep.equal({ taken: key, reservation });
    });

    it('is not ended by a write that needs another key, or is not made', async () => {
      const { user, key } = subject('kept@example.com');
      const { user: other } = subject('not-kept@example.com');
      const reservation = await reserve(key);
      const known = { reservations: [reservation] };
      const first = written(await store.insert(other, known));
      await store.replace(first, { ...other, password: 'another' }, known);
      expect(await store.replace(first, user, known)).to.equal('stale');
      expect(await store.insert(user)).to.deep.equal({ taken: key, reservation });
    });

    it('is for one of 32 writes that know its version', async () => {
      const { user, key } = subject('raced-for@example.com');
      const known = { reservations: [await reserve(key)] };
      const movers = await Promise.all(
        Array.from({ length: 32 }, (_, n) => inserted(userOf(`races-to-reserved-${n}@example.com`))),
      );
      const outcomes = await Promise.all(
        movers.map((mover, n) => (n % 2 === 0 ? store.replace(mover, user, known) : store.insert(user, known))),
      );
      const winners = outcomes.filter(isWritten);
      expect(winners).to.have.length(1);
      expect(await store.find(key)).to.deep.equal(winners[0]);
      for (const refused of outcomes.filter((one) => !isWritten(one))) expect(refused).to.deep.equal({ taken: key });
    });

    it('is made, or a user gets the address, if both happen at once', async () => {
      for (const [round, delayMs] of delaysMs.entries()) {
        const { user, key } = subject(`wanted-${round}@example.com`);
        const [outcome, ...reservations] = await Promise.all([
          later(delayMs, () => store.insert(user)),
          store.reserve(key),
          store.reserve(key),
        ]);
        const isReserved = reservations.some((one) => one !== 'taken');
        expect(isWritten(outcome), 'a user has it').to.equal(!isReserved);
        expect(await store.find(key)).to.deep.equal(isWritten(outcome) ? outcome : undefined);
      }
    });
  });
};
