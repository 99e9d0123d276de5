import { expect } from 'chai';
import type { UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { userOf } from './arbitraries.ts';
import { faultOf } from './outcomes.ts';
import type { SimulatedFailure } from './simulated-failures.ts';

/** Writes that the database applies before the connection breaks: the store must not take its own write for another's. */
export const lostReplies = (storeOfTest: () => UserStore, { begin, end }: SimulatedFailure): void => {
  describe('a write that was applied, and whose reply is lost', () => {
    const find = (user: User) => storeOfTest().find(keyOf(user.email.address));

    const losingReply = async <Outcome>(write: () => Promise<Outcome>): Promise<Outcome> => {
      await begin();
      try {
        return await write();
      } finally {
        await end();
      }
    };

    const inserted = async (user: User) => {
      const stored = await storeOfTest().insert(user);
      if (stored === 'taken') throw new Error('the address of a new user is taken');
      return stored;
    };

    it('succeeds if it is an insert', async () => {
      const user = userOf('lost-insert@example.com');
      const stored = await losingReply(() => storeOfTest().insert(user));
      expect(stored).to.have.property('version');
      expect(await find(user)).to.deep.equal(stored);
    });

    it('succeeds if it is a change, also of the address', async () => {
      const previous = await inserted(userOf('lost-change@example.com'));
      const changed = await losingReply(() => storeOfTest().replace(previous, { ...previous.user, password: 'new' }));
      if (typeof changed === 'string') throw new Error(`a change whose reply was lost is ${changed}`);
      expect(await find(changed.user)).to.deep.equal(changed);
      const moved = await losingReply(() => storeOfTest().replace(changed, userOf('lost-move@example.com')));
      if (typeof moved === 'string') throw new Error(`a move whose reply was lost is ${moved}`);
      expect(await find(moved.user)).to.deep.equal(moved);
      expect(await find(changed.user)).to.equal(undefined);
    });

    it('succeeds or has an unknown outcome if it is a removal', async () => {
      const stored = await inserted(userOf('lost-removal@example.com'));
      const removal = losingReply(() => storeOfTest().remove(stored));
      const outcome = await removal.catch(() => faultOf(removal).then(({ code }) => code));
      expect(outcome).to.be.oneOf(['removed', 'store_unavailable']);
      expect(await find(stored.user)).to.equal(undefined);
    });
  });
};
