import { expect } from 'chai';
import { asProperties, noProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { bcrypt } from '../../../../adapters/password-hashes/bcrypt.ts';
import { maxUserBytes } from '../../../../domain/user-limits.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { jane, janeKey, openService, type ServiceOptions, withJane } from '../wired-service.ts';

const creation = { type: 'CreateUser', address: jane, password: 'secret', properties: noProperties } as const;
const rules = { allowSubset: false, allowSuperset: false, allowed: [{ name: 'age', type: 'integer' }] };

describe('CreateUser', () => {
  const open = (options?: ServiceOptions) => openService(options);

  it('stores a new, unverified user and returns the stored user', async () => {
    const service = await open();
    const properties = asProperties('{"age":40}');
    const created = userIn(await service.commands.dispatch({ ...creation, properties }));
    expect(created.email).to.deep.equal({ address: jane, verification: { verified: false, token: null } });
    expect(created).to.include({ creationTime: 1_800_000_000_000, lastUpdateTime: 1_800_000_000_000, properties });
    expect((await service.store.now(janeKey))?.user).to.deep.equal(created);
  });

  it('hashes the password, unless clients do', async () => {
    const hashing = await open();
    const hashed = userIn(await hashing.commands.dispatch(creation)).password;
    expect(hashed).to.not.contain('secret');
    expect(await hashing.hash.verify(hashed, 'secret')).to.equal(true);
    const passing = await open({ policy: { serverSideHash: false } });
    expect(userIn(await passing.commands.dispatch(creation)).password).to.equal('secret');
  });

  it('refuses a taken address in any case, and does not change its user', async () => {
    const service = await open();
    const before = await withJane(service);
    for (const address of [jane, addressOf('JANE@EXAMPLE.COM')]) {
      expect(leftOf(await service.commands.dispatch({ ...creation, address }))).to.deep.equal({ code: 'user_exists' });
    }
    expect((await service.store.now(janeKey))?.user).to.deep.equal(before);
  });

  it('creates exactly one user of many concurrent requests with one address', async () => {
    const { commands } = await open();
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => commands.dispatch(creation)));
    expect(outcomes.filter(({ _tag }) => _tag === 'Right')).to.have.length(1);
  });

  it('refuses properties that break the rules, and stores nothing', async () => {
    const { commands, store } = await open({ rules });
    const refused = leftOf(await commands.dispatch({ ...creation, properties: asProperties('{"name":"x"}') }));
    expect(refused.code).to.equal('invalid_properties');
    expect(refused.errors?.map(({ path }) => path)).to.deep.equal(['age', 'name']);
    expect(await store.now(janeKey)).to.equal(undefined);
    userIn(await commands.dispatch({ ...creation, properties: asProperties('{"age":3}') }));
  });

  it('refuses a user that is too large, and stores nothing', async () => {
    const { commands, store } = await open();
    const properties = asProperties(`{"a":"${'x'.repeat(maxUserBytes)}"}`);
    expect(leftOf(await commands.dispatch({ ...creation, properties }))).to.deep.equal({ code: 'user_too_large' });
    expect(await store.now(janeKey)).to.equal(undefined);
  });

  it('refuses a password of which the algorithm would ignore a part, also one that clients hashed', async () => {
    const hash = await bcrypt.open({ cost: 4 }, silentContext);
    for (const serverSideHash of [true, false]) {
      const { commands, store } = await open({ hash, policy: { serverSideHash } });
      for (const password of ['p'.repeat(73), 'é'.repeat(37), '🔑'.repeat(19), 'a\0a'])
        expect(leftOf(await commands.dispatch({ ...creation, password }))).to.deep.equal({
          code: 'unsuitable_password',
        });
      expect(await store.now(janeKey)).to.equal(undefined);
      for (const [n, password] of ['p'.repeat(72), 'é'.repeat(36), '🔑'.repeat(18)].entries())
        userIn(await commands.dispatch({ ...creation, address: addressOf(`user-${n}@example.com`), password }));
    }
  });

  it('refuses a password that cannot be encoded', async () => {
    const { commands, store } = await open();
    const refused = leftOf(await commands.dispatch({ ...creation, password: '\ud800' }));
    expect(refused).to.deep.equal({ code: 'unsuitable_password' });
    expect(await store.now(janeKey)).to.equal(undefined);
  });
});
