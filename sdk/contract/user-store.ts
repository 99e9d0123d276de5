import { expect } from 'chai';
import * as fc from 'fast-check';
import { asProperties, userJson } from '../../adapters/kit/user-json/user-writer.ts';
import type { StoredUser, StorePorts, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { maxUserBytes } from '../../domain/user-limits.ts';
import { anyWrites } from './any-writes.ts';
import { addressOf, userOf, usersOfEveryField } from './arbitraries.ts';
import { concurrentUpdates } from './concurrent-updates.ts';
import { distinctAddresses } from './distinct-addresses.ts';
import { edgeCaseUsers } from './edge-case-users.ts';
import { lostReplies } from './lost-replies.ts';
import { delaysMs, later, NamedUsers, renamed } from './named-users.ts';
import { names } from './names.ts';
import { OpenResources } from './open-resources.ts';
import type { OpenedStore } from './opened-store.ts';
import { optionalFields } from './optional-fields.ts';
import { isWritten, written } from './outcomes.ts';
import { racedNames } from './raced-names.ts';
import { outcomesOf, race } from './races.ts';
import { reservedAddresses } from './reserved-addresses.ts';
import { reservedNames } from './reserved-names.ts';
import { settledReads } from './settled-reads.ts';
import type { SimulatedFailures } from './simulated-failures.ts';
import { storeFailures } from './store-failures.ts';
import { takenNames } from './taken-names.ts';

/** What the contract of a store tests. */
export interface StoreContractOptions {
  /** The failures of the database that the test can cause. Without it, the behaviour during a failure is not tested. */
  readonly failures?: SimulatedFailures;
  /**
   * Whether reads see a change of address in one step. False for a database whose shards show a transaction one after the
   * other. Default: true.
   */
  readonly movesInOneStep?: boolean;
  /**
   * Whether the open connections and the timers of the process are counted after `close`. False if the test keeps others,
   * which come and go. Default: true.
   */
  readonly countsConnections?: boolean;
}

/** The contract of the port UserStore. It opens one store and closes it with `dispose`. */
export const userStoreContract = (
  name: string,
  open: () => Promise<OpenedStore>,
  { failures, movesInOneStep = true, countsConnections = true }: StoreContractOptions = {},
): void => {
  describe(`the contract of a user store: ${name}`, () => {
    let opened: OpenedStore | undefined;
    let store: UserStore;
    let count = 0;
    let resources: OpenResources;

    before(async () => {
      // Mocha starts the timer of an asynchronous hook or test once its function has returned.
      await new Promise((resolve) => setImmediate(resolve));
      resources = new OpenResources();
      opened = await open();
      store = opened.store.users;
      // With wrong credentials the suite ends here, and not in each of its tests.
      await store.check();
    });
    after(() => {
      resources.stop();
      return opened?.dispose();
    });

    /** An address that no other test uses. */
    const fresh = (): string => `user-${++count}@example.com`;

    const find = (address: string): Promise<StoredUser | undefined> => store.find(keyOf(addressOf(address)));

    const inserted = async (user: User): Promise<StoredUser> => {
      const stored = written(await store.insert(user));
      expect(await find(user.email.address)).to.deep.equal(stored);
      return stored;
    };

    const openAgain = async (test: Mocha.Context): Promise<StorePorts> => (await opened?.reopen?.()) ?? test.skip();

    it('reports its health', async () => {
      expect(await store.check()).to.be.a('string').that.is.not.empty;
    });

    describe('insert and find', () => {
      it('finds no user under an unused key', async () => {
        expect(await find(fresh())).to.equal(undefined);
      });

      it('finds what was inserted', async () => {
        const user = userOf(fresh(), { properties: asProperties('{"a":1}') });
        expect((await inserted(user)).user).to.deep.equal(user);
      });

      it('refuses a second user with an address, in any case, and keeps the first', async () => {
        const user = userOf(fresh());
        await inserted(user);
        const second = userOf(user.email.address.toUpperCase(), { password: 'another' });
        expect(await store.insert(second)).to.deep.equal({ taken: keyOf(user.email.address) });
        expect((await find(second.email.address))?.user).to.deep.equal(user);
      });

      race('lets exactly one of 64 concurrent inserts of an address win', async () => {
        const address = fresh();
        const rivals = Array.from({ length: 64 }, (_, n) => userOf(address, { password: `rival ${n}` }));
        const outcomes = await outcomesOf(rivals.map((rival) => store.insert(rival)));
        expect(outcomes.filter(isWritten)).to.have.length(1);
        expect((await find(address))?.user).to.deep.equal(rivals[outcomes.findIndex(isWritten)]);
      });
    });

    describe('replace', () => {
      it('replaces the user and gives it a new version', async () => {
        const before = await inserted(userOf(fresh()));
        const next = { ...before.user, password: 'new', lastUpdateTime: before.user.lastUpdateTime + 1 };
        const after = await store.replace(before, next);
        expect(after).to.deep.include({ user: next }).and.not.include({ version: before.version });
        expect(await find(next.email.address)).to.deep.equal(after);
      });

      it('moves the user to a free address', async () => {
        const before = await inserted(userOf(fresh()));
        const next = renamed(before.user, fresh());
        const after = await store.replace(before, next);
        expect(after).to.deep.include({ user: next }).and.not.include({ version: before.version });
        expect(await find(before.user.email.address)).to.equal(undefined);
        expect(await find(next.email.address)).to.deep.equal(after);
      });

      const readInOneStep = movesInOneStep ? it : () => undefined;
      readInOneStep('never shows the user under both addresses, or under neither', async () => {
        for (let round = 0; round < 20; round++) {
          const [from, to] = [fresh(), fresh()];
          const stored = await inserted(userOf(from));
          let isMoving = true;
          const watch = async (first: string, then: string, isWrong: (seen: readonly boolean[]) => boolean) => {
            while (isMoving) {
              const seen = [(await find(first)) !== undefined, (await find(then)) !== undefined];
              if (isWrong(seen)) throw new Error(`found before and after the move: ${seen.join()}`);
              // Lets a store in memory go on, too.
              await new Promise((resolve) => setImmediate(resolve));
            }
          };
          // Each watcher reads in the order in which a move in one step cannot look wrong.
          const watchers = Promise.all([
            watch(from, to, ([before, after]) => before === false && after === false),
            watch(to, from, ([after, before]) => after === true && before === true),
          ]);
          const moving = store.replace(stored, renamed(stored.user, to)).finally(() => {
            isMoving = false;
          });
          const [moved] = await Promise.all([moving, watchers]);
          expect(moved).to.have.property('version');
        }
      });

      it('frees the address that a user left', async () => {
        const before = await inserted(userOf(fresh()));
        await store.replace(before, renamed(before.user, fresh()));
        expect(await store.insert(userOf(before.user.email.address))).to.have.property('version');
      });

      it('changes the case of an address', async () => {
        const before = await inserted(userOf(fresh()));
        const next = renamed(before.user, before.user.email.address.toUpperCase());
        expect(await store.replace(before, next)).to.have.property('version');
        expect((await find(before.user.email.address))?.user).to.deep.equal(next);
      });

      it('refuses the address of another user, in any case, and changes neither', async () => {
        const one = await inserted(userOf(fresh()));
        const other = await inserted(userOf(fresh()));
        const next = renamed(one.user, other.user.email.address.toUpperCase());
        expect(await store.replace(one, next)).to.deep.equal({ taken: keyOf(other.user.email.address) });
        expect(await find(one.user.email.address)).to.deep.equal(one);
        expect(await find(other.user.email.address)).to.deep.equal(other);
      });

      it('lets exactly one of 32 users move to an address', async () => {
        const target = fresh();
        const movers = await Promise.all(Array.from({ length: 32 }, () => inserted(userOf(fresh()))));
        const outcomes = await Promise.all(movers.map((mover) => store.replace(mover, renamed(mover.user, target))));
        expect(outcomes.filter(isWritten)).to.have.length(1);
        expect(outcomes.filter((outcome) => typeof outcome === 'object' && 'taken' in outcome)).to.have.length(31);
        const left = await Promise.all(movers.map((mover) => find(mover.user.email.address)));
        expect(left.filter((stored) => stored === undefined)).to.have.length(1);
      });

      it('lets exactly one of a new user and a user who moves have an address', async () => {
        for (const delayMs of delaysMs) {
          const target = fresh();
          const mover = await inserted(userOf(fresh()));
          const outcomes = await Promise.all([
            store.replace(mover, renamed(mover.user, target)),
            later(delayMs, () => store.insert(userOf(target))),
          ]);
          const winners = outcomes.filter(isWritten);
          expect(winners).to.have.length(1);
          expect(await find(target)).to.deep.equal(winners[0]);
        }
      });
    });

    distinctAddresses(() => store);
    optionalFields(() => store);

    describe('remove', () => {
      it('removes the user', async () => {
        const stored = await inserted(userOf(fresh()));
        expect(await store.remove(stored)).to.equal('removed');
        expect(await find(stored.user.email.address)).to.equal(undefined);
      });

      it('frees the address', async () => {
        const stored = await inserted(userOf(fresh()));
        await store.remove(stored);
        expect(await store.insert(stored.user)).to.have.property('version');
      });
    });

    it('gives every write another version, which can be an entity tag', async () => {
      const user = userOf(fresh());
      const versions: string[] = [];
      for (let round = 0; round < 4; round++) {
        const first = await inserted(user);
        const second = written(await store.replace(first, user));
        versions.push(first.version, second.version);
        await store.remove(second);
      }
      expect(new Set(versions)).to.have.lengthOf(8);
      for (const version of versions) expect(version).to.match(/^[\x21\x23-\x7e]+$/);
    });

    describe('a version that is no longer stored', () => {
      const overtakings: Readonly<Record<string, (stored: StoredUser) => Promise<unknown>>> = {
        'was replaced': (stored) => store.replace(stored, { ...stored.user, password: 'overtaken' }),
        'was replaced with the very same user': (stored) => store.replace(stored, stored.user),
        'was removed': (stored) => store.remove(stored),
        'was removed and inserted again': async (stored) => {
          await store.remove(stored);
          await store.insert(stored.user);
        },
        'moved away': (stored) => store.replace(stored, renamed(stored.user, fresh())),
        'moved away and back': async (stored) => {
          const away = renamed(stored.user, fresh());
          await store.replace(stored, away);
          const moved = await find(away.email.address);
          if (moved !== undefined) await store.replace(moved, stored.user);
        },
      };

      for (const [overtaking, overtake] of Object.entries(overtakings)) {
        it(`is stale for every write when the user ${overtaking}`, async () => {
          const stored = await inserted(userOf(fresh()));
          await overtake(stored);
          const now = await find(stored.user.email.address);
          const away = renamed(stored.user, fresh());
          expect(await store.replace(stored, { ...stored.user, password: 'late' })).to.equal('stale');
          expect(await store.replace(stored, away)).to.equal('stale');
          expect(await store.remove(stored)).to.equal('stale');
          expect(await find(stored.user.email.address)).to.deep.equal(now);
          expect(await find(away.email.address)).to.equal(undefined);
        });
      }

      race('lets exactly one of 64 concurrent writes of a version win', async () => {
        const stored = await inserted(userOf(fresh()));
        const outcomes = await outcomesOf(
          Array.from({ length: 64 }, (_, n) =>
            n % 8 === 7 ? store.remove(stored) : store.replace(stored, { ...stored.user, password: `writer ${n}` }),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === 'stale')).to.have.length(63);
      });
    });

    concurrentUpdates(() => store);
    settledReads(() => store);
    reservedAddresses(() => store);
    describe('of a store that finds users by names', () => {
      before(function () {
        if (opened?.store.names === undefined) this.skip();
      });
      const named = new NamedUsers(() => opened?.store, 'named');
      names(named);
      takenNames(named);
      reservedNames(named);
      racedNames(named, openAgain, movesInOneStep);
      anyWrites(named);
    });
    if (failures !== undefined) {
      storeFailures(() => opened, failures);
      if (failures.lostReply !== undefined) lostReplies(() => opened?.store, failures.lostReply);
    }

    it('finds at once what another process wrote', async function () {
      const other = await opened?.reopen?.();
      if (other === undefined) return this.skip();
      const address = fresh();
      expect(await find(address)).to.equal(undefined);
      const first = written(await other.users.insert(userOf(address)));
      expect(await find(address)).to.deep.equal(first);
      const second = written(await other.users.replace(first, { ...first.user, password: 'another' }));
      expect(await find(address)).to.deep.equal(second);
      expect(await store.replace(first, first.user)).to.equal('stale');
      expect(await other.users.remove(second)).to.equal('removed');
      expect(await find(address)).to.equal(undefined);
      await other.users.close();
    });

    describe('of two processes', () => {
      race('lets exactly one of 64 concurrent inserts of an address win', async function () {
        const other = await openAgain(this);
        const address = fresh();
        const rivals = Array.from({ length: 64 }, (_, n) => userOf(address, { password: `rival ${n}` }));
        const outcomes = await outcomesOf(rivals.map((rival, n) => (n % 2 ? store : other.users).insert(rival)));
        const winners = outcomes.filter(isWritten);
        expect(winners).to.have.length(1);
        expect(await find(address)).to.deep.equal(winners[0]);
        await other.users.close();
      });

      race('lets exactly one of 64 concurrent writes of a version win', async function () {
        const other = await openAgain(this);
        const stored = await inserted(userOf(fresh()));
        const outcomes = await outcomesOf(
          Array.from({ length: 64 }, (_, n) =>
            (n % 2 ? store : other.users).replace(stored, { ...stored.user, password: `writer ${n}` }),
          ),
        );
        const winners = outcomes.filter(isWritten);
        expect(winners).to.have.length(1);
        expect(await find(stored.user.email.address)).to.deep.equal(winners[0]);
        await other.users.close();
      });
    });

    describe('keeps exactly', () => {
      for (const [what, user] of Object.entries(edgeCaseUsers)) {
        it(what, async () => {
          const stored = await inserted(user);
          expect(stored.user).to.deep.equal(user);
          const renewed = { ...user, lastUpdateTime: 5 };
          expect(await store.replace(stored, renewed)).to.have.property('version');
          const again = await find(user.email.address);
          expect(again?.user).to.deep.equal(renewed);
          expect(again && (await store.remove(again))).to.equal('removed');
        });
      }

      it('a user of the largest size', async () => {
        const small = userOf(fresh(), { properties: asProperties('{"filler":""}') });
        const filler = 'é'.repeat(Math.floor((maxUserBytes - Buffer.byteLength(userJson(small))) / 2));
        const user = { ...small, properties: asProperties(JSON.stringify({ filler })) };
        expect(Buffer.byteLength(userJson(user))).to.be.within(maxUserBytes - 1, maxUserBytes);
        expect((await inserted(user)).user).to.deep.equal(user);
      });

      it('any user', async () => {
        await fc.assert(
          fc.asyncProperty(usersOfEveryField, async (user) => {
            const stored = await inserted(user);
            expect(stored.user).to.deep.equal(user);
            expect(await store.remove(stored)).to.equal('removed');
          }),
          { numRuns: 50 },
        );
      });
    });

    // The last test, because it closes the store.
    describe('close', () => {
      it('ends its connections, threads and timers, and may be called again', async () => {
        await store.close();
        await store.close();
        for (const deadline = performance.now() + 5_000; countsConnections && resources.count > 0; ) {
          expect(performance.now(), 'connections, threads or timers are still open').to.be.below(deadline);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      });
    });
  });
};
