import { expect } from 'chai';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { ImportUserHandler } from '../../../../application/commands/import-user.ts';
import { asProperties } from '../../../../domain/custom-properties.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { largestUser, type User, userJson } from '../../../../domain/user.ts';
import { userOf } from '../../../support/arbitraries.ts';
import { InMemoryUserStore } from '../../../support/doubles/in-memory-user-store.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { leftOf, rightOf } from '../../../support/outcomes.ts';

describe('ImportUser', () => {
  const stored = `$2b$04$${'a'.repeat(53)}`;
  const jane: User = {
    ...userOf('Jane@example.com', { password: stored, creationTime: 3, lastUpdateTime: 7 }),
    properties: asProperties('{"n":1.10}'),
  };

  const opened = async (rules: ConstructorParameters<typeof ImportUserHandler>[2] = null) => {
    const store = new InMemoryUserStore();
    const hash = await bcrypt.open({ cost: 4 }, silentContext);
    const handler = new ImportUserHandler(store, hash, rules);
    const take = (user: User, manner: { hash?: boolean; isTrial?: boolean } = {}) =>
      handler.handle({ type: 'ImportUser', user, hash: false, isTrial: false, ...manner });
    const found = async (user: User) => (await store.find(keyOf(user.email.address)))?.user;
    return { take, found, hash };
  };

  it('stores the user as it is', async () => {
    const { take, found } = await opened();
    const user = { ...jane, email: { ...jane.email, verified: true, verificationToken: 'a token', tokenTime: 4 } };
    expect(rightOf(await take(user))).to.deep.equal(user);
    expect(await found(user)).to.deep.equal(user);
  });

  it('leaves one alone who is there already, in any case', async () => {
    const { take, found } = await opened();
    await take(jane);
    const other = { ...userOf('JANE@example.com'), password: stored };
    for (const manner of [{}, { isTrial: true }, { hash: true }])
      expect(leftOf(await take(other, manner)).code).to.equal('user_exists');
    expect(await found(jane)).to.deep.equal(jane);
  });

  it('refuses a stored form that no password would match, and properties that break the rules', async () => {
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
    expect(leftOf(await take({ ...jane, properties: filler(largestUser) })).code).to.equal('user_too_large');
    const small = { ...jane, password: 'p', properties: filler(0) };
    const fits = { ...small, properties: filler(largestUser - Buffer.byteLength(userJson(small))) };
    expect(leftOf(await take(fits, { hash: true })).code).to.equal('user_too_large');
  });

  it('hashes the passwords of a file that has them as they are, where the algorithm reads all of them', async () => {
    const { take, found, hash } = await opened();
    const plain = { ...jane, password: 'correct horse' };
    rightOf(await take(plain, { hash: true }));
    const password = (await found(jane))?.password ?? '';
    expect(password).not.to.equal('correct horse');
    expect(await hash.verify(password, 'correct horse')).to.equal(true);
    const long = { ...userOf('long@example.com'), password: 'x'.repeat(73) };
    expect(leftOf(await take(long, { hash: true })).code).to.equal('unsuitable_password');
  });

  it('stores nothing when it only looks', async () => {
    const { take, found } = await opened();
    rightOf(await take(jane, { isTrial: true }));
    rightOf(await take({ ...jane, password: 'plain' }, { isTrial: true, hash: true }));
    expect(await found(jane)).to.equal(undefined);
  });
});
