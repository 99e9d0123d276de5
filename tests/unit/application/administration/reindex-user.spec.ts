import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { Fault } from '../../../../application/fault.ts';
import { type EmailKey, keyOf } from '../../../../domain/email-address.ts';
import { entityTagOf } from '../../../../domain/entity-tag.ts';
import { uniqueProperty } from '../../../../domain/property-folding.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rightOf } from '../../../../sdk/contract/outcomes.ts';
import { openService, type Service, type ServiceOptions } from '../wired-service.ts';

const unique = [uniqueProperty('username', 'string', 'username'), uniqueProperty('number', 'integer', 'exact')];

describe('ReindexUser', () => {
  const opened = async (options: ServiceOptions = {}) => {
    const service = await openService({ unique, ...options });
    return { ...service, reindex: reindexing(service) };
  };
  const reindexing =
    ({ commands }: Service) =>
    async (key: EmailKey, wanted: 'id' | 'names') =>
      rightOf(await commands.dispatch({ type: 'ReindexUser', by: administrator, key, wanted }));

  /** Stores a user as before names were configured. */
  const stored = async ({ store }: Service, address: string, properties: object = {}, changes: Partial<User> = {}) => {
    const user = { ...userOf(address, {}), properties: asProperties(JSON.stringify(properties)), ...changes };
    await store.insert(user);
    return keyOf(user.email.address);
  };
  const idOf = (id: string): { readonly id: UserId } => {
    if (!UserId.is(id)) throw new TypeError(id);
    return { id };
  };

  it('gives a user exactly the names of the configuration, with the same entity tag and times', async () => {
    const service = await opened();
    const key = await stored(service, 'jane@example.com', { username: 'Jane', number: 7 });
    const before = await service.store.now(key);
    expect(await service.reindex(key, 'names')).to.eql({ isWritten: true, missing: [] });
    const after = await service.store.now(key);
    expect(after?.names).to.eql(['property username jane', 'property number 7']);
    expect(after?.user.lastUpdateTime).to.equal(before?.user.lastUpdateTime);
    expect(after && entityTagOf(after)).to.equal(before && entityTagOf(before));
    expect(await service.reindex(key, 'names')).to.eql({ isWritten: false, missing: [] });
    expect(await service.store.now(key)).to.eql(after);
  });

  it('takes back the names that the configuration does not ask for any more', async () => {
    const service = await opened();
    const key = await stored(service, 'jane@example.com', { username: 'jane', number: 7 });
    await service.reindex(key, 'names');
    const without = await openService({ store: service.store, unique: unique.slice(1) });
    expect(await reindexing(without)(key, 'names')).to.deep.include({ isWritten: true });
    expect((await service.store.now(key))?.names).to.eql(['property number 7']);
  });

  it('gives one of the users of a mailbox its name, and reports nothing about the others', async () => {
    const service = await opened({ namesMailboxes: true });
    const [jane, other] = [
      await stored(service, 'jane@example.com', { username: 'jane' }),
      await stored(service, 'jane+news@example.com', { username: 'joe' }),
    ];
    for (const key of [jane, other])
      expect(await service.reindex(key, 'names')).to.eql({ isWritten: true, missing: [] });
    const mailbox = 'property /mailbox jane@example.com';
    expect((await service.store.now(jane))?.names).to.eql(['property username jane', mailbox]);
    expect((await service.store.now(other))?.names).to.eql(['property username joe']);
    expect(await service.reindex(other, 'names')).to.eql({ isWritten: false, missing: [] });
    const without = await openService({ store: service.store, unique });
    expect(await reindexing(without)(jane, 'names')).to.deep.include({ isWritten: true });
    expect((await service.store.now(jane))?.names).to.eql(['property username jane']);
  });

  it('names who has a value, and gives the user all others', async () => {
    const service = await opened();
    const jane = await stored(service, 'jane@example.com', { username: 'jane' });
    await service.reindex(jane, 'names');
    const joe = await stored(service, 'joe@example.com', { username: 'JANE', number: 8 });
    const conflict = {
      code: 'property_taken',
      errors: [{ path: 'username', message: 'belongs to another user' }],
      holder: 'jane@example.com',
    };
    expect(await service.reindex(joe, 'names')).to.eql({ isWritten: true, missing: [conflict] });
    expect((await service.store.now(joe))?.names).to.eql(['property number 8']);
    expect(await service.reindex(joe, 'names')).to.eql({ isWritten: false, missing: [conflict] });
  });

  it('gives a user all other names where the user who has a value is damaged', async () => {
    const service = await opened();
    const jane = await stored(service, 'jane@example.com', { username: 'jane' });
    await service.reindex(jane, 'names');
    const joe = await stored(service, 'joe@example.com', { username: 'JANE', number: 8 });
    const damage = new Fault('store_rejected', 'a stored user has no readable password', { record: jane });
    service.store.findNamed = () => Promise.reject(damage);
    const { isWritten, missing } = await service.reindex(joe, 'names');
    expect([isWritten, missing.map(({ code, holder }) => [code, holder])]).to.eql([
      true,
      [['property_taken', undefined]],
    ]);
    expect((await service.store.now(joe))?.names).to.eql(['property number 8']);
  });

  it('reports values that no user can have', async () => {
    const service = await opened();
    const key = await stored(service, 'jane@example.com', { username: 'a b', number: 7 });
    const { isWritten, missing } = await service.reindex(key, 'names');
    expect(isWritten).to.equal(true);
    expect(missing.map(({ code, errors }) => [code, errors?.[0]?.path])).to.eql([['invalid_properties', 'username']]);
  });

  it('gives an id to a user without one, and the entity tag changes as the user does', async () => {
    const service = await opened({ newIds: ['u1'] });
    const key = await stored(service, 'jane@example.com', { username: 'jane' });
    const before = await service.store.now(key);
    expect(await service.reindex(key, 'id')).to.eql({ isWritten: true, missing: [] });
    const after = await service.store.now(key);
    expect(after?.user.id).to.equal('u1');
    // The unique properties are left to the other command.
    expect(after?.names).to.eql(['id u1']);
    expect(after && entityTagOf(after)).to.not.equal(before && entityTagOf(before));
    expect(await service.reindex(key, 'id')).to.eql({ isWritten: false, missing: [] });
  });

  it('makes the id of a custom property called id, which the user does not keep', async () => {
    const service = await opened({ newIds: [] });
    const jane = await stored(service, 'jane@example.com', { a: 1, id: 'usr_1', b: 2 });
    const joe = await stored(service, 'joe@example.com', { id: 17 });
    await service.reindex(jane, 'id');
    await service.reindex(joe, 'id');
    expect((await service.store.now(jane))?.user).to.include({ id: 'usr_1', properties: '{"a":1,"b":2}' });
    expect((await service.store.now(joe))?.user).to.include({ id: '17', properties: '{}' });
  });

  it('leaves a user as it is whose custom property cannot be the id, and says why', async () => {
    const service = await opened({ newIds: [] });
    const jane = await stored(service, 'jane@example.com', { id: 'usr_1' });
    await service.reindex(jane, 'id');
    const joe = await stored(service, 'joe@example.com', { id: 'usr_1' });
    const ann = await stored(service, 'ann@example.com', { id: 'a b' });
    const before = [await service.store.now(joe), await service.store.now(ann)];
    expect(await service.reindex(joe, 'id')).to.eql({
      isWritten: false,
      missing: [{ code: 'id_taken', holder: 'jane@example.com' }],
    });
    const { missing } = await service.reindex(ann, 'id');
    expect(missing.map(({ code, errors }) => [code, errors?.[0]?.path])).to.eql([['invalid_properties', 'id']]);
    expect([await service.store.now(joe), await service.store.now(ann)]).to.eql(before);
  });

  it('takes the name of an id that was stored without it', async () => {
    const service = await opened({ newIds: [] });
    const key = await stored(service, 'jane@example.com', {}, idOf('u1'));
    expect(await service.reindex(key, 'id')).to.eql({ isWritten: true, missing: [] });
    expect((await service.store.now(key))?.names).to.eql(['id u1']);
  });

  it('decides on the newest version of the user, and keeps what others change meanwhile', async () => {
    const service = await opened();
    const key = await stored(service, 'jane@example.com', { username: 'jane' });
    service.store.interrupt(1, key, (user) => ({ ...user, properties: asProperties('{"username":"joe"}') }));
    expect(await service.reindex(key, 'names')).to.eql({ isWritten: true, missing: [] });
    expect((await service.store.now(key))?.names).to.eql(['property username joe']);
  });

  it('keeps a move of the address that waits', async () => {
    const service = await opened({ newIds: ['u1'] });
    const addressMove = { since: 1, confirmDigest: 'used' };
    const key = await stored(service, 'jane@example.com', {}, { addressMove });
    await service.reindex(key, 'id');
    expect((await service.store.now(key))?.user.addressMove).to.eql(addressMove);
  });

  it('says that a user is gone', async () => {
    const service = await opened();
    const key = keyOf(userOf('jane@example.com', {}).email.address);
    expect((await service.reindex(key, 'names')).missing.map(({ code }) => code)).to.eql(['user_not_found']);
  });
});
