import { expect } from 'chai';
import { asProperties, noProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { administrator } from '../../../../application/administration/administrator.ts';
import { uniqueProperty } from '../../../../domain/property-folding.ts';
import { UserId } from '../../../../domain/user.ts';
import { nameOfId, nameOfProperty, type UserName } from '../../../../domain/user-name.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, withJane } from '../wired-service.ts';

const username = uniqueProperty('username', 'string', 'username');
const creation = { type: 'CreateUser', address: jane, password: 'secret', properties: noProperties } as const;
const joe = addressOf('joe@example.com');
const idOf = (id: string): UserId => {
  if (!UserId.is(id)) throw new TypeError(id);
  return id;
};
const named = (value: string): UserName => nameOfProperty(username, value) ?? nameOfId(idOf('unknown'));
const propertiesWith = (value: string) => asProperties(JSON.stringify({ username: value }));

describe('a user with an id and unique properties', () => {
  it('gets a new id, or the one that the caller chose', async () => {
    const { commands } = await openService({ newIds: ['new'] });
    expect(userIn(await commands.dispatch(creation)).id).to.equal('new');
    expect(userIn(await commands.dispatch({ ...creation, address: joe, id: idOf('usr_1') })).id).to.equal('usr_1');
  });

  it('has no id where users have none', async () => {
    const { commands } = await openService();
    expect(userIn(await commands.dispatch({ ...creation, id: idOf('usr_1') }))).to.not.have.property('id');
  });

  it('is refused with the id, or with a value in another spelling, of another user', async () => {
    const { commands, store } = await openService({ newIds: ['a', 'b', 'c'], unique: [username] });
    const properties = propertiesWith('Jane');
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1'), properties }));
    const other = { ...creation, address: joe };
    expect(leftOf(await commands.dispatch({ ...other, id: idOf('usr_1') }))).to.eql({ code: 'id_taken' });
    expect(leftOf(await commands.dispatch({ ...other, properties: propertiesWith('jANE') }))).to.eql({
      code: 'property_taken',
      errors: [{ path: 'username', message: 'belongs to another user' }],
    });
    expect(store.reads).to.equal(0);
    expect(await commands.dispatch({ ...other, properties: propertiesWith('joe') })).to.have.property('_tag', 'Right');
  });

  it('tells a repeated request from another user with the address', async () => {
    const { commands } = await openService({ newIds: ['a', 'b'] });
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1') }));
    const repeated = leftOf(await commands.dispatch({ ...creation, id: idOf('usr_1') }));
    expect(repeated).to.eql({ code: 'user_exists', sameId: true });
    expect(leftOf(await commands.dispatch({ ...creation, id: idOf('usr_2') }))).to.deep.include({ sameId: false });
    expect(leftOf(await commands.dispatch(creation))).to.deep.include({ sameId: false });
  });

  it('tells it also after the user has moved, and another one has the address', async () => {
    const { commands } = await openService({ newIds: ['a', 'b'] });
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1') }));
    const update = { address: joe, properties: noProperties };
    const put = { type: 'UpdateUser', key: janeKey, supplied: 'secret', newPassword: undefined, update } as const;
    userIn(await commands.dispatch(put));
    userIn(await commands.dispatch(creation));
    expect(leftOf(await commands.dispatch({ ...creation, id: idOf('usr_1') }))).to.deep.include({ sameId: true });
  });

  it('is created once of many concurrent requests for one id or one value', async () => {
    const { commands } = await openService({
      newIds: Array.from({ length: 128 }, (_, index) => `u${index}`),
      unique: [username],
    });
    for (const same of [{ id: idOf('usr_1') }, { properties: propertiesWith('jane') }]) {
      const requests = Array.from({ length: 64 }, (_, index) =>
        commands.dispatch({ ...creation, ...same, address: addressOf(`u${index}@${Object.keys(same)[0]}.example`) }),
      );
      expect((await Promise.all(requests)).filter(({ _tag }) => _tag === 'Right')).to.have.length(1);
    }
  });

  it('is refused with a value that no user can have, before the password is hashed', async () => {
    const { commands } = await openService({ unique: [username] });
    for (const value of ['a b', '', 'x'.repeat(255)]) {
      const refused = leftOf(await commands.dispatch({ ...creation, properties: propertiesWith(value) }));
      expect([refused.code, refused.errors?.[0]?.path], value).to.eql(['invalid_properties', 'username']);
    }
  });

  it('is found by each of its names in all use cases, and by none of those that it had', async () => {
    const { commands, queries } = await openService({ newIds: ['new'], unique: [username] });
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1'), properties: propertiesWith('jane') }));
    const caller = { supplied: 'secret' };
    for (const key of [nameOfId(idOf('usr_1')), named('JANE')]) {
      expect(userIn(await queries.dispatch({ type: 'GetUser', key, ...caller })).email.address).to.equal(jane);
      expect(leftOf(await queries.dispatch({ type: 'GetUser', key, supplied: 'wrong' })).code).to.equal(
        'wrong_password',
      );
    }
    const change = { newPassword: undefined, email: {}, ...caller };
    const patch = (key: UserName, value: string) =>
      commands.dispatch({ type: 'PatchUser', key, ...change, changeProperties: () => propertiesWith(value) });
    userIn(await patch(named('jane'), 'joan'));
    expect(leftOf(await patch(named('jane'), 'jane')).code).to.equal('user_not_found');
    userIn(await commands.dispatch({ type: 'DeleteUser', key: named('joan'), ...caller }));
    expect(leftOf(await patch(nameOfId(idOf('usr_1')), 'x')).code).to.equal('user_not_found');
  });

  it('keeps its id, whatever the body says', async () => {
    const { commands } = await openService({ newIds: ['a'] });
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1') }));
    const caller = { key: janeKey, supplied: 'secret', newPassword: undefined };
    const update = { address: joe, properties: noProperties };
    const put = (id?: UserId) => commands.dispatch({ type: 'UpdateUser', ...caller, update, id });
    expect(leftOf(await put(idOf('usr_2'))).code).to.equal('id_immutable');
    expect(userIn(await put(idOf('usr_1'))).id).to.equal('usr_1');
  });

  it('gets the first id with an update, in place of a custom property called id', async () => {
    const service = await openService({ newIds: [] });
    await withJane(service, { properties: asProperties('{"id":"other","a":1}') });
    const caller = { key: janeKey, supplied: 'secret', newPassword: undefined, email: {} };
    const patched = await service.commands.dispatch({
      type: 'PatchUser',
      ...caller,
      id: idOf('usr_1'),
      changeProperties: (properties) => properties,
    });
    expect(userIn(patched)).to.include({ id: 'usr_1', properties: '{"a":1}' });
    expect((await service.store.findNamed(nameOfId(idOf('usr_1'))))?.user.email.address).to.equal(jane);
  });

  it('gets the custom property called id as its id with an update, which would drop the property', async () => {
    const service = await openService({ newIds: [] });
    await withJane(service, { properties: asProperties('{"id":"usr_1","a":1}') });
    const caller = { key: janeKey, supplied: 'secret', newPassword: undefined };
    const update = { address: jane, properties: asProperties('{"a":2}') };
    const updated = await service.commands.dispatch({ type: 'UpdateUser', ...caller, update });
    expect(userIn(updated)).to.include({ id: 'usr_1', properties: '{"a":2}' });
  });

  it('loses a custom property called id with a patch that repeats its id', async () => {
    const service = await openService({ newIds: [] });
    const id = idOf('usr_1');
    await withJane(service, { id, properties: asProperties('{"id":"other","a":1}') });
    const patch = {
      type: 'PatchUser',
      key: janeKey,
      supplied: 'secret',
      newPassword: undefined,
      email: {},
      id,
    } as const;
    const patched = await service.commands.dispatch({ ...patch, changeProperties: (properties) => properties });
    expect(userIn(patched)).to.include({ id: 'usr_1', properties: '{"a":1}' });
  });

  it('keeps a value from before that no user can have, until it changes', async () => {
    const service = await openService({ unique: [username] });
    await withJane(service, { properties: propertiesWith('a b') });
    const put = (value: string) =>
      service.commands.dispatch({
        type: 'UpdateUser',
        key: janeKey,
        supplied: 'secret',
        newPassword: undefined,
        update: { address: jane, properties: propertiesWith(value) },
      });
    userIn(await put('a b'));
    expect(leftOf(await put('a c')).code).to.equal('invalid_properties');
    userIn(await put('ac'));
    const edit = { type: 'EditProperties', by: administrator, key: janeKey, hasId: false } as const;
    expect(
      leftOf(await service.commands.dispatch({ ...edit, changeProperties: () => propertiesWith('a d') })).code,
    ).to.equal('invalid_properties');
  });

  it('without an id is not told whether an administrator who may not read it guessed its property of that name', async () => {
    const service = await openService({ newIds: [] });
    const named = (id: string) => asProperties(JSON.stringify({ id }));
    await withJane(service, { properties: named('usr_old') });
    const edit = { type: 'EditProperties', by: administrator, key: janeKey } as const;
    const edited = (id: string, writesUnchanged: boolean) =>
      service.commands.dispatch({ ...edit, changeProperties: () => named(id), hasId: true, writesUnchanged });
    for (const id of ['usr_old', 'usr_other']) expect(leftOf(await edited(id, true)).code, id).to.equal('id_immutable');
    userIn(await edited('usr_old', false));
    userIn(
      await service.commands.dispatch({ ...edit, changeProperties: (one) => one, hasId: false, writesUnchanged: true }),
    );
  });

  it('gets a password from an administrator under the rules for its address, found by a name', async () => {
    const { commands, hash, store } = await openService({ newIds: [] });
    userIn(await commands.dispatch({ ...creation, id: idOf('usr_1') }));
    const key = nameOfId(idOf('usr_1'));
    userIn(await commands.dispatch({ type: 'SetPassword', by: administrator, key, password: 'another' }));
    expect(await hash.verify((await store.now(janeKey))?.user.password ?? '', 'another')).to.equal(true);
  });
});
