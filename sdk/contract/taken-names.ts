import { expect } from 'chai';
import { keyOf } from '../../domain/email-address.ts';
import { type NamedUsers, renamed } from './named-users.ts';

/** Writes that are refused, because another user has a name, or because their version is no longer stored. */
export const takenNames = (named: NamedUsers): void => {
  describe('a name of another user', () => {
    it('refuses an insert, which writes nothing', async () => {
      const [taken, free] = [named.freshName(), named.freshName()];
      const holder = await named.inserted(taken);
      for (const names of [[taken, free], [free, taken], [taken]]) {
        const user = named.fresh();
        expect(await named.users.insert(user, { names })).to.deep.equal({ taken });
        expect(await named.find(user)).to.equal(undefined);
      }
      await named.expectNames(holder, taken);
      await named.expectFree(free);
    });

    for (const isMove of [false, true])
      it(`refuses a replacement ${isMove ? 'under another address' : 'of a user who stays'}, which changes nothing`, async () => {
        const [taken, free, own] = [named.freshName(), named.freshName(), named.freshName()];
        const holder = await named.inserted(taken);
        const stored = await named.inserted(own);
        for (const names of [[own, taken], [taken], [free, taken, own]]) {
          const next = isMove ? named.fresh() : { ...stored.user, password: 'another' };
          expect(await named.users.replace(stored, next, { names })).to.deep.equal({ taken });
          if (isMove) expect(await named.find(next)).to.equal(undefined);
        }
        await named.expectNames(holder, taken);
        await named.expectNames(stored, own);
        await named.expectFree(free);
        expect(await named.users.remove(stored), 'a removal of the version').to.equal('removed');
      });

    it('is the one that is reported, and never a free or an own one', async () => {
      const [one, other, free, own] = Array.from({ length: 4 }, () => named.freshName());
      if (one === undefined || other === undefined || free === undefined || own === undefined) throw new Error();
      await named.inserted(one);
      await named.inserted(other);
      const stored = await named.inserted(own);
      const both = { names: [own, free, one, other] };
      for (const outcome of [
        await named.users.insert(named.fresh(), { names: [free, other, one] }),
        await named.users.replace(stored, stored.user, both),
        await named.users.replace(stored, named.fresh(), both),
      ])
        expect(outcome).to.have.property('taken').that.is.oneOf([one, other]);
    });

    it('is not reported if another user has the address', async () => {
      const taken = named.freshName();
      const holder = await named.inserted(taken);
      const { address } = (await named.inserted()).user.email;
      const stored = await named.inserted();
      const refused = { taken: keyOf(address) };
      expect(await named.users.insert(renamed(stored.user, address), { names: [taken] })).to.deep.equal(refused);
      const move = named.users.replace(stored, renamed(stored.user, address), { names: [taken] });
      expect(await move).to.deep.equal(refused);
      await named.expectNames(holder, taken);
    });
  });

  describe('a version that is no longer stored', () => {
    it('neither takes nor gives back a name', async () => {
      const [left, now, free] = [named.freshName(), named.freshName(), named.freshName()];
      const first = await named.inserted(left);
      const second = await named.replaced(first, first.user, [now]);
      const holder = await named.inserted(left);
      for (const names of [[left], [free], [now, free], []]) {
        expect(await named.users.replace(first, first.user, { names })).to.equal('stale');
        expect(await named.users.replace(first, named.fresh(), { names })).to.equal('stale');
      }
      expect(await named.users.remove(first)).to.equal('stale');
      await named.expectNames(second, now);
      await named.expectNames(holder, left);
      await named.expectFree(free);
    });

    it('takes no name from who has it after a removal', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one, other);
      expect(await named.users.remove(first)).to.equal('removed');
      const holder = await named.inserted(one);
      expect(await named.users.remove(first)).to.equal('stale');
      expect(await named.users.replace(first, first.user, { names: [other] })).to.equal('stale');
      expect(await named.users.replace(first, named.fresh(), { names: [one, other] })).to.equal('stale');
      await named.expectNames(holder, one);
      await named.expectFree(other);
    });

    it('takes no name from its user after a move', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one, other);
      const moved = await named.replaced(first, named.fresh(), [one, other]);
      const second = await named.users.insert(first.user);
      expect(second).to.have.property('version');
      expect(await named.users.remove(first)).to.equal('stale');
      expect(await named.users.replace(first, first.user, { names: [one] })).to.equal('stale');
      await named.expectNames(moved, one, other);
    });
  });
};
