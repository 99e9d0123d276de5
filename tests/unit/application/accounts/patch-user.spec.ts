import { expect } from 'chai';
import { mergePatch } from '../../../../adapters/http/api/accounts/merge-patch.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import type { PatchUser } from '../../../../application/accounts/patch-user.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, type ServiceOptions, withJane } from '../wired-service.ts';

const john = addressOf('john@example.com');
const email = { address: jane, verification: { verified: true, token: 'a token' } };

describe('PatchUser', () => {
  let service: Service;
  const open = async (options: ServiceOptions = {}) => {
    service = await openService(options);
    return withJane(service, { email, properties: asProperties('{"name":"Jane","size":1.0}') });
  };
  const stored = async (key = janeKey) => (await service.store.now(key))?.user;
  const apply = (patch = '{}', changes: Partial<PatchUser> = {}) =>
    service.commands.dispatch({
      type: 'PatchUser',
      key: janeKey,
      supplied: 'secret',
      email: {},
      changeProperties: (properties) => mergePatch(properties, asProperties(patch)),
      newPassword: undefined,
      ...changes,
    });

  it('changes what the patch names, and returns the stored user', async () => {
    const before = await open();
    const after = userIn(await apply('{"name":null,"age":3}'));
    const properties = '{"size":1.0,"age":3}';
    expect(after).to.deep.equal({ ...before, properties, lastUpdateTime: 1_800_000_000_000 });
    expect(await stored()).to.deep.equal(after);
  });

  it('writes nothing if nothing changes', async () => {
    const before = await open();
    const unchanged: readonly Partial<PatchUser>[] = [
      {},
      { newPassword: 'secret' },
      { newPassword: before.password },
      { email },
    ];
    const { version } = (await service.store.now(janeKey)) ?? {};
    for (const changes of unchanged) {
      expect(userIn(await apply('{"name":"Jane","x":null}', changes))).to.deep.equal(before);
      expect((await service.store.now(janeKey))?.version).to.equal(version);
    }
    expect(userIn(await apply('{"size":1}')).properties).to.equal('{"name":"Jane","size":1}');
  });

  it('writes a patch that changes nothing for a caller who may not learn that', async () => {
    const before = await open();
    const { version } = (await service.store.now(janeKey)) ?? {};
    const after = userIn(await apply('{"name":"Jane"}', { writesUnchanged: true }));
    expect(after).to.deep.equal({ ...before, lastUpdateTime: 1_800_000_000_000 });
    expect((await service.store.now(janeKey))?.version).to.not.equal(version);
  });

  it('changes the address, and resets the verification unless the patch sets it', async () => {
    await open();
    const address = addressOf('JANE@example.com');
    expect(userIn(await apply('{}', { email: { address } })).email).to.deep.equal({ ...email, address });
    const moved = userIn(await apply('{"size":null}', { email: { address: john } }));
    expect(moved.email).to.deep.equal({ address: john, verification: { verified: false, token: null } });
    expect([await stored(), await stored(keyOf(john))]).to.deep.equal([undefined, moved]);
  });

  it('changes the verification alone, unless verificationOnUpdate is server', async () => {
    await open();
    const change = { email: { verified: false, verificationToken: null } };
    expect(userIn(await apply('{}', change)).email.verification).to.deep.equal({ verified: false, token: null });
    const before = await open({ verificationOnUpdate: 'server' });
    expect(userIn(await apply('{}', change))).to.deep.equal(before);
  });

  it('changes the password', async () => {
    await open();
    const { password } = userIn(await apply('{}', { newPassword: 'better' }));
    expect(await service.hash.verify(password, 'better')).to.equal(true);
    expect(leftOf(await apply())).to.deep.equal({ code: 'wrong_password' });
  });

  it('refuses a result that breaks the rules or is too large', async () => {
    const allowed = [{ name: 'size', type: 'integer' }];
    const before = await open({ rules: { allowSubset: false, allowSuperset: true, allowed } });
    expect(leftOf(await apply('{"size":null}'))).to.deep.equal({
      code: 'invalid_properties',
      errors: [{ path: 'size', message: 'is required' }],
    });
    expect(leftOf(await apply(`{"x":"${'x'.repeat(400 * 1024)}"}`))).to.deep.equal({ code: 'user_too_large' });
    expect(await stored()).to.deep.equal(before);
  });

  describe('while other writers change the same user', () => {
    it('keeps their changes of other members', async () => {
      await open();
      service.store.interrupt(3, janeKey, (user) => ({
        ...user,
        properties: mergePatch(user.properties, asProperties(`{"size":${JSON.parse(user.properties).size}0}`)),
      }));
      expect(userIn(await apply('{"name":"Jane Doe"}')).properties).to.equal('{"name":"Jane Doe","size":1000}');
    });

    it('writes nothing if they made the same change', async () => {
      await open();
      service.store.interrupt(1, janeKey, (user) => ({ ...user, properties: asProperties('{"name":"Joan"}') }));
      const after = userIn(await apply('{"name":"Joan","size":null}'));
      expect(after.lastUpdateTime).to.equal(1_700_000_000_000);
    });

    it('fails with conflict if they do not stop', async () => {
      await open();
      service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
      expect(leftOf(await apply('{"a":1}'))).to.deep.equal({ code: 'conflict' });
    });
  });
});
