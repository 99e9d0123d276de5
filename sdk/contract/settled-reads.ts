import { expect } from 'chai';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { SettledUserStore } from '../../application/users/settled-user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';

const subject = (address: string) => ({ user: userOf(address), key: keyOf(addressOf(address)) });

/** Reads after which no earlier write is applied: a write that was sent before them arrives late. */
export const settledReads = (storeOfTest: () => UserStore): void => {
  describe('settled reads', () => {
    let users: SettledUserStore;
    beforeEach(() => {
      users = new SettledUserStore(storeOfTest(), { now: () => 1_800_000_000_000 });
    });

    const stored = async (user: User): Promise<StoredUser> => {
      const found = await storeOfTest().find(keyOf(user.email.address));
      if (found === undefined) throw new Error('an inserted user is not found');
      return found;
    };

    it('return the user, after which no earlier update or removal is applied', async () => {
      const { user, key } = subject('changed@example.com');
      const later = { ...user, lastUpdateTime: user.lastUpdateTime + 1 };
      await users.insert(user);
      const previous = await stored(user);
      expect(await users.findSettled(key)).to.deep.equal(user);
      expect(await storeOfTest().replace(previous, later)).to.equal('stale');
      expect(await storeOfTest().replace(previous, userOf('moved@example.com'))).to.equal('stale');
      expect(await storeOfTest().remove(previous)).to.equal('stale');
      expect((await users.find(key))?.user).to.deep.equal(user);
    });

    it('find no user, after which no earlier insert is applied', async () => {
      const { user, key } = subject('absent@example.com');
      expect(await users.findSettled(key)).to.equal(undefined);
      expect(await storeOfTest().insert(user)).to.equal('taken');
      expect(await users.find(key)).to.equal(undefined);
      expect(await users.findSettled(key)).to.equal(undefined);
    });

    it('keep the address free for a new user, whose insert settled reads refuse when it is late', async () => {
      const { user, key } = subject('reserved@example.com');
      await users.findSettled(key);
      const reserved = await stored(user);
      expect(await users.insert(user)).to.equal('inserted');
      expect(await users.insert(user)).to.equal('taken');
      expect((await users.find(key))?.user).to.deep.equal(user);
      await users.remove(await stored(user));
      await users.findSettled(key);
      // The insert of a user over a reservation replaces it.
      expect(await storeOfTest().replace(reserved, user)).to.equal('stale');
      expect(await users.find(key)).to.equal(undefined);
    });

    it('keep the address free for the new address of a user', async () => {
      const { user, key } = subject('reserved-for-move@example.com');
      await users.insert(userOf('former@example.com'));
      await users.findSettled(key);
      const former = await users.find(keyOf(addressOf('former@example.com')));
      expect(former && (await users.replace(former, user))).to.equal('replaced');
      expect((await users.find(key))?.user).to.deep.equal(user);
    });
  });
};
