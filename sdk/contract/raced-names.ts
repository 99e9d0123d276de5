import { expect } from 'chai';
import type { StoredUser, StorePorts } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { UserName } from '../../domain/user-name.ts';
import { userOf } from './arbitraries.ts';
import { delaysMs, inOrder, later, type NamedUsers } from './named-users.ts';
import { isWritten, written } from './outcomes.ts';
import { outcomesOf, race } from './races.ts';

/** Names that several users want at once, and names that are read meanwhile. */
export const racedNames = (
  named: NamedUsers,
  reopen: (test: Mocha.Context) => Promise<StorePorts>,
  isSeenInOneStep: boolean,
): void => {
  /** Expects that exactly one write got a name, and that the others were told so. */
  const expectOneWinner = async (name: UserName, outcomes: readonly unknown[], winners: readonly StoredUser[]) => {
    expect(winners).to.have.length(1);
    for (const [winner] of [winners])
      if (winner !== undefined) expect(inOrder(await named.ports.names.find(name))).to.deep.equal(inOrder(winner));
    const refused = outcomes.filter((one) => one !== winners[0]);
    for (const one of refused) expect(one).to.deep.equal({ taken: name });
  };

  describe('a name that several want', () => {
    race('goes to exactly one of 64 concurrent inserts', async () => {
      const name = named.freshName();
      const rivals = Array.from({ length: 64 }, () => ({ user: named.fresh(), own: named.freshName() }));
      const outcomes = await outcomesOf(
        rivals.map(({ user, own }) => named.users.insert(user, { names: [own, name] })),
      );
      await expectOneWinner(name, outcomes, outcomes.filter(isWritten));
      for (const [n, { user, own }] of rivals.entries()) {
        const isWinner = isWritten(outcomes[n] ?? '');
        expect((await named.find(user)) !== undefined, 'a user is stored').to.equal(isWinner);
        if (!isWinner) await named.expectFree(own);
      }
    });

    race('goes to exactly one of 32 users, and no other loses its own', async () => {
      const name = named.freshName();
      const owns = Array.from({ length: 32 }, () => named.freshName());
      const rivals = await Promise.all(owns.map((own) => named.inserted(own)));
      const outcomes = await outcomesOf(
        rivals.map((rival, n) =>
          named.users.replace(rival, n % 2 === 0 ? named.fresh() : rival.user, { names: [name] }),
        ),
      );
      await expectOneWinner(name, outcomes, outcomes.filter(isWritten));
      for (const [n, rival] of rivals.entries()) {
        const own = owns[n] ?? name;
        await (isWritten(outcomes[n] ?? '') ? named.expectFree(own) : named.expectNames(rival, own));
      }
    });

    it('goes to a new user, or to one who takes it', async () => {
      for (const delayMs of delaysMs) {
        const name = named.freshName();
        const stored = await named.inserted();
        const outcomes = await Promise.all([
          named.users.replace(stored, stored.user, { names: [name] }),
          later(delayMs, () => named.users.insert(named.fresh(), { names: [name] })),
        ]);
        await expectOneWinner(name, outcomes, outcomes.filter(isWritten));
      }
    });

    it('is never lost when two users want two names in the opposite order', async () => {
      for (let round = 0; round < 20; round++) {
        const [one, other] = [named.freshName(), named.freshName()];
        const outcomes = await Promise.all([
          named.users.insert(named.fresh(), { names: [one, other] }),
          named.users.insert(named.fresh(), { names: [other, one] }),
        ]);
        const [winner, ...others] = outcomes.filter(isWritten);
        expect(others).to.deep.equal([]);
        if (winner === undefined) throw new Error('no user got the names');
        await named.expectNames(winner, one, other);
      }
    });

    race('goes to exactly one of 64 concurrent inserts of two processes', async function () {
      const other = await reopen(this);
      const name = named.freshName();
      const outcomes = await outcomesOf(
        Array.from({ length: 64 }, (_, n) =>
          (n % 2 ? named.users : other.users).insert(named.fresh(), { names: [name] }),
        ),
      );
      await expectOneWinner(name, outcomes, outcomes.filter(isWritten));
      await other.users.close();
    });
  });

  describe('a name that is read', () => {
    /** Reads again and again while users change. */
    const during = async (change: () => Promise<unknown>, ...reads: readonly (() => Promise<void>)[]) => {
      let isRunning = true;
      const reading = reads.map(async (read) => {
        while (isRunning) {
          await read();
          // Lets a store in memory go on, too.
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      const changing = change().finally(() => {
        isRunning = false;
      });
      await Promise.all([changing, ...reading]);
    };

    const inOneStep = isSeenInOneStep ? it : () => undefined;
    inOneStep('is there in one step with its new user', async () => {
      for (let round = 0; round < 20; round++) {
        const [user, name] = [named.fresh(), named.freshName()];
        await during(
          () => named.users.insert(user, { names: [name] }),
          async () => {
            const found = await named.find(user);
            if (found === undefined) return;
            expect(found.names).to.deep.equal([name]);
            expect(await named.ports.names.find(name), 'the user of the name').to.deep.equal(found);
          },
          async () => {
            const found = await named.ports.names.find(name);
            if (found !== undefined) expect(await named.find(user), 'the user').to.deep.equal(found);
          },
        );
      }
    });

    inOneStep('changes in one step', async () => {
      for (let round = 0; round < 20; round++) {
        const [from, to] = [named.freshName(), named.freshName()];
        const stored = await named.inserted(from);
        const isFound = async (name: UserName) => (await named.ports.names.find(name)) !== undefined;
        await during(
          () => named.users.replace(stored, stored.user, { names: [to] }),
          async () => {
            if (await isFound(to)) expect(await isFound(from), 'found by both names').to.equal(false);
          },
          async () => {
            if (!(await isFound(from))) expect(await isFound(to), 'found by neither name').to.equal(true);
          },
        );
      }
    });

    inOneStep('always finds its user, who moves and changes meanwhile', async () => {
      const [name, other] = [named.freshName(), named.freshName()];
      const first = await named.inserted(name);
      const change = async () => {
        let stored = first;
        for (let round = 0; round < 20; round++) {
          const next = round % 2 === 0 ? named.fresh() : { ...stored.user, password: `${round}` };
          stored = await named.replaced(stored, next, round % 3 === 0 ? [name, other] : [name]);
        }
      };
      await during(change, async () => {
        const found = await named.ports.names.find(name);
        expect(found?.names, 'the names of the user').to.include(name);
      });
    });

    it('finds only a user who has it, while it goes from one to the other', async () => {
      const [name, other] = [named.freshName(), named.freshName()];
      const change = async () => {
        let [holder, next] = [await named.inserted(name), await named.inserted(other)];
        for (let round = 0; round < 10; round++) {
          const without = await named.replaced(holder, holder.user, []);
          holder = await named.replaced(next, next.user, [name]);
          next = await named.replaced(without, without.user, [other]);
        }
      };
      await during(change, async () => {
        const found = await named.ports.names.find(name);
        if (found !== undefined) expect(found.names, 'the names of the user').to.deep.equal([name]);
      });
    });

    it('finds at once what another process wrote', async function () {
      const other = await reopen(this);
      const [name, next] = [named.freshName(), named.freshName()];
      const user = named.fresh();
      const find = async (key: UserName) => inOrder(await named.ports.names.find(key));
      expect(await find(name)).to.equal(undefined);
      const first = written(await other.users.insert(user, { names: [name] }));
      expect(await find(name)).to.deep.equal(first);
      expect(await named.users.insert(named.fresh(), { names: [name] })).to.deep.equal({ taken: name });
      const moved = written(await other.users.replace(first, userOf('moved-elsewhere@example.com'), { names: [name] }));
      expect(await find(name)).to.deep.equal(moved);
      const last = written(await other.users.replace(moved, moved.user, { names: [next] }));
      expect([await find(name), await find(next)]).to.deep.equal([undefined, last]);
      expect(await named.users.find(keyOf(moved.user.email.address))).to.deep.equal(last);
      const reservation = await other.users.reserve(name);
      expect(await named.users.insert(named.fresh(), { names: [name] })).to.deep.equal({ taken: name, reservation });
      expect(await other.users.remove(last)).to.equal('removed');
      expect(await find(next)).to.equal(undefined);
      await named.expectFree(next);
      await other.users.close();
    });
  });
};
