import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import type { Reservation } from '../../application/ports/user-store.ts';
import { anyCaller } from '../../application/writing/authorization.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { UserKey } from '../../domain/user-name.ts';
import { delaysMs, later, type NamedUsers, nameOf } from './named-users.ts';
import { isWritten, reserved, rightOf, written } from './outcomes.ts';

/** Names that settled reads keep free, as they do addresses. */
export const reservedNames = (named: NamedUsers): void => {
  const reserve = async (key: UserKey): Promise<Reservation> => reserved(await named.users.reserve(key));

  describe('a reserved name', () => {
    it('is for the writes that know the version of the reservation', async () => {
      const name = named.freshName();
      const reservation = await reserve(name);
      expect(reservation.key).to.equal(name);
      expect(await named.ports.names.find(name)).to.equal(undefined);
      const user = named.fresh();
      const stored = await named.inserted();
      const refused = { taken: name, reservation };
      expect(await named.users.insert(user, { names: [name] })).to.deep.equal(refused);
      expect(await named.users.replace(stored, stored.user, { names: [name] })).to.deep.equal(refused);
      expect(await named.users.replace(stored, named.fresh(), { names: [name] })).to.deep.equal(refused);
      expect(await named.find(user)).to.equal(undefined);
      await named.expectNames(stored);
      const options = { names: [name], reservations: [reservation] };
      const holder = written(await named.users.insert(user, options));
      await named.expectNames(holder, name);
      expect(await named.users.replace(stored, stored.user, options)).to.deep.equal({ taken: name });
      expect(await named.users.remove(holder)).to.equal('removed');
      await named.expectFree(name);
    });

    it('has another version when it is reserved again, which refuses the writes that know the former one', async () => {
      const name = named.freshName();
      const stored = await named.inserted();
      const [first, second] = [await reserve(name), await reserve(name)];
      expect(second.version).to.not.equal(first.version);
      const late = { names: [name], reservations: [first] };
      const refused = { taken: name, reservation: second };
      expect(await named.users.insert(named.fresh(), late)).to.deep.equal(refused);
      expect(await named.users.replace(stored, stored.user, late)).to.deep.equal(refused);
      const now = { names: [name], reservations: [second] };
      await named.expectNames(written(await named.users.replace(stored, stored.user, now)), name);
    });

    it('is not reserved if a user has it, who keeps it', async () => {
      const name = named.freshName();
      const holder = await named.inserted(name);
      expect(await named.users.reserve(name)).to.equal('taken');
      await named.expectNames(holder, name);
    });

    it('can be one that a user has given back, and that it cannot take again', async () => {
      const name = named.freshName();
      const first = await named.inserted(name);
      const second = await named.replaced(first, first.user, []);
      const reservation = await reserve(name);
      const again = named.users.replace(second, second.user, { names: [name] });
      expect(await again).to.deep.equal({ taken: name, reservation });
      expect(await named.users.replace(first, first.user, { names: [name] })).to.equal('stale');
      expect(await named.users.remove(second)).to.equal('removed');
      expect(await named.users.insert(named.fresh(), { names: [name] })).to.deep.equal({ taken: name, reservation });
    });

    it('and a reserved address are taken by one write that knows both', async () => {
      const name = named.freshName();
      const [user, other] = [named.fresh(), named.fresh()];
      const key = keyOf(user.email.address);
      const [ofAddress, ofName] = [await reserve(key), await reserve(name)];
      const names = [name];
      expect(await named.users.insert(user, { names })).to.deep.equal({ taken: key, reservation: ofAddress });
      expect(await named.users.insert(user, { names, reservations: [ofAddress] })).to.deep.equal({
        taken: name,
        reservation: ofName,
      });
      // A write that is refused ends no reservation.
      expect(await named.users.insert(user)).to.deep.equal({ taken: key, reservation: ofAddress });
      expect(await named.users.insert(other, { reservations: [ofAddress, ofName] })).to.have.property('version');
      const holder = written(await named.users.insert(user, { names, reservations: [ofAddress, ofName] }));
      await named.expectNames(holder, name);
    });

    it('is taken with a reserved address by a user who moves', async () => {
      const [own, name] = [named.freshName(), named.freshName()];
      const stored = await named.inserted(own);
      const user = named.fresh();
      const reservations = [await reserve(name), await reserve(keyOf(user.email.address))];
      const moved = written(await named.users.replace(stored, user, { names: [name, own], reservations }));
      await named.expectNames(moved, name, own);
    });

    it('is given to a user by the service, however often settled reads have renewed it', async () => {
      const text = `Settled ${Math.random()}`;
      const unique = [{ name: 'username', fold: (value: unknown) => (value === text ? text : undefined) }];
      const users = new SettlingStore(named.ports, unique);
      for (const _ of ['reserved', 'renewed']) {
        const settled = await users.settle(nameOf(text), anyCaller);
        expect(isLeft(settled) && settled.left.code).to.equal('user_not_found');
      }
      const user = { ...named.fresh(), properties: asProperties(JSON.stringify({ username: text })) };
      const holder = written(await users.insert(user, [], performance.now()));
      await named.expectNames(holder, nameOf(text));
      const settled = rightOf(await users.settle(nameOf(text), anyCaller));
      expect(settled.version).to.not.equal(holder.version);
      await named.expectNames(settled, nameOf(text));
    });

    it('is reserved, or a user has it, if both want it at once', async () => {
      for (const delayMs of delaysMs) {
        const name = named.freshName();
        const [outcome, reservation] = await Promise.all([
          later(delayMs, () => named.users.insert(named.fresh(), { names: [name] })),
          named.users.reserve(name),
        ]);
        expect(isWritten(outcome), 'a user has it').to.equal(reservation === 'taken');
        const found = await named.ports.names.find(name);
        expect(found?.version).to.equal(isWritten(outcome) ? outcome.version : undefined);
      }
    });
  });
};
