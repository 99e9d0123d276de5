import { expect } from 'chai';
import { isLeft } from 'fp-ts/lib/Either.js';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties, userJson } from '../../../../adapters/kit/user-json/user-writer.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import {
  CreateUserHandler,
  NewUsers,
  UserInsertion,
  withoutSignUpRules,
} from '../../../../application/accounts/create-user.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { ImportUserHandler } from '../../../../application/administration/import-user.ts';
import { PasswordCheck } from '../../../../application/passwords/password-check.ts';
import { PasswordUpdate, withoutRules } from '../../../../application/passwords/password-update.ts';
import { anyCaller } from '../../../../application/writing/authorization.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { uniqueProperty } from '../../../../domain/property-folding.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { maxUserBytes, type PropertyRules } from '../../../../domain/user-limits.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import { leftOf, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { openService, usualPolicy } from '../wired-service.ts';

describe('ImportUser', () => {
  const stored = `$2b$04$${'a'.repeat(53)}`;
  const jane: User = {
    ...userOf('Jane@example.com', { password: stored, creationTime: 3, lastUpdateTime: 7 }),
    properties: asProperties('{"n":1.10}'),
  };
  const now = 1_900_000_000_000;
  /** Jane, who is not verified, as an import stores her. */
  const imported: User = { ...jane, importTime: now };

  const opened = async (rules?: PropertyRules) => {
    const store = new InMemoryUserStore();
    const hash = await bcrypt.open({ cost: 4 }, silentContext);
    const users = new SettlingStore(store.ports);
    const handler = new ImportUserHandler(
      users,
      new UserInsertion(users, userLimits()),
      hash,
      userLimits(rules),
      withoutRules,
      undefined,
      new ManualClock(now),
    );
    const take = (user: User, options: { hash?: boolean; dryRun?: boolean } = {}) =>
      handler.handle(
        { type: 'ImportUser', by: administrator, user, hash: false, dryRun: false, ...options },
        performance.now(),
      );
    const found = async (user: User) => (await store.find(keyOf(user.email.address)))?.user;
    return { take, found, hash, users };
  };

  it('stores the user unchanged', async () => {
    const { take, found } = await opened();
    const user = {
      ...jane,
      email: { ...jane.email, verification: { verified: true, token: 'a token', tokenTime: 4 } },
      lastCheckTime: 5,
    };
    expect(rightOf(await take(user))).to.deep.equal(user);
    expect(await found(user)).to.deep.equal(user);
  });

  it('stores when a user was imported who is not verified or was never checked, whatever the record says of an earlier import', async () => {
    const importTimeOf = async (user: User) => rightOf(await (await opened()).take(user)).importTime;
    expect(await importTimeOf({ ...jane, importTime: 5 })).to.equal(now);
    const verified = { ...jane.email, verification: { verified: true, token: null } };
    expect(await importTimeOf({ ...jane, email: verified })).to.equal(now);
    const checked = { ...jane, email: verified, lastCheckTime: 7 };
    expect(await importTimeOf({ ...checked, importTime: 5 })).to.equal(5);
  });

  it('refuses an existing user, in any case of the address', async () => {
    const { take, found } = await opened();
    await take(jane);
    const other = { ...userOf('JANE@example.com'), password: stored };
    for (const options of [{}, { dryRun: true }, { hash: true }])
      expect(leftOf(await take(other, options)).code).to.equal('user_exists');
    expect(await found(jane)).to.deep.equal(imported);
  });

  it('refuses an address, also one that waits, in another spelling than the one in which it is mailed', async () => {
    const { take, found } = await opened();
    const bücher = { ...userOf('jane@bücher.example'), password: stored };
    const addressMove = { to: bücher.email.address, since: 1, confirmDigest: 'new', cancelDigest: 'old' };
    const waiting = { ...jane, addressMove };
    for (const [user, path] of [
      [bücher, 'email.address'],
      [waiting, 'email.pending'],
    ] as const)
      for (const options of [{}, { dryRun: true }])
        expect(leftOf(await take(user, options))).to.deep.equal({
          code: 'unsuitable_address',
          errors: [{ path, message: 'must be written with the domain xn--bcher-kva.example' }],
        });
    expect(await found(bücher)).to.equal(undefined);
    expect(await found(jane)).to.equal(undefined);
  });

  it('stores a user whose address a settled read reserved', async () => {
    const { take, found, users } = await opened();
    expect(leftOf(await users.settle(keyOf(jane.email.address), anyCaller)).code).to.equal('user_not_found');
    expect(rightOf(await take(jane, { dryRun: true }))).to.deep.equal(jane);
    expect(rightOf(await take(jane))).to.deep.equal(imported);
    expect(await found(jane)).to.deep.equal(imported);
  });

  it('refuses a stored hash that no password would match, and properties that break the rules', async () => {
    const rules = { allowSubset: false, allowSuperset: true, allowed: [{ name: 'n', type: 'string' }] };
    const { take, found } = await opened(rules);
    expect(leftOf(await take(jane)).code).to.equal('invalid_properties');
    const kept = { ...jane, properties: asProperties('{"n":"a"}') };
    expect(leftOf(await take({ ...kept, password: 'a password' })).code).to.equal('unsuitable_password');
    expect(await found(jane)).to.equal(undefined);
    rightOf(await take(kept));
  });

  it('refuses a user who is too large, also with its hash', async () => {
    const { take } = await opened();
    const filler = (length: number) => asProperties(`{"a":"${'x'.repeat(length)}"}`);
    expect(leftOf(await take({ ...jane, properties: filler(maxUserBytes) })).code).to.equal('user_too_large');
    const small = { ...jane, password: 'p', properties: filler(0) };
    const fits = { ...small, properties: filler(maxUserBytes - Buffer.byteLength(userJson(small))) };
    expect(leftOf(await take(fits, { hash: true })).code).to.equal('user_too_large');
  });

  it('hashes plain passwords, if the algorithm uses all of them', async () => {
    const { take, found, hash } = await opened();
    const plain = { ...jane, password: 'correct horse' };
    rightOf(await take(plain, { hash: true }));
    const password = (await found(jane))?.password ?? '';
    expect(password).not.to.equal('correct horse');
    expect(await hash.verify(password, 'correct horse')).to.equal(true);
    const long = { ...userOf('long@example.com'), password: 'x'.repeat(73) };
    expect(leftOf(await take(long, { hash: true })).code).to.equal('unsuitable_password');
  });

  it('accepts the plain passwords that a new user may have, and no others', async () => {
    const limits = userLimits(undefined, true);
    const clock = new ManualClock(1_800_000_000_000);
    const hash = await bcrypt.open({ cost: 4 }, silentContext);
    const codes = async (password: string): Promise<readonly unknown[]> => {
      const [imports, creations] = [new InMemoryUserStore(), new InMemoryUserStore()];
      const importing = new SettlingStore(imports.ports);
      const importer = new ImportUserHandler(
        importing,
        new UserInsertion(importing, limits),
        hash,
        limits,
        withoutRules,
        undefined,
        clock,
      );
      const users = new SettlingStore(creations.ports);
      const policy = { ...usualPolicy, timeoutMs: 10_000 };
      const check = new PasswordCheck(hash, policy);
      const passwords = new PasswordUpdate(hash, check, policy, withoutRules, limits);
      const creator = new CreateUserHandler(
        users,
        new NewUsers(passwords, clock, limits, undefined, withoutSignUpRules),
        new UserInsertion(users, limits),
      );
      const { email, properties } = jane;
      const outcomes = [
        await creator.handle({ type: 'CreateUser', address: email.address, password, properties }, performance.now()),
        ...(await Promise.all(
          [true, false].map((dryRun) =>
            importer.handle(
              { type: 'ImportUser', by: administrator, user: { ...jane, password }, hash: true, dryRun },
              performance.now(),
            ),
          ),
        )),
      ];
      return outcomes.map((outcome) => (isLeft(outcome) ? outcome.left : 'stored'));
    };
    for (const password of [
      'correct horse',
      ' leading',
      'trailing\t',
      'two\nlines',
      '\0',
      'x'.repeat(9_000),
      'é'.repeat(37),
    ]) {
      const [created, checked, imported] = await codes(password);
      expect([checked, imported], JSON.stringify(password)).to.deep.equal([created, created]);
    }
  });

  it('stores nothing in a dry run', async () => {
    const { take, found } = await opened();
    rightOf(await take(jane, { dryRun: true }));
    rightOf(await take({ ...jane, password: 'plain' }, { dryRun: true, hash: true }));
    expect(await found(jane)).to.equal(undefined);
  });

  describe('of users with ids', () => {
    const unique = [uniqueProperty('username', 'string', 'username')];
    const openedWithIds = async (newIds: readonly string[] = []) => {
      const service = await openService({ newIds, unique });
      const take = (user: User, options: { dryRun?: boolean } = {}) =>
        service.commands.dispatch({
          type: 'ImportUser',
          by: administrator,
          user,
          hash: false,
          dryRun: false,
          ...options,
        });
      return { ...service, take };
    };
    const identified = (address: string, properties: object, id?: string): User => ({
      ...userOf(address, { password: 'a'.repeat(64) }),
      properties: asProperties(JSON.stringify(properties)),
      ...(UserId.is(id) && { id }),
    });

    it('keeps the id, that of a custom property, or gives a new one', async () => {
      const { take, store } = await openedWithIds(['new']);
      expect(rightOf(await take(identified('a@example.com', { n: 1 }, 'usr_1'))).id).to.equal('usr_1');
      expect(rightOf(await take(identified('b@example.com', { id: 17, n: 1 })))).to.include({
        id: '17',
        properties: '{"n":1}',
      });
      expect(rightOf(await take(identified('c@example.com', { id: 'usr_3' }, 'usr_3')))).to.include({
        properties: '{}',
      });
      expect(rightOf(await take(identified('d@example.com', {}))).id).to.equal('new');
      const key = keyOf(userOf('b@example.com').email.address);
      expect(await store.now(key)).to.deep.include({ names: ['id 17'] });
    });

    it('refuses an id or a value of another user, also without storing anything', async () => {
      const { take } = await openedWithIds(['new']);
      rightOf(await take(identified('a@example.com', { username: 'Jane' }, 'usr_1')));
      for (const options of [{}, { dryRun: true }]) {
        expect(leftOf(await take(identified('b@example.com', {}, 'usr_1'), options)).code).to.equal('id_taken');
        expect(leftOf(await take(identified('b@example.com', { username: 'jane' }, 'usr_2'), options))).to.deep.include(
          {
            code: 'property_taken',
            errors: [{ path: 'username', message: 'belongs to another user' }],
          },
        );
      }
    });

    it('says that an existing user does not have the id of the record', async () => {
      const { take, store } = await openedWithIds(['new', 'new', 'new', 'new', 'new', 'new']);
      rightOf(await take(identified('a@example.com', {}, 'usr_1')));
      await store.insert(identified('b@example.com', {}));
      const errorsOf = (message?: string) => message && [{ path: 'id', message }];
      for (const options of [{}, { dryRun: true }])
        for (const [address, properties, id, message] of [
          ['a@example.com', {}, 'usr_1', undefined],
          ['a@example.com', {}, undefined, undefined],
          ['a@example.com', {}, 'usr_2', 'the user has another id'],
          ['a@example.com', { id: 'usr_2' }, undefined, 'the user has another id'],
          ['b@example.com', {}, 'usr_2', 'is not stored: the user has no id'],
        ] as const) {
          const { code, errors } = leftOf(await take(identified(address, properties, id), options));
          expect([code, errors]).to.eql(['user_exists', errorsOf(message)]);
        }
    });

    it('refuses values that can be neither an id nor unique, and two different ids', async () => {
      const { take } = await openedWithIds(['new']);
      for (const [properties, path, id] of [
        [{ id: 'a b' }, 'id', undefined],
        [{ id: 'usr_1' }, 'id', 'usr_2'],
        [{ username: 'a b' }, 'username', 'usr_2'],
      ] as const) {
        const refused = leftOf(await take(identified('a@example.com', properties, id)));
        expect([refused.code, refused.errors?.[0]?.path]).to.eql(['invalid_properties', path]);
      }
    });
  });

  it('drops the id where users have none, and keeps a custom property called id', async () => {
    const { take, found } = await opened();
    const id = 'usr_1';
    const user = { ...jane, properties: asProperties('{"id":17}'), ...(UserId.is(id) && { id }) };
    rightOf(await take(user));
    expect(await found(jane)).to.deep.equal({ ...imported, properties: '{"id":17}' });
  });
});
