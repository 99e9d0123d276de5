import { expect } from 'chai';
import { asProperties, noProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import type { UpdateUser } from '../../../../application/accounts/update-user.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, userIn } from '../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, type ServiceOptions, withJane } from '../wired-service.ts';

const john = addressOf('john@example.com');
const email = { address: jane, verification: { verified: true, token: 'a token' } };

const message = (changes: Partial<UpdateUser> = {}): UpdateUser => ({
  type: 'UpdateUser',
  key: janeKey,
  supplied: 'secret',
  update: { address: jane, properties: noProperties },
  newPassword: undefined,
  ...changes,
});

describe('UpdateUser', () => {
  let service: Service;
  const open = async (options: ServiceOptions = {}) => {
    service = await openService(options);
    return withJane(service, { email });
  };
  const stored = async (key = janeKey) => (await service.store.now(key))?.user;
  const apply = (changes: Partial<UpdateUser> = {}) => service.commands.dispatch(message(changes));

  it('replaces the properties, and returns the stored user', async () => {
    const before = await open();
    const properties = asProperties('{"name":"Jane Doe"}');
    const after = userIn(await apply({ update: { address: jane, properties } }));
    expect(after).to.deep.equal({ ...before, properties, lastUpdateTime: 1_800_000_000_000 });
    expect(await stored()).to.deep.equal(after);
  });

  it('updates the time also if nothing else changes, and if the clock went back', async () => {
    const before = await open();
    service.clock.time = before.lastUpdateTime - 3_600_000;
    const first = userIn(await apply());
    const second = userIn(await apply());
    expect([first.lastUpdateTime, second.lastUpdateTime]).to.deep.equal([
      before.lastUpdateTime + 1,
      before.lastUpdateTime + 2,
    ]);
  });

  it('changes the address, resets the verification, and keeps the creation time', async () => {
    const before = await open();
    const after = userIn(await apply({ update: { address: john, properties: noProperties } }));
    expect(after.email).to.deep.equal({ address: john, verification: { verified: false, token: null } });
    expect(after.creationTime).to.equal(before.creationTime);
    expect([await stored(), await stored(keyOf(john))]).to.deep.equal([undefined, after]);
  });

  it('keeps the verification if only the spelling of the address changes', async () => {
    await open();
    const address = addressOf('JANE@example.com');
    const after = userIn(await apply({ update: { address, properties: noProperties } }));
    expect(after.email).to.deep.equal({ ...email, address });
    expect(await stored()).to.deep.equal(after);
  });

  it('refuses the address of another user, and changes neither', async () => {
    const before = await open();
    await service.store.insert({ ...before, email: { ...email, address: john } });
    const refused = await apply({ update: { address: addressOf('JOHN@example.com'), properties: noProperties } });
    expect(leftOf(refused)).to.deep.equal({ code: 'address_taken' });
    expect(await stored()).to.deep.equal(before);
    expect((await stored(keyOf(john)))?.email.address).to.equal(john);
  });

  it('sets the verification from the body, unless verificationOnUpdate is server', async () => {
    const update = { address: jane, properties: noProperties, verified: false, verificationToken: 'from the body' };
    await open();
    expect(userIn(await apply({ update })).email.verification).to.include({ verified: false, token: 'from the body' });
    await open({ verificationOnUpdate: 'server' });
    expect(userIn(await apply({ update })).email).to.deep.equal(email);
    const moved = userIn(await apply({ update: { ...update, address: john, verified: true } }));
    expect(moved.email).to.deep.include({ verification: { verified: false, token: null } });
  });

  describe('the password', () => {
    it('stays if it is omitted, its stored hash, or exactly the same', async () => {
      const before = await open();
      for (const newPassword of [undefined, before.password, 'secret']) {
        expect(userIn(await apply({ newPassword })).password).to.equal(before.password);
      }
    });

    it('changes if another one is given', async () => {
      const before = await open();
      const { password } = userIn(await apply({ newPassword: 'better' }));
      expect(password).to.not.equal(before.password);
      expect(leftOf(await apply())).to.deep.equal({ code: 'wrong_password' });
      userIn(await apply({ supplied: 'better' }));
    });

    it('changes if it differs by one character, also if typos are allowed', async () => {
      for (const newPassword of ['secretx', 'xsecret', 'Secret', 'SECRET', 'ecret']) {
        await open({ policy: { allowCommonMistakes: true } });
        const { password } = userIn(await apply({ newPassword }));
        expect(await service.hash.verify(password, newPassword), newPassword).to.equal(true);
        expect(await service.hash.verify(password, 'secret'), newPassword).to.equal(false);
      }
    });

    it('stays if only the header has a typo', async () => {
      const before = await open({ policy: { allowCommonMistakes: true } });
      expect(userIn(await apply({ supplied: 'Secret' })).password).to.equal(before.password);
    });

    it('is stored as sent if clients hash', async () => {
      await open({ policy: { serverSideHash: false } });
      expect(userIn(await apply({ newPassword: 'hashed by the client' })).password).to.equal('hashed by the client');
    });

    it('is refused if the algorithm would truncate it', async () => {
      const before = await open();
      expect(leftOf(await apply({ newPassword: '\udfff' }))).to.deep.equal({ code: 'unsuitable_password' });
      expect(await stored()).to.deep.equal(before);
    });

    it('changes without the old one if headerCheck is false', async () => {
      await open({ policy: { headerCheck: false } });
      const { password } = userIn(await apply({ supplied: undefined, newPassword: 'better' }));
      expect(await service.hash.verify(password, 'better')).to.equal(true);
    });
  });

  it('refuses an unknown user and a wrong password before anything is stored', async () => {
    const before = await open();
    expect(leftOf(await apply({ key: keyOf(john), supplied: 'wrong' }))).to.deep.equal({ code: 'user_not_found' });
    expect(leftOf(await apply({ supplied: 'wrong' }))).to.deep.equal({ code: 'wrong_password' });
    expect(await stored()).to.deep.equal(before);
  });

  it('refuses properties that break the rules', async () => {
    await open({ rules: { allowSubset: true, allowSuperset: false, allowed: [{ name: 'age', type: 'integer' }] } });
    const refused = leftOf(await apply({ update: { address: jane, properties: asProperties('{"age":"x"}') } }));
    expect(refused).to.deep.equal({
      code: 'invalid_properties',
      errors: [{ path: 'age', message: 'must be an integer, within ±9007199254740991' }],
    });
  });

  describe('while other writers change the same user', () => {
    it('keeps what the body omits', async () => {
      await open();
      service.store.interrupt(2, janeKey, (user) => ({
        ...user,
        email: { ...user.email, verification: { verified: true, token: `${user.email.verification.token}!` } },
      }));
      expect(userIn(await apply()).email.verification.token).to.equal('a token!!');
    });

    it('checks the password that they set', async () => {
      await open();
      const password = await service.hash.hash('theirs');
      service.store.interrupt(1, janeKey, (user) => ({ ...user, password }));
      expect(leftOf(await apply())).to.deep.equal({ code: 'wrong_password' });
      expect((await stored())?.password).to.equal(password);
    });

    it('fails with conflict if they do not stop', async () => {
      await open();
      service.store.interrupt(6, janeKey, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
      expect(leftOf(await apply())).to.deep.equal({ code: 'conflict' });
    });
  });
});
