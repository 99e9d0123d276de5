import { expect } from 'chai';
import type { StorePorts } from '../../application/ports/user-store.ts';
import type { StoreOfEvents } from './atomic-events.ts';
import { NamedUsers } from './named-users.ts';
import { reserved, written } from './outcomes.ts';

/** Names and events, which are written in one step with the user, or not at all. */
export const namesWithEvents = ({ event, waiting }: StoreOfEvents, opened: () => StorePorts | undefined): void => {
  describe('a change with names and events', () => {
    before(function () {
      if (opened()?.names === undefined) this.skip();
    });
    const named = new NamedUsers(opened, 'named-and-told');

    it('writes both: an insert, a replacement, a move and a removal', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const user = named.fresh();
      const first = written(await named.users.insert(user, { names: [one], events: [event('1')] }));
      await named.expectNames(first, one);
      const second = written(
        await named.users.replace(first, { ...user, password: 'another' }, { names: [other], events: [event('2')] }),
      );
      await named.expectNames(second, other);
      const third = written(
        await named.users.replace(second, named.fresh(), { names: [other, one], events: [event('3')] }),
      );
      await named.expectNames(third, one, other);
      expect(await named.users.remove(third, { events: [event('4')] })).to.equal('removed');
      await named.expectFree(one, other);
      expect([...(await waiting())].sort()).to.deep.equal(['1', '2', '3', '4']);
    });

    it('writes both over a reservation', async () => {
      const name = named.freshName();
      const known = { names: [name], reservations: [reserved(await named.users.reserve(name))] };
      const stored = written(await named.users.insert(named.fresh(), { ...known, events: [event('created')] }));
      await named.expectNames(stored, name);
      expect(await waiting()).to.deep.equal(['created']);
    });

    it('writes neither if a name is taken, or the version is no longer stored', async () => {
      const [taken, own, free] = [named.freshName(), named.freshName(), named.freshName()];
      const holder = await named.inserted(taken);
      const first = await named.inserted();
      const second = await named.replaced(first, first.user, [own]);
      const both = { names: [free, taken], events: [event('not')] };
      expect(await named.users.insert(named.fresh(), both)).to.deep.equal({ taken });
      expect(await named.users.replace(second, second.user, both)).to.deep.equal({ taken });
      expect(await named.users.replace(second, named.fresh(), both)).to.deep.equal({ taken });
      const late = { names: [free], events: [event('late')] };
      expect(await named.users.replace(first, first.user, late)).to.equal('stale');
      expect(await named.users.replace(first, named.fresh(), late)).to.equal('stale');
      expect(await named.users.remove(first, { events: [event('late')] })).to.equal('stale');
      expect(await waiting()).to.deep.equal([]);
      await named.expectNames(holder, taken);
      await named.expectNames(second, own);
      await named.expectFree(free);
    });

    it('keeps the events of a user whose names change without any', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = written(await named.users.insert(named.fresh(), { names: [one], events: [event('created')] }));
      const second = await named.replaced(first, first.user, [other]);
      expect(await named.users.remove(second)).to.equal('removed');
      expect(await waiting()).to.deep.equal(['created']);
      await named.expectFree(one, other);
    });
  });
};
