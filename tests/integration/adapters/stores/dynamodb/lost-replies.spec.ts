import { expect } from 'chai';
import { isTaken, type StoredUser, type Taken, type UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { cancelled, errorResponse, type InjectedFault, lostReply, reset } from './http-fault-proxy.ts';
import { useStoreFixture } from './store-fixture.ts';

const ada = userOf('ada@example.com');
const changed: User = { ...ada, password: 'changed' };
const moved: User = { ...ada, email: { ...ada.email, address: addressOf('lovelace@example.com') } };

const find = (store: UserStore, user: User): Promise<StoredUser | undefined> => store.find(keyOf(user.email.address));

const stored = async (store: UserStore, user: User): Promise<StoredUser> => {
  const found = await find(store, user);
  if (found === undefined) throw new Error('the user is not stored');
  return found;
};

const isWritten = (outcome: StoredUser | Taken | string): boolean =>
  typeof outcome === 'string' ? outcome === 'removed' : !isTaken(outcome);

const expectUnavailable = async (promise: Promise<unknown>): Promise<void> => {
  expect(await rejection(promise)).to.include({ name: 'Fault', code: 'store_unavailable' });
};

describe('a write on DynamoDB whose reply is lost', () => {
  const fixture = useStoreFixture();
  const overtake = async (): Promise<void> => {
    const { other } = fixture();
    await other.replace(await stored(other, ada), { ...ada, password: 'of another writer' });
  };
  const tokens = (): readonly unknown[] => fixture().proxy.seen.flatMap(({ body }) => body.ClientRequestToken ?? []);
  const removeMeanwhile = async (): Promise<void> => {
    const { other } = fixture();
    await other.remove(await stored(other, ada));
  };

  it('is an insert that succeeds', async () => {
    const { proxy, store } = fixture();
    proxy.next([lostReply()]);
    expect(await store.insert(ada)).to.have.property('version');
    expect((await find(store, ada))?.user).to.deep.equal(ada);
  });

  it('is an insert that succeeds, identified by its token, even if another writer has changed the user since', async () => {
    const { proxy, store } = fixture();
    proxy.next([lostReply(overtake), reset]);
    expect(await store.insert(ada)).to.have.property('version');
    expect((await find(store, ada))?.user.password).to.equal('of another writer');
    expect(tokens()).to.have.length(3);
    expect(new Set(tokens())).to.have.length(1);
  });

  it('is an insert that succeeds, and does not restore a user who was removed since', async () => {
    const { proxy, store } = fixture();
    proxy.next([lostReply(removeMeanwhile)]);
    expect(await store.insert(ada)).to.have.property('version');
    expect(await find(store, ada)).to.equal(undefined);
  });

  it('is a change that succeeds', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([lostReply()]);
    expect(await store.replace(previous, changed)).to.have.property('version');
    expect((await find(store, ada))?.user).to.deep.equal(changed);
  });

  it('is a change that succeeds and stores its events once, despite concurrent writes', async () => {
    const { proxy, store, table } = fixture();
    const { events: queue } = await table.openPorts();
    const event = (id: string) => ({ events: [{ id, destination: 'lost', time: 1, body: id }] });
    proxy.next([lostReply(), reset]);
    expect(await store.insert(ada, event('1'))).to.have.property('version');
    proxy.next([lostReply(overtake), reset], 'TransactWriteItems');
    expect(await store.replace(await stored(store, ada), changed, event('2'))).to.have.property('version');
    expect((await find(store, ada))?.user.password).to.equal('of another writer');
    proxy.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.replace(await stored(store, ada), moved, event('3'))).to.have.property('version');
    proxy.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.remove(await stored(store, moved), event('4'))).to.equal('removed');
    const claimed = await queue?.claim('lost', 10, { now: 1, until: 2 });
    expect(claimed?.map(({ id }) => id)).to.deep.equal(['1', '2', '3', '4']);
  });

  it('is a move that succeeds, identified by its token', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.replace(previous, moved)).to.have.property('version');
    expect(await find(store, ada)).to.equal(undefined);
    expect((await find(store, moved))?.user).to.deep.equal(moved);
    const [, ...repeated] = tokens();
    expect(repeated).to.have.length(3);
    expect(new Set(repeated)).to.have.length(1);
  });

  it('is a move that succeeds, even if the engine no longer recognizes its token', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    const seen = async (): Promise<string> => (await stored(fixture().other, moved)).version;
    proxy.next([lostReply()], 'TransactWriteItems');
    proxy.next(
      [
        async () => {
          const Item = { email: { S: 'lovelace@example.com' }, version: { S: await seen() } };
          const reasons = [{ Code: 'ConditionalCheckFailed', Item }, { Code: 'ConditionalCheckFailed' }];
          return errorResponse('TransactionCanceledException', 400, { CancellationReasons: reasons })(async () => {
            throw new Error('not passed on');
          });
        },
      ],
      'TransactWriteItems',
    );
    expect(await store.replace(previous, moved)).to.have.property('version');
  });

  it('is a removal that succeeds, identified by its token', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([lostReply(), reset]);
    expect(await store.remove(previous)).to.equal('removed');
    expect(await find(store, ada)).to.equal(undefined);
    const [, ...repeated] = tokens();
    expect(repeated).to.have.length(3);
    expect(new Set(repeated)).to.have.length(1);
  });

  it('is a removal that succeeds and keeps a user who took the address since', async () => {
    const { proxy, store, other } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([lostReply(() => other.insert(changed))]);
    expect(await store.remove(previous)).to.equal('removed');
    expect((await find(store, ada))?.user).to.deep.equal(changed);
  });

  for (const loss of ['reset', 'broken response'] as const)
    it(`throws store_unavailable if another writer changed the user before the retry: ${loss}`, async () => {
      const { proxy, store } = fixture();
      await store.insert(ada);
      const previous = await stored(store, ada);
      proxy.next([lostReply(overtake, loss)]);
      await expectUnavailable(store.replace(previous, changed));
      expect((await find(store, ada))?.user.password).to.equal('of another writer');
    });

  it('throws store_unavailable if another writer removed the user before the retry', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([lostReply(removeMeanwhile)]);
    await expectUnavailable(store.replace(previous, changed));
    expect(await find(store, ada)).to.equal(undefined);
  });
});

describe('a write on DynamoDB whose request is late', () => {
  const fixture = useStoreFixture();

  /** Resets the connection, and forwards the request later. */
  const late = () => {
    let arrive: (() => Promise<unknown>) | undefined;
    const fault: InjectedFault = async (forward) => {
      arrive = forward;
      return 'reset';
    };
    return { fault, arrive: () => arrive?.() };
  };

  // The repeated request is refused, and the late one is applied once the address is free.
  it('throws store_unavailable instead of `taken`: an insert', async () => {
    const { proxy, store, other } = fixture();
    const holder = await other.insert(ada);
    if (isTaken(holder)) throw new Error('a new address is taken');
    const { fault, arrive } = late();
    proxy.next([fault, cancelled('TransactionConflict')]);
    await expectUnavailable(store.insert(changed));
    await other.remove(holder);
    await arrive();
    expect((await find(other, ada))?.user).to.deep.equal(changed);
  });

  it('throws store_unavailable instead of `taken`: a move', async () => {
    const { proxy, store, other } = fixture();
    const [previous, holder] = [await store.insert(ada), await other.insert({ ...moved, password: 'another' })];
    if (isTaken(previous) || isTaken(holder)) throw new Error('a new address is taken');
    const { fault, arrive } = late();
    proxy.next([fault]);
    await expectUnavailable(store.replace(previous, moved));
    await other.remove(holder);
    await arrive();
    expect((await find(other, moved))?.user).to.deep.equal(moved);
  });
});

describe('a removal on DynamoDB whose request is lost', () => {
  const fixture = useStoreFixture();
  const meanwhile: Readonly<Record<string, () => Promise<unknown>>> = {
    removed: async () => fixture().other.remove(await stored(fixture().other, ada)),
    changed: async () => fixture().other.replace(await stored(fixture().other, ada), changed),
    'changed and then removed': async () => {
      await fixture().other.replace(await stored(fixture().other, ada), changed);
      await fixture().other.remove(await stored(fixture().other, ada));
    },
  };

  it('is retried', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([reset]);
    expect(await store.remove(previous)).to.equal('removed');
    expect(await find(store, ada)).to.equal(undefined);
  });

  for (const [what, others] of Object.entries(meanwhile)) {
    it(`is stale if another writer has ${what} the user since`, async () => {
      const { proxy, store, other } = fixture();
      await store.insert(ada);
      const previous = await stored(store, ada);
      proxy.next([
        async (forward) => {
          await others();
          return reset(forward);
        },
      ]);
      expect(await store.remove(previous)).to.equal('stale');
      expect((await find(other, ada))?.user).to.deep.equal(what === 'changed' ? changed : undefined);
    });
  }
});

describe('a write on DynamoDB that conflicts with a transaction', () => {
  const fixture = useStoreFixture();

  const writes: Readonly<Record<string, (previous: StoredUser) => Promise<StoredUser | Taken | string>>> = {
    'an insert': () => fixture().store.insert({ ...moved, password: 'another' }),
    'a move': (previous) => fixture().store.replace(previous, moved),
    'a removal': (previous) => fixture().store.remove(previous),
  };
  for (const [what, write] of Object.entries(writes)) {
    it(`is retried with the same token until the transaction ends: ${what}`, async () => {
      const { proxy, store } = fixture();
      await store.insert(ada);
      const previous = await stored(store, ada);
      proxy.next([
        cancelled('TransactionConflict', 'None'),
        reset,
        cancelled('None', 'TransactionConflict'),
        cancelled('ThrottlingError', 'None'),
        cancelled('ProvisionedThroughputExceeded', 'None'),
      ]);
      expect(await write(previous)).to.satisfy(isWritten);
      const [, ...tokens] = proxy.seen.flatMap(({ body }) => body.ClientRequestToken ?? []);
      expect(tokens).to.have.length(6);
      expect(new Set(tokens)).to.have.length(1);
    });
  }

  it('is retried if it is a single write', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    proxy.next([errorResponse('TransactionConflictException')], 'PutItem');
    expect(await store.replace(await stored(store, ada), changed)).to.have.property('version');
  });

  it('throws store_unavailable if it is a single write of which an earlier attempt may have been applied', async () => {
    const { proxy, store } = fixture();
    await store.insert(ada);
    const previous = await stored(store, ada);
    proxy.next([reset, errorResponse('TransactionConflictException')], 'PutItem');
    await expectUnavailable(store.replace(previous, changed));
    expect((await find(store, ada))?.user).to.deep.equal(ada);
  });

  it('throws store_unavailable if the conflicts do not end', async () => {
    const { proxy, store } = fixture();
    proxy.every(errorResponse('TransactionConflictException'));
    await expectUnavailable(store.replace({ user: ada, version: 'v' }, changed));
    proxy.every(cancelled('None', 'TransactionConflict'));
    await expectUnavailable(store.replace({ user: ada, version: 'v' }, moved));
    proxy.every(cancelled('TransactionConflict'));
    await expectUnavailable(store.remove({ user: ada, version: 'v' }));
    expect(proxy.seen.length).to.be.within(6, 20);
  });
});
