import { expect } from 'chai';
import type { User } from '../../domain/user.ts';
import type { UserName } from '../../domain/user-name.ts';
import { idOf, type NamedUsers, nameOf, renamed } from './named-users.ts';

/** Names of two users that a collation, a trimming or an index of a part takes for one. */
const twoNames: Readonly<Record<string, readonly [one: UserName, other: UserName]>> = {
  'an id and a property': [idOf('jane'), nameOf('jane', 'id')],
  'two properties': [nameOf('jane', 'username'), nameOf('jane', 'nickname')],
  'the case of an id': [idOf('usr_Ab'), idOf('usr_aB')],
  'the case of a value': [nameOf('Jane'), nameOf('jane')],
  'an accent': [nameOf('jané'), nameOf('jane')],
  composition: [nameOf('jos\u00e9'), nameOf('jose\u0301')],
  'white space at the end': [nameOf('jane doe'), nameOf('jane doe ')],
  'white space at the start': [nameOf('jane doe'), nameOf(' jane doe')],
  'white space within': [nameOf('jane doe'), nameOf('janedoe')],
  NUL: [nameOf('jane\0'), nameOf('jane')],
  'an empty value': [nameOf(''), nameOf(' ')],
  'a wildcard': [nameOf('jane_%'), nameOf('janexx')],
  'the operators of a pattern': [nameOf('jane.*'), nameOf('jane')],
  'quotes and backslashes': [nameOf(`j'a"n\\e`), nameOf('jane')],
  'characters beyond the basic plane': [nameOf('🦊'), nameOf('🐺')],
  'an ignorable character': [nameOf('ja\u200dne'), nameOf('jane')],
  'a value that looks like a number': [nameOf('1'), nameOf('1.0')],
  'the name of a property with other characters': [nameOf('x', '$where.a b\0é'), nameOf('x', '$where.a b')],
  'the end of a long value': [nameOf(`${'é'.repeat(499)}a`), nameOf(`${'é'.repeat(499)}b`)],
  'the end of a long id': [idOf(`${'i'.repeat(63)}a`), idOf(`${'i'.repeat(63)}b`)],
};

/** Names that are taken and given back in the same step as the user is written. */
export const names = (named: NamedUsers): void => {
  describe('names', () => {
    it('are absent from a user without any', async () => {
      const stored = await named.inserted();
      expect(stored).to.not.have.property('names');
      await named.expectNames(stored);
    });

    it('are those with which a user is inserted, and find it', async () => {
      const [id, one, other] = [idOf('usr_0'), named.freshName(), named.freshName()];
      expect(await named.ports.names.find(one)).to.equal(undefined);
      await named.expectNames(await named.inserted(id, one, other), id, one, other);
    });

    it('are kept by a replacement that has the same ones', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one, other);
      const second = await named.replaced(first, { ...first.user, password: 'another' }, [other, one]);
      await named.expectNames(second, one, other);
    });

    it('are kept by a user who moves', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one, other);
      const second = await named.replaced(first, named.fresh(), [one, other]);
      expect(await named.find(first.user)).to.equal(undefined);
      await named.expectNames(second, one, other);
      const third = await named.replaced(second, renamed(second.user, second.user.email.address.toUpperCase()), [
        one,
        other,
      ]);
      await named.expectNames(third, one, other);
    });

    for (const isMove of [false, true])
      it(`are taken and given back by a replacement ${isMove ? 'under another address' : 'of a user who stays'}`, async () => {
        const next = (user: User): User => (isMove ? named.fresh() : { ...user, password: 'another' });
        const [kept, left, added] = [named.freshName(), named.freshName(), named.freshName()];
        const first = await named.inserted();
        const second = await named.replaced(first, next(first.user), [kept, left]);
        await named.expectNames(second, kept, left);
        const third = await named.replaced(second, next(second.user), [kept, added]);
        await named.expectNames(third, kept, added);
        await named.expectFree(left);
        const fourth = await named.replaced(third, next(third.user), []);
        await named.expectNames(fourth);
        await named.expectFree(kept, added);
      });

    it('are given back when their user is removed', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const stored = await named.inserted(one, other);
      expect(await named.users.remove(stored)).to.equal('removed');
      await named.expectFree(one, other);
    });

    it('can be taken by a user who moves or stays once another has given them back', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one, other);
      const second = await named.inserted();
      const third = await named.inserted();
      const without = await named.replaced(first, first.user, [other]);
      await named.expectNames(await named.replaced(second, second.user, [one]), one);
      expect(await named.users.remove(without)).to.equal('removed');
      await named.expectNames(await named.replaced(third, named.fresh(), [other]), other);
    });

    it('can be swapped by their user', async () => {
      const before = [nameOf('swapped', 'a'), nameOf('for', 'b')];
      const after = [nameOf('for', 'a'), nameOf('swapped', 'b')];
      let stored = await named.inserted(...before);
      for (const names of [after, before, after]) {
        stored = await named.replaced(stored, stored.user, names);
        await named.expectNames(stored, ...names);
      }
      await named.expectFree(...before);
    });

    it('can be swapped by two users, one after the other', async () => {
      const [one, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(one);
      const second = await named.inserted(other);
      const without = await named.replaced(first, first.user, []);
      const now = await named.replaced(second, second.user, [one]);
      await named.expectNames(now, one);
      await named.expectNames(await named.replaced(without, without.user, [other]), other);
      await named.expectNames(now, one);
    });

    for (const [what, [one, other]] of Object.entries(twoNames))
      it(`of two users are not equal: ${what}`, async () => {
        const first = await named.inserted(one);
        expect(await named.ports.names.find(other)).to.equal(undefined);
        const second = await named.inserted(other);
        await named.expectNames(first, one);
        await named.expectNames(second, other);
        expect(await named.users.remove(first)).to.equal('removed');
        await named.expectNames(second, other);
        expect(await named.users.remove(second)).to.equal('removed');
        await named.expectFree(one, other);
      });
  });
};
