import { expect } from 'chai';
import { isRight, right } from 'fp-ts/lib/Either.js';
import { userLimits } from '../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import { anyCaller } from '../../application/writing/authorization.ts';
import { OptimisticUpdate, type UpdateRequest } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { userOf } from './arbitraries.ts';

const marksOf = (user: User): string[] => Object.keys(JSON.parse(user.properties)).sort();

const marked = (user: User, mark: string): User => ({
  ...user,
  lastUpdateTime: user.lastUpdateTime + 1,
  properties: asProperties(JSON.stringify({ ...JSON.parse(user.properties), [mark]: true })),
});

/** Concurrent changes as the use cases make them: read, write conditionally on the version, try again. */
export const concurrentUpdates = (storeOfTest: () => UserStore): void => {
  describe('concurrent changes', () => {
    /** Changes a user as often as it takes; undefined when the user is gone. */
    const change = async (
      user: User,
      transition: UpdateRequest<'contended'>['transition'],
    ): Promise<User | undefined> => {
      const reservations = new SettlingStore({ users: storeOfTest() });
      const changes = new OptimisticUpdate(reservations, userLimits());
      const key = keyOf(user.email.address);
      for (;;) {
        const changed = await changes.apply({
          key,
          authorize: anyCaller,
          transition,
          events: ['user.updated'],
        });
        if (isRight(changed)) return changed.right.user;
        if (changed.left.code !== 'contended') return undefined;
      }
    };
    const mark = (user: User, name: string) => change(user, (current) => right(marked(current, name)));

    it('loses no update of 64 writers', async function () {
      // A writer that loses a race starts again, so this takes many round trips.
      this.timeout(120_000);
      const user = userOf('raced@example.com');
      await storeOfTest().insert(user);
      const names = Array.from({ length: 64 }, (_, n) => `writer-${n}`);
      await Promise.all(names.map((name) => mark(user, name)));
      const stored = await storeOfTest().find(keyOf(user.email.address));
      expect(stored && marksOf(stored.user)).to.deep.equal([...names].sort());
      expect(stored?.user.lastUpdateTime).to.equal(user.lastUpdateTime + 64);
    });

    it('returns exactly the removed user', async () => {
      const user = userOf('removed@example.com');
      await storeOfTest().insert(user);
      const names = Array.from({ length: 16 }, (_, n) => `writer-${n}`);
      const writes = names.map((name) => mark(user, name));
      await Promise.race(writes);
      const removed = await change(user, () => right('removed'));
      const written = await Promise.all(writes);
      expect(removed && marksOf(removed)).to.deep.equal(names.filter((_, n) => written[n] !== undefined).sort());
      expect(await storeOfTest().find(keyOf(user.email.address))).to.equal(undefined);
    });
  });
};
