import { expect } from 'chai';
import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import { everyUser, hasProperty, type UserFilter, type UserPage } from '../../application/ports/user-listing.ts';
import type { OrderedPosition, UserOrder, UserSearch } from '../../application/ports/user-search.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { addresses, insertUsers } from './listed-users.ts';
import type { OpenedStore } from './opened-store.ts';
import { expectPosition } from './positions.ts';

/** A test fails after this many pages, because the listing may be endless. */
const maxPages = 500;

const time = 1_700_000_000_000;

const orders: readonly UserOrder[] = (['creationTime', 'lastUpdateTime'] as const).flatMap((by) => [
  { by, isDescending: false },
  { by, isDescending: true },
]);

const inOrder = (users: readonly User[], { by, isDescending }: UserOrder): readonly string[] => {
  const ascending = users.toSorted(
    (one, other) => one[by] - other[by] || (one.email.address < other.email.address ? -1 : 1),
  );
  return (isDescending ? ascending.reverse() : ascending).map(({ email }) => email.address);
};

/** The contract of the port UserSearch, in addition to that of UserListing. It closes the store with `dispose`. */
export const userSearchContract = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`the contract of a user search: ${name}`, () => {
    let opened: OpenedStore | undefined;
    let store: UserStore;
    let search: UserSearch;
    let count = 0;

    before(async () => {
      opened = await open();
      if (opened.store.search === undefined) throw new Error('the store does not sort its users');
      search = opened.store.search;
      store = opened.store.users;
    });
    after(() => opened?.dispose());

    /** A prefix for the addresses of one test. */
    const fresh = (): string => `sorted-${++count}-`;

    const allPages = async (
      order: UserOrder,
      filter: Partial<UserFilter>,
      limit = 4,
      between: (page: UserPage<OrderedPosition>) => Promise<void> = async () => {},
    ): Promise<readonly User[]> => {
      const found: User[] = [];
      let after: OrderedPosition | undefined;
      for (let pages = 0; pages < maxPages; pages++) {
        const page = await search.sorted({ ...everyUser, ...filter, order, limit, after });
        expect(page.users.length).to.be.at.most(limit);
        found.push(...page.users);
        if (page.next === undefined) return found;
        expect(page.next.time).to.be.a('number');
        expectPosition(page.next.key);
        after = page.next;
        await between(page);
      }
      throw new Error('the listing does not end');
    };

    /** Users of which some share a time; neither times nor inserts have the order of the addresses. */
    const family = (prefix: string, size: number): readonly User[] =>
      Array.from({ length: size }, (_, n) => {
        const creationTime = time + ((n * 7) % 5);
        return userOf(`${prefix}${(n * 11) % size}@example.com`, {
          creationTime,
          lastUpdateTime: creationTime + ((n * 3) % 7),
        });
      });

    for (const order of orders)
      it(`sorts users by ${order.by}, ${order.isDescending ? 'last' : 'first'} ones first, in pages of any size`, async () => {
        const prefix = fresh();
        const users = family(prefix, 21);
        await insertUsers(store, users);
        for (const limit of [1, 4, 50]) {
          const found = await allPages(order, { address: prefix }, limit);
          expect(
            found.map(({ email }) => email.address),
            `${limit} to a page`,
          ).to.deep.equal(inOrder(users, order));
          for (const user of found) expect(users).to.deep.include(user);
        }
      });

    it('sorts the users of one time by address, whatever characters it has', async () => {
      const prefix = fresh();
      const characters = ['a', 'Z', '~', 'é', '漢', '豈', '𝒜'];
      await insertUsers(
        store,
        characters.map((character) => userOf(`${prefix}${character}@example.com`, { creationTime: time })),
      );
      for (const isDescending of [false, true]) {
        const found = await allPages({ by: 'creationTime', isDescending }, { address: prefix }, 1);
        expect(addresses(found)).to.deep.equal(characters.map((text) => `${prefix}${text}@example.com`).sort());
      }
    });

    it('lists every user who stays once, while others are created, changed and removed', async () => {
      const prefix = fresh();
      const [staying, leaving] = [family(`${prefix}staying-`, 15), family(`${prefix}leaving-`, 15)];
      await insertUsers(store, [...staying, ...leaving]);
      const isLeaving = ({ email }: User) => email.address.includes('leaving');
      for (const isDescending of [false, true]) {
        let step = 0;
        const found = await allPages(
          { by: 'creationTime', isDescending },
          { address: prefix },
          3,
          async ({ users }) => {
            step++;
            await insertUsers(store, [
              userOf(`${prefix}new-${isDescending}-${step}@example.com`, { creationTime: time + (step % 9) }),
            ]);
            for (const { email } of users) {
              const stored = await store.find(keyOf(addressOf(email.address)));
              // Also those with whom the page ended.
              if (stored !== undefined && isLeaving(stored.user)) await store.remove(stored);
              else if (stored !== undefined)
                await store.replace(stored, { ...stored.user, lastUpdateTime: time + 100 + step });
            }
          },
        );
        expect(new Set(addresses(found)).size, 'no user twice').to.equal(found.length);
        const met = addresses(found).filter((address) => address.includes('staying'));
        expect(met).to.deep.equal(addresses(staying));
      }
    });

    it('sorts and counts the users of a filter', async () => {
      const prefix = fresh();
      const all = family(prefix, 20).map((user, n) => ({
        ...user,
        email: { ...user.email, verification: { verified: n % 2 === 0, token: null } },
        properties: asProperties(`{"n":${n % 3}}`),
      }));
      await insertUsers(store, [...all, ...family(`x${prefix}`, 5)]);
      const verified = { field: 'verified', test: 'equals', value: true } as const;
      const filters: readonly (readonly [Partial<UserFilter>, (user: User) => boolean])[] = [
        [{ conditions: [verified] }, ({ email }) => email.verification.verified],
        [{ addressContains: '1@example' }, ({ email }) => email.address.includes('1@example')],
        [{ addressContains: '%' }, () => false],
        [
          { conditions: [verified], addressContains: '4@example' },
          ({ email }) => email.verification.verified && email.address.includes('4@example'),
        ],
      ];
      const order = { by: 'lastUpdateTime', isDescending: true } as const;
      for (const [filter, isMeant] of filters) {
        const wanted = all.filter(isMeant);
        const given = { address: prefix, ...filter };
        expect((await allPages(order, given)).map(({ email }) => email.address)).to.deep.equal(inOrder(wanted, order));
        expect(await search.count({ ...everyUser, ...given }, 100)).to.equal(wanted.length);
      }
      const property = { name: 'n', value: '2' };
      const found = (await allPages(order, { address: prefix, property })).filter((user) =>
        hasProperty(user, property),
      );
      const wanted = all.filter((user) => hasProperty(user, property));
      expect(found.map(({ email }) => email.address)).to.deep.equal(inOrder(wanted, order));
    });

    it('counts up to a number', async () => {
      const prefix = fresh();
      const before = await search.count(everyUser, 100_000);
      await insertUsers(store, family(prefix, 9));
      expect(await search.count(everyUser, 100_000)).to.equal(before + 9);
      const numbers = [1, 8, 9, 10].map((most) => search.count({ ...everyUser, address: prefix }, most));
      expect(await Promise.all(numbers)).to.deep.equal([1, 8, 9, 9]);
      expect(await search.count({ ...everyUser, address: `${prefix}none` }, 10)).to.equal(0);
    });

    it('leaves out what only reserves an address, and what a check has left behind', async () => {
      const prefix = fresh();
      const before = await search.count(everyUser, 100_000);
      await insertUsers(store, [userOf(`${prefix}a@example.com`)]);
      await store.reserve(keyOf(addressOf(`${prefix}b@example.com`)));
      await store.check();
      expect(await search.count(everyUser, 100_000)).to.equal(before + 1);
      expect(await search.count({ ...everyUser, address: prefix }, 10)).to.equal(1);
      const found = await allPages({ by: 'creationTime', isDescending: false }, { address: prefix });
      expect(addresses(found)).to.deep.equal([`${prefix}a@example.com`]);
    });

    it('sorts large users too', async () => {
      const prefix = fresh();
      const properties = asProperties(JSON.stringify({ filler: 'x'.repeat(300_000) }));
      const users = family(prefix, 12).map((user) => ({ ...user, properties }));
      await insertUsers(store, users);
      const order = { by: 'creationTime', isDescending: true } as const;
      const found = await allPages(order, { address: prefix }, 200);
      expect(found.map(({ email }) => email.address)).to.deep.equal(inOrder(users, order));
    });
  });
};
