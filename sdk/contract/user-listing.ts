import { expect } from 'chai';
import * as fc from 'fast-check';
import { asProperties } from '../../adapters/kit/user-json/user-writer.ts';
import {
  everyUser,
  type FieldCondition,
  hasProperty,
  type Listing,
  type UserListing,
  type UserPage,
} from '../../application/ports/user-listing.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import { keyOf, keyPrefix } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, codePoint, userOf, usersOfEveryField } from './arbitraries.ts';
import { addresses, insertUsers } from './listed-users.ts';
import type { OpenedStore } from './opened-store.ts';
import { expectPosition } from './positions.ts';

/** More than a store examines for one page if only some users match. */
const many = 1_500;
/** A test fails after this many pages, because the listing may be endless. */
const maxPages = 5_000;

const verifiedUser = (address: string): User => {
  const user = userOf(address);
  return { ...user, email: { ...user.email, verification: { verified: true, token: null } } };
};

const verification = (value: boolean): readonly FieldCondition[] => [{ field: 'verified', test: 'equals', value }];

/** The contract of the port UserListing, in addition to that of UserStore. It closes the store with `dispose`. */
export const userListingContract = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`the contract of a user listing: ${name}`, () => {
    let opened: OpenedStore | undefined;
    let store: UserStore;
    let users: UserListing;
    let count = 0;

    before(async () => {
      opened = await open();
      if (opened.store.listing === undefined) throw new Error('the store does not list its users');
      users = opened.store.listing;
      store = opened.store.users;
    });
    after(() => opened?.dispose());

    /** A prefix for the addresses of one test. */
    const fresh = (): string => `walk-${++count}-`;

    const insert = (users: readonly User[]): Promise<void> => insertUsers(store, users);

    const remove = async (address: string): Promise<void> => {
      const stored = await store.find(keyOf(addressOf(address)));
      expect(stored && (await store.remove(stored))).to.equal('removed');
    };

    /** Reads all pages of a listing, and calls `between` after each of them. */
    const allPages = async (
      listing: Partial<Listing>,
      between: (page: UserPage) => Promise<void> = async () => {},
    ): Promise<readonly User[]> => {
      const found: User[] = [];
      let after: string | undefined;
      for (let pages = 0; pages < maxPages; pages++) {
        const page = await users.list({ ...everyUser, limit: 7, ...listing, after });
        expect(page.users.length).to.be.at.most(listing.limit ?? 7);
        found.push(...page.users);
        if (page.next === undefined) return found;
        expectPosition(page.next);
        after = page.next;
        await between(page);
      }
      throw new Error('the listing does not end');
    };

    /** Users of different times, some of the same time; neither times nor inserts have the order of the addresses. */
    const family = (prefix: string, size: number): readonly User[] =>
      Array.from({ length: size }, (_, n) => {
        const creationTime = 1_700_000_000_000 + ((n * 7) % 10);
        return userOf(`${prefix}${n}@example.com`, { creationTime, lastUpdateTime: creationTime + ((n * 3) % 5) });
      });

    it('lists no users where there are none', async () => {
      expect(await allPages({ address: fresh() })).to.deep.equal([]);
    });

    it('lists no user whom a check has left behind', async () => {
      const before = await allPages({});
      await store.check();
      expect(await allPages({})).to.deep.equal(before);
    });

    for (const limit of [1, 4, 7, 50])
      it(`lists every user once, as stored, ${limit} to a page`, async () => {
        const prefix = fresh();
        const users = family(prefix, 21).map((user, n) => ({
          ...user,
          properties: asProperties(`{"n":${n},"f":1.10}`),
        }));
        await insert(users);
        const found = (await allPages({ limit })).filter(({ email }) => email.address.startsWith(prefix));
        expect(addresses(found)).to.deep.equal(addresses(users));
        for (const user of found) expect(users).to.deep.include(user);
      });

    it('lists every user who stays once, while others are created, changed and removed', async () => {
      const prefix = fresh();
      const staying = family(`${prefix}staying-`, 20);
      const leaving = family(`${prefix}leaving-`, 20).map(({ email }) => email.address);
      await insert([...staying, ...leaving.map((address) => userOf(address))]);
      let step = 0;
      const found = await allPages({ limit: 3 }, async ({ users }) => {
        step++;
        await insert([userOf(`${prefix}${step}-new@example.com`), userOf(`z-${prefix}${step}@example.com`)]);
        // Also those with whom the page ended.
        const gone = users.map(({ email }) => email.address).filter((address) => leaving.includes(address));
        for (const address of gone) await remove(address);
        for (const { email } of users.filter(({ email }) => email.address.startsWith(`${prefix}staying-`))) {
          const stored = await store.find(keyOf(email.address));
          if (stored !== undefined) await store.replace(stored, { ...stored.user, password: 'changed' });
        }
      });
      const met = addresses(found).filter((address) => address.startsWith(`${prefix}staying-`));
      expect(met).to.deep.equal(addresses(staying));
      expect(new Set(addresses(found)).size, 'no user twice').to.equal(found.length);
    });

    it('lists any users once, with all fields, also a few to a page', async () => {
      const anyUsers = fc.uniqueArray(usersOfEveryField, {
        minLength: 20,
        maxLength: 40,
        selector: ({ email }) => keyOf(email.address),
      });
      await fc.assert(
        fc.asyncProperty(anyUsers, fc.integer({ min: 2, max: 9 }), async (users, limit) => {
          await insert(users);
          const wanted = addresses(users);
          const found = (await allPages({ limit })).filter(({ email }) => wanted.includes(email.address));
          for (const address of wanted) await remove(address);
          expect(addresses(found)).to.deep.equal(wanted);
          // An export without `disabledTime` would enable the users whom it lists.
          for (const user of found) expect(users).to.deep.include(user);
        }),
        // Without a search for the smallest example, which would insert many more users.
        { numRuns: 5, endOnFailure: true },
      );
    });

    it('lists users by a prefix of the address, in any case', async () => {
      const prefix = fresh();
      const near = [`${prefix}Jane@example.com`, `${prefix}jane@example.com.au`, `${prefix}jane.doe@example.com`];
      const far = [`${prefix}jan@example.com`, `${prefix}janf@example.com`, `x${prefix}jane@example.com`];
      await insert([...near, ...far].map((address) => userOf(address)));
      expect(addresses(await allPages({ address: `${prefix}jane`, limit: 2 }))).to.deep.equal([...near].sort());
      const exact = await allPages({ address: `${prefix}jane@example.com` });
      expect(addresses(exact)).to.deep.equal(near.slice(0, 2).sort());
    });

    it('treats no character of a prefix as a pattern', async () => {
      const prefix = fresh();
      const odd = ['%', '_', '*', '?', '^', '$', '{1}', 'ß', 'é', '𝒜', '漢'].map(
        (text) => `${prefix}${text}@example.com`,
      );
      await insert(odd.map((address) => userOf(address)));
      for (const address of odd) {
        const begin = keyPrefix(address.slice(0, address.indexOf('@')));
        expect(addresses(await allPages({ address: begin })), address).to.deep.equal([address]);
      }
    });

    it('lists users by a part of the address, in any case', async () => {
      const prefix = fresh();
      const near = ['Jane@example.com', 'mary.jane@example.com', 'j@jane.example.com', 'xJANEx@example.com'];
      const far = ['jan@example.com', 'ja.ne@example.com', 'mary@example.com'];
      await insert([...near, ...far].map((address) => userOf(`${prefix}${address}`)));
      const listed = async (addressContains: string) =>
        addresses(await allPages({ address: prefix, addressContains, limit: 2 }));
      expect(await listed('jane')).to.deep.equal(near.map((address) => `${prefix}${address}`).sort());
      expect(await listed('y.jane@exam')).to.deep.equal([`${prefix}mary.jane@example.com`]);
      expect(await listed('janes')).to.deep.equal([]);
      // In every address, also before its end and behind the prefix.
      expect(await listed(prefix)).to.have.lengthOf(near.length + far.length);
    });

    it('treats no character of a part as a pattern', async () => {
      const prefix = fresh();
      const odd = ['%', '_', '*', '?', '^', '$', '{1}', '|', '+', '#', "'", 'x.y', 'ß', 'é', '𝒜', '漢', '"[(\\) ]"'];
      const parts = new Map(odd.map((text) => [text, text.startsWith('"') ? text : `${prefix}${text}`]));
      const addressAt = (text: string) => `${parts.get(text)}@${prefix}x.example.com`;
      await insert(odd.map((text) => userOf(addressAt(text))));
      for (const text of odd) {
        const part = keyPrefix(text.replaceAll('"', ''));
        const found = (await allPages({ addressContains: part })).map(({ email }) => email.address);
        const wanted = odd.filter((other) => keyPrefix(addressAt(other)).includes(part)).map(addressAt);
        expect(found.filter((address) => address.includes(`@${prefix}x.`)).sort(), text).to.deep.equal(wanted.sort());
      }
      for (const part of ['\\', '(', '[', '.*', '\0', '\ue000'])
        expect(addresses(await allPages({ address: prefix, addressContains: part })), part).to.deep.equal([]);
    });

    it('lists users by a custom property', async () => {
      const prefix = fresh();
      const written = {
        plain: '{"plan":"paid","n":42,"active":true}',
        spaced: '{ "n" : 42.0, "plan" : "paid" }',
        escaped: '{"pl\\u0061n":"p\\u0061id","n":4.2e1}',
        texts: '{"n":"42","active":"true"}',
        quoted: '{"say \\"hi\\"":"back\\\\slash / \\"quote\\" %_.*"}',
        solidus: '{"path":"a\\/b"}',
        words: '{"plan":"漢字 é 😀"}',
        nested: '{"plan":{"plan":"paid","n":42}}',
        other: '{"plan":"paid!","paid":"plan","n":420,"active":false,"list":["paid"]}',
        long: '{"n":41.99999999999999999999999,"zero":-0}',
        exponent: '{"n":0.042E+3,"list":[true],"small":1e-7}',
        tiny: '{"small":0.00000001,"n":-0.0000001230}',
        huge: '{"big":9007199254740993}',
        none: '{}',
      };
      await insert(
        Object.entries(written).map(([name, properties]) =>
          userOf(`${prefix}${name}@example.com`, { properties: asProperties(properties) }),
        ),
      );
      const wanted: readonly (readonly [name: string, value: string, found: readonly (keyof typeof written)[]])[] = [
        ['plan', 'paid', ['escaped', 'plain', 'spaced']],
        ['plan', 'Paid', []],
        ['plan', 'pai', []],
        ['plan', '漢字 é 😀', ['words']],
        ['n', '42', ['escaped', 'exponent', 'long', 'plain', 'spaced', 'texts']],
        ['n', '42.0', ['escaped', 'exponent', 'long', 'plain', 'spaced']],
        ['n', '420', ['other']],
        ['zero', '0', ['long']],
        ['small', '0.0000001', ['exponent']],
        ['small', '0.00000001', ['tiny']],
        ['small', '1e-8', ['tiny']],
        ['n', '-1.23e-7', ['tiny']],
        ['big', '9007199254740992', ['huge']],
        ['n', '042', []],
        ['active', 'true', ['plain', 'texts']],
        ['active', 'false', ['other']],
        ['say "hi"', 'back\\slash / "quote" %_.*', ['quoted']],
        ['path', 'a/b', ['solidus']],
        ['toString', 'function', []],
        ['password', userOf('any@example.com').password, []],
        ['plan', '\0', []],
      ];
      for (const [name, value, found] of wanted) {
        const property = { name, value };
        const listed = (await allPages({ address: prefix, property, limit: 2 })).filter((user) =>
          hasProperty(user, property),
        );
        const names = listed.map(({ email }) => email.address.slice(prefix.length, email.address.indexOf('@')));
        expect(names.sort(), `${name}: ${value}`).to.deep.equal(found);
      }
    });

    it('lists users by any custom property', async () => {
      const prefix = fresh();
      const value = fc.oneof(
        fc.string({ unit: codePoint }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
      );
      const anyProperties = fc.array(fc.tuple(fc.string({ unit: codePoint, minLength: 1 }), value), {
        minLength: 1,
        maxLength: 3,
      });
      await fc.assert(
        fc.asyncProperty(fc.array(anyProperties, { minLength: 5, maxLength: 10 }), async (all) => {
          const some = fresh();
          const users = all.map((members, n) => {
            const named = members.map(([name, found]) => [`x-${name}`, found]);
            return userOf(`${prefix}${some}${n}@example.com`, {
              properties: asProperties(JSON.stringify(Object.fromEntries(named))),
            });
          });
          await insert(users);
          for (const user of users)
            for (const [name, found] of Object.entries(JSON.parse(user.properties))) {
              const property = { name, value: String(found) };
              const listed = await allPages({ address: `${prefix}${some}`, property });
              const met = users.filter((other) => hasProperty(other, property));
              expect(met).to.include(user);
              expect(addresses(listed.filter((other) => hasProperty(other, property)))).to.deep.equal(addresses(met));
            }
        }),
        { numRuns: 5, endOnFailure: true },
      );
    });

    it('lists verified or unverified users only', async () => {
      const prefix = fresh();
      const verified = Array.from({ length: 9 }, (_, n) => verifiedUser(`${prefix}${n}-yes@example.com`));
      const others = Array.from({ length: 9 }, (_, n) => userOf(`${prefix}${n}-no@example.com`));
      await insert([...verified, ...others]);
      const listed = async (is: boolean) =>
        addresses(await allPages({ address: prefix, conditions: verification(is), limit: 2 }));
      expect(await listed(true)).to.deep.equal(addresses(verified));
      expect(await listed(false)).to.deep.equal(addresses(others));
    });

    it('lists users by whether a field has a value, and by times that are later or absent', async () => {
      const prefix = fresh();
      const insertWith = async (name: string, changes: Partial<User>, verified = false) => {
        const user = userOf(`${prefix}${name}@example.com`);
        await insert([{ ...user, ...changes, email: { ...user.email, verification: { verified, token: null } } }]);
      };
      await insertWith('none', {});
      await insertWith('for-good', { disablement: { since: 1, reason: 'ticket 1' } }, true);
      await insertWith('earlier', { disablement: { since: 1, until: 999 } });
      await insertWith('just-then', { disablement: { since: 1, until: 1_000 } });
      await insertWith('later', { disablement: { since: 1, until: 1_001 } });
      const exists: FieldCondition = { field: 'disabledTime', test: 'exists' };
      const lasting: FieldCondition = { field: 'disabledUntil', test: 'absentOrAfter', value: 1_000 };
      const listed = async (...conditions: readonly FieldCondition[]) =>
        (await allPages({ address: prefix, conditions, limit: 2 })).map(({ email }) =>
          email.address.slice(prefix.length, email.address.indexOf('@')),
        );
      expect((await listed(exists)).sort()).to.deep.equal(['earlier', 'for-good', 'just-then', 'later']);
      expect((await listed(lasting)).sort()).to.deep.equal(['for-good', 'later', 'none']);
      expect((await listed(exists, lasting)).sort()).to.deep.equal(['for-good', 'later']);
      expect(await listed(exists, lasting, ...verification(true))).to.deep.equal(['for-good']);
      const mustChange: FieldCondition = { field: 'changeRequiredTime', test: 'exists' };
      expect(await listed(mustChange)).to.deep.equal([]);
      await insertWith('must-change', { requiredChangeTime: 1 });
      expect(await listed(mustChange)).to.deep.equal(['must-change']);
    });

    it('lists users by times that are earlier or absent, or whatever they are where another field has a value', async () => {
      const prefix = fresh();
      const insertWith = (name: string, changes: Partial<User>) =>
        insert([{ ...userOf(`${prefix}${name}@example.com`), ...changes }]);
      await insertWith('none', {});
      await insertWith('earlier', { requiredChangeTime: 999 });
      await insertWith('just-then', { requiredChangeTime: 1_000 });
      await insertWith('later', { requiredChangeTime: 1_001 });
      await insertWith('later-and-set', { requiredChangeTime: 1_001, passwordTime: 1 });
      const before: FieldCondition = { field: 'changeRequiredTime', test: 'absentOrBefore', value: 1_000 };
      const listed = async (...conditions: readonly FieldCondition[]) =>
        (await allPages({ address: prefix, conditions, limit: 2 })).map(({ email }) =>
          email.address.slice(prefix.length, email.address.indexOf('@')),
        );
      expect((await listed(before)).sort()).to.deep.equal(['earlier', 'none']);
      expect((await listed({ ...before, unless: 'passwordTime' })).sort()).to.deep.equal([
        'earlier',
        'later-and-set',
        'none',
      ]);
      const changed: FieldCondition = { field: 'passwordTime', test: 'exists' };
      expect(await listed({ ...before, unless: 'passwordTime' }, changed)).to.deep.equal(['later-and-set']);
      const created: FieldCondition = { field: 'creationTime', test: 'absentOrBefore', value: 1 };
      expect(await listed(before, created)).to.deep.equal([]);
    });

    describe('among many', () => {
      const prefix = 'many-';
      const numbered = (n: number): string => `${prefix}${String(n).padStart(4, '0')}@example.com`;

      before(async function () {
        this.timeout(60_000);
        await insert(Array.from({ length: many }, (_, n) => verifiedUser(numbered(n))));
      });

      it('lists all of them, also beyond the rows that one page examines', async () => {
        const found = await allPages({ address: prefix, conditions: verification(true), limit: 2 * many });
        expect(addresses(found)).to.deep.equal(Array.from({ length: many }, (_, n) => numbered(n)));
      });

      it('finds the only match', async () => {
        const stored = await store.find(keyOf(addressOf(numbered(many - 1))));
        if (stored === undefined) throw new Error('an inserted user is not found');
        await store.replace(stored, userOf(numbered(many - 1)));
        const found = await allPages({ address: prefix, conditions: verification(false) });
        expect(addresses(found)).to.deep.equal([numbered(many - 1)]);
      });
    });

    it('lists nothing that only reserves an address', async () => {
      const prefix = fresh();
      const listed = ['a', 'c', 'e'].map((name) => `${prefix}${name}@example.com`);
      await insert(listed.map((address) => userOf(address)));
      await store.reserve(keyOf(addressOf(`${prefix}b@example.com`)));
      await store.reserve(keyOf(addressOf(`${prefix}d@example.com`)));
      expect(addresses(await allPages({ address: prefix, limit: 1 }))).to.deep.equal(listed);
      const page = await users.list({ ...everyUser, address: prefix, limit: 5, after: undefined });
      expect(page, 'a reservation as a damaged user').to.not.have.property('unreadable');
    });

    it('lists large users too', async () => {
      const prefix = fresh();
      const properties = asProperties(JSON.stringify({ filler: 'x'.repeat(300_000) }));
      const users = Array.from({ length: 12 }, (_, n) => userOf(`${prefix}${n}@example.com`, { properties }));
      await insert(users);
      expect(addresses(await allPages({ address: prefix, limit: 200 }))).to.deep.equal(addresses(users));
    });
  });
};
