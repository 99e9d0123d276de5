import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { left, right } from 'fp-ts/lib/Either.js';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { type Authorization, anyCaller } from '../../../../application/writing/authorization.ts';
import {
  type BookkeepingRequest,
  OptimisticUpdate,
  type UpdateRequest,
} from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { entityTagOf, withoutKeptTag } from '../../../../domain/entity-tag.ts';
import { type FailureCode, failure } from '../../../../domain/failure.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, userIn } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';

const jane = keyOf(addressOf('jane@example.com'));
const older = (user: User): User => ({ ...user, lastUpdateTime: user.lastUpdateTime + 1 });
const named = (user: User, password: string): User => ({ ...user, password });

describe('an optimistic update', () => {
  let store: InterruptedUserStore;
  let apply: (request?: Partial<UpdateRequest<FailureCode>>) => ReturnType<OptimisticUpdate['apply']>;

  beforeEach(async () => {
    store = new InterruptedUserStore();
    await store.insert(userOf('jane@example.com'));
    const updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits());
    apply = (request) =>
      updates.apply<FailureCode>({
        key: jane,
        authorize: anyCaller,
        transition: (user) => right(older(user)),
        events: ['user.updated'],
        ...request,
      });
  });

  const stored = async () => (await store.now(jane))?.user;

  it('is stored and returned', async () => {
    const changed = userIn(await apply());
    expect(changed).to.deep.equal(older(userOf('jane@example.com')));
    expect(await stored()).to.deep.equal(changed);
  });

  it('removes the user if the transition says so, and returns it', async () => {
    expect(userIn(await apply({ transition: () => right('removed') }))).to.deep.equal(userOf('jane@example.com'));
    expect(await stored()).to.equal(undefined);
  });

  it('writes nothing after its timeout, when its caller may have read the user as settled', async () => {
    const before = await store.now(jane);
    const late = new OptimisticUpdate(new SettlingStore(store.ports, [], 0), userLimits());
    const transition = (user: User) => right(older(user));
    const request = {
      key: jane,
      authorize: anyCaller,
      transition,
      events: ['user.updated'],
    } as const;
    expect(await rejection(late.apply(request))).to.include({ code: 'timed_out' });
    expect(await store.now(jane)).to.deep.equal(before);
  });

  it('writes nothing if nothing changes', async () => {
    const before = await store.now(jane);
    expect(userIn(await apply({ transition: (user) => right(user) }))).to.deep.equal(before?.user);
    expect(await store.now(jane)).to.deep.equal(before);
  });

  it('writes nothing if the transition refuses', async () => {
    const before = await store.now(jane);
    const refused = failure('user_too_large');
    expect(leftOf(await apply({ transition: async () => left(refused) }))).to.equal(refused);
    expect(await store.now(jane)).to.deep.equal(before);
  });

  it('is refused for an unknown user, after the authorization', async () => {
    const called: unknown[] = [];
    const authorize: Authorization<FailureCode> = async (found) => {
      called.push(found);
      return anyCaller(found);
    };
    const key = keyOf(addressOf('unknown@example.com'));
    expect(leftOf(await apply({ key, authorize }))).to.deep.equal({ code: 'user_not_found' });
    expect(called).to.deep.equal([undefined]);
  });

  it('is refused for a wrong password before the transition', async () => {
    let called = false;
    const transition = (user: User) => {
      called = true;
      return right(older(user));
    };
    expect(leftOf(await apply({ authorize: async () => left(failure('wrong_password')), transition }))).to.deep.equal({
      code: 'wrong_password',
    });
    expect(called).to.equal(false);
  });

  it('is refused if the new address belongs to another user', async () => {
    await store.insert(userOf('john@example.com'));
    const transition = (user: User) =>
      right({ ...user, email: { ...user.email, address: addressOf('John@example.com') } });
    expect(leftOf(await apply({ transition, whenTaken: 'address_taken' }))).to.deep.equal({ code: 'address_taken' });
    expect(await stored()).to.deep.equal(userOf('jane@example.com'));
  });

  describe('while other writers change the same user', () => {
    it('starts from their state, so that no change is lost', async () => {
      store.interrupt(3, jane, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
      const changed = userIn(await apply());
      expect(changed).to.include({ creationTime: 1_700_000_000_003, lastUpdateTime: 1_700_000_000_001 });
      expect(await stored()).to.deep.equal(changed);
      expect(store.reads).to.equal(4);
    });

    it('is repeated five times', async () => {
      store.interrupt(5, jane, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
      expect(userIn(await apply()).creationTime).to.equal(1_700_000_000_005);
    });

    it('fails after the sixth attempt, and writes nothing', async () => {
      store.interrupt(6, jane, (user) => ({ ...user, creationTime: user.creationTime + 1 }));
      expect(leftOf(await apply())).to.deep.equal({ code: 'contended' });
      expect(store.reads).to.equal(6);
      expect(await stored()).to.include({ creationTime: 1_700_000_000_006, lastUpdateTime: 1_700_000_000_000 });
    });

    it('is refused if they removed the user', async () => {
      store.interrupt(1, jane, () => 'removed');
      expect(leftOf(await apply())).to.deep.equal({ code: 'user_not_found' });
    });

    it('is refused if they changed the password', async () => {
      store.interrupt(1, jane, (user) => named(user, 'another'));
      const authorize: Authorization<FailureCode> = async (found) =>
        found?.user.password === 'a stored password' ? right(found) : left(failure('wrong_password'));
      expect(leftOf(await apply({ authorize }))).to.deep.equal({ code: 'wrong_password' });
      expect(await stored()).to.include({ password: 'another', lastUpdateTime: 1_700_000_000_000 });
    });

    it('removes and returns the user in their state', async () => {
      store.interrupt(1, jane, (user) => named(user, 'another'));
      expect(userIn(await apply({ transition: () => right('removed') })).password).to.equal('another');
    });

    it('makes every one of many concurrent changes in this process', async () => {
      const outcomes = await Promise.all(Array.from({ length: 64 }, () => apply()));
      expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal(outcomes.map(() => 'Right'));
      expect((await stored())?.lastUpdateTime).to.equal(1_700_000_000_000 + outcomes.length);
    });
  });
});

describe('bookkeeping', () => {
  const event = { id: '1', destination: 'hook', time: 1, body: '{}' };
  const noted = (user: User): User => ({ ...user, recovery: { digest: 'a digest', time: 1 } });
  let store: InterruptedUserStore;
  let updates: OptimisticUpdate;
  let before: StoredUser;

  const record = (request: Partial<BookkeepingRequest<FailureCode>> = {}) =>
    updates.record<FailureCode>({
      key: jane,
      authorize: anyCaller,
      transition: (user) => right(noted(user)),
      events: [],
      ...request,
    });

  const stored = async (): Promise<StoredUser> => {
    const found = await store.now(jane);
    if (found === undefined) throw new Error('the user is gone');
    return found;
  };

  beforeEach(async () => {
    store = new InterruptedUserStore();
    await store.insert(userOf('jane@example.com'));
    updates = new OptimisticUpdate(new SettlingStore(store.ports), userLimits());
    before = await stored();
  });

  it('is stored with another version and the same entity tag, which ends with the next change', async () => {
    await record();
    await record();
    const after = await stored();
    expect(withoutKeptTag(after.user)).to.deep.equal(noted(before.user));
    expect([after.version === before.version, entityTagOf(after)]).to.deep.equal([false, before.version]);
    await updates.apply({
      key: jane,
      authorize: anyCaller,
      transition: (user) => right(older(user)),
      events: [],
    });
    const changed = await stored();
    expect(changed.user).to.deep.equal(older(noted(before.user)));
    expect(entityTagOf(changed)).to.equal(changed.version);
  });

  it('keeps the entity tag of a change that comes right before the write, and the change', async () => {
    store.interrupt(1, jane, older);
    await record();
    const after = await stored();
    expect(withoutKeptTag(after.user)).to.deep.equal(noted(older(before.user)));
    expect(entityTagOf(after)).to.not.equal(before.version);
  });

  it('writes the same user only to store events with it', async () => {
    await record({ transition: right });
    expect(await stored()).to.deep.equal(before);
    await record({ transition: right, mails: () => [event] });
    expect(await store.ports.events?.pending('hook', 10)).to.equal(1);
    expect(entityTagOf(await stored())).to.equal(before.version);
  });

  it('that changes what callers see is a bug, and writes nothing', async () => {
    expect(await rejection(record({ transition: (user) => right(older(user)) }))).to.be.instanceOf(TypeError);
    expect(await stored()).to.deep.equal(before);
  });
});

describe('a stored user', () => {
  it('is replaced only by the optimistic update and by settled reads, which keep or end the entity tag', async () => {
    const application = new URL('../../../../application/', import.meta.url);
    const names = (await readdir(application, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const replacing = await Promise.all(
      names.map(async (name) => /(?:users|store)\.replace\(/.test(await readFile(new URL(name, application), 'utf8'))),
    );
    expect(names.filter((_, index) => replacing[index]).toSorted()).to.deep.equal([
      'writing/optimistic-update.ts',
      'writing/settling-store.ts',
    ]);
  });
});
