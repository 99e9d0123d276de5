import { expect } from 'chai';
import { isLeft, left } from 'fp-ts/lib/Either.js';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { anyCaller } from '../../application/writing/authorization.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { entityTagOf, withoutKeptTag } from '../../domain/entity-tag.ts';
import { failure } from '../../domain/failure.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { written } from './outcomes.ts';

const subject = (address: string) => ({ user: userOf(address), key: keyOf(addressOf(address)) });

/** Reads after which no earlier write is applied: a write that was sent before them arrives late. */
export const settledReads = (storeOfTest: () => UserStore): void => {
  describe('settled reads', () => {
    let store: UserStore;
    let users: SettlingStore;
    beforeEach(() => {
      store = storeOfTest();
      users = new SettlingStore({ users: store });
    });

    const inserted = async (user: User): Promise<StoredUser> => written(await store.insert(user));
    const settle = async ({ email }: User): Promise<User | undefined> => {
      const decided = await users.settle(keyOf(email.address), anyCaller);
      return isLeft(decided) ? undefined : withoutKeptTag(decided.right.user);
    };
    const stored = async (user: User): Promise<StoredUser> => {
      const found = await store.find(keyOf(user.email.address));
      if (found === undefined) throw new Error('an inserted user is not found');
      return found;
    };

    it('return the user, after which no earlier update or removal is applied', async () => {
      const { user } = subject('changed@example.com');
      const later = { ...user, lastUpdateTime: user.lastUpdateTime + 1 };
      const previous = await inserted(user);
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
      const { user, key } = subject('guarded@example.com');
      const { version } = await inserted(user);
      const refused = left(failure('wrong_password'));
      expect(await users.settle(key, async () => refused)).to.equal(refused);
      expect((await stored(user)).version).to.equal(version);
    });

    it('find no user, after which no earlier insert is applied', async () => {
      const { user, key } = subject('absent@example.com');
      expect(await settle(user)).to.equal(undefined);
      expect(await store.insert(user)).to.have.property('taken', key);
      expect(await store.find(key)).to.equal(undefined);
      expect(await settle(user)).to.equal(undefined);
      expect(written(await users.insert(user, [], performance.now()))).to.deep.equal(await stored(user));
    });

    it('give an address that they keep free to a user who moves', async () => {
      const { user } = subject('settled-for-move@example.com');
      const previous = await inserted(userOf('former@example.com'));
      await settle(user);
      const moved = written(await users.replace(previous, user, [], performance.now()));
      expect(await stored(user)).to.deep.equal(moved);
    });
  });
};
