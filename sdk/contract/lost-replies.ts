import { expect } from 'chai';
import type { StorePorts } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { userOf } from './arbitraries.ts';
import { NamedUsers } from './named-users.ts';
import { faultOf, written } from './outcomes.ts';
import type { SimulatedFailure } from './simulated-failures.ts';

/** Writes that the database applies before the connection breaks: the store must not take its own write for another's. */
export const lostReplies = (opened: () => StorePorts | undefined, { begin, end }: SimulatedFailure): void => {
  describe('a write that was applied, and whose reply is lost', () => {
    const storeOfTest = () => {
      const { users } = opened() ?? {};
      if (users === undefined) throw new Error('the store is not open');
      return users;
    };
    const find = (user: User) => storeOfTest().find(keyOf(user.email.address));

    const losingReply = async <Outcome>(write: () => Promise<Outcome>): Promise<Outcome> => {
      await begin();
      try {
        return await write();
      } finally {
        await end();
      }
    };

    const inserted = async (user: User) => written(await storeOfTest().insert(user));

    it('succeeds if it is an insert', async () => {
      const user = userOf('lost-insert@example.com');
      const stored = await losingReply(() => storeOfTest().insert(user));
      expect(stored).to.have.property('version');
      expect(await find(user)).to.deep.equal(stored);
    });

    it('succeeds if it is a change, also of the address', async () => {
      const previous = await inserted(userOf('lost-change@example.com'));
      const change = losingReply(() => storeOfTest().replace(previous, { ...previous.user, password: 'new' }));
      const changed = written(await change);
      expect(await find(changed.user)).to.deep.equal(changed);
      const move = losingReply(() => storeOfTest().replace(changed, userOf('lost-move@example.com')));
      const moved = written(await move);
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

    it('succeeds or has an unknown outcome if it is a reservation, also a renewed one', async () => {
      const user = userOf('lost-reservation@example.com');
      const key = keyOf(user.email.address);
      for (const _ of ['reserved', 'renewed']) {
        const reserving = losingReply(() => storeOfTest().reserve(key));
        const outcome = await reserving.catch(() => faultOf(reserving).then(({ code }) => code));
        expect(outcome).to.not.equal('taken');
        const refused = await storeOfTest().insert(user);
        expect(refused).to.have.property('taken', key);
        if (typeof outcome === 'object') expect(refused).to.deep.equal({ taken: key, reservation: outcome });
      }
    });

    it('keeps its names, and is not refused because of them', async function () {
      if (opened()?.names === undefined) return this.skip();
      const named = new NamedUsers(opened, 'lost');
      const [one, other] = [named.freshName(), named.freshName()];
      const user = named.fresh();
      const first = written(await losingReply(() => storeOfTest().insert(user, { names: [one] })));
      await named.expectNames(first, one);
      const second = await losingReply(() => named.replaced(first, user, [other]));
      await named.expectNames(second, other);
      const third = await losingReply(() => named.replaced(second, named.fresh(), [other, one]));
      await named.expectNames(third, one, other);
      expect(await find(user)).to.equal(undefined);
    });
  });
};
