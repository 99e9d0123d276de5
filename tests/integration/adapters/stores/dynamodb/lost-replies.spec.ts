import { expect } from 'chai';
import type { StoredUser, UserStore } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import type { User } from '../../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../support/arbitraries.ts';
import { rejection } from '../../../../support/outcomes.ts';
import { cancelled, lostReply, refusal, reset } from './between.ts';
import { settings } from './setting.ts';

const ada = userOf('ada@example.com');
const changed: User = { ...ada, password: 'changed' };
const moved: User = { ...ada, email: { ...ada.email, address: addressOf('lovelace@example.com') } };

const find = (store: UserStore, user: User): Promise<StoredUser | undefined> => store.find(keyOf(user.email.address));

const stored = async (store: UserStore, user: User): Promise<StoredUser> => {
  const found = await find(store, user);
  if (found === undefined) throw new Error('the user is not stored');
  return found;
};

const isUnavailable = async (promise: Promise<unknown>): Promise<void> => {
  expect(await rejection(promise)).to.include({ name: 'Fault', code: 'store_unavailable' });
};

describe('a write on DynamoDB whose answer is lost', () => {
  const setting = settings();
  const overtake = async (): Promise<void> => {
    const { other } = setting();
    await other.replace(await stored(other, ada), { ...ada, password: 'of someone else' });
  };
  const tokens = (): readonly unknown[] => setting().between.seen.flatMap(({ body }) => body.ClientRequestToken ?? []);
  const removeMeanwhile = async (): Promise<void> => {
    const { other } = setting();
    await other.remove(await stored(other, ada));
  };

  it('is an insert that succeeds', async () => {
    const { between, store } = setting();
    between.next([lostReply()]);
    expect(await store.insert(ada)).to.equal('inserted');
    expect((await find(store, ada))?.user).to.deep.equal(ada);
  });

  it('is an insert that succeeds, known by its token, whatever others made of the user meanwhile', async () => {
    const { between, store } = setting();
    between.next([lostReply(overtake), reset]);
    expect(await store.insert(ada)).to.equal('inserted');
    expect((await find(store, ada))?.user.password).to.equal('of someone else');
    expect(tokens()).to.have.length(3);
    expect(new Set(tokens())).to.have.length(1);
  });

  it('is an insert that succeeds, and does not restore a user who was removed meanwhile', async () => {
    const { between, store } = setting();
    between.next([lostReply(removeMeanwhile)]);
    expect(await store.insert(ada)).to.equal('inserted');
    expect(await find(store, ada)).to.equal(undefined);
  });

  it('is a change that succeeds', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply()]);
    expect(await store.replace(previous, changed)).to.equal('replaced');
    expect((await find(store, ada))?.user).to.deep.equal(changed);
  });

  it('is a change with events that succeeds, and they are written once, whatever others do meanwhile', async () => {
    const { between, store, table } = setting();
    const { events: queue } = await table.openPorts();
    const event = (id: string) => [{ id, destination: 'lost', time: 1, body: id }];
    between.next([lostReply(), reset]);
    expect(await store.insert(ada, event('1'))).to.equal('inserted');
    between.next([lostReply(overtake), reset], 'TransactWriteItems');
    expect(await store.replace(await stored(store, ada), changed, event('2'))).to.equal('replaced');
    expect((await find(store, ada))?.user.password).to.equal('of someone else');
    between.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.replace(await stored(store, ada), moved, event('3'))).to.equal('replaced');
    between.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.remove(await stored(store, moved), event('4'))).to.equal('removed');
    const claimed = await queue?.claim('lost', 10, { now: 1, until: 2 });
    expect(claimed?.map(({ id }) => id)).to.deep.equal(['1', '2', '3', '4']);
  });

  it('is a move that succeeds, known by its token', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply(), reset], 'TransactWriteItems');
    expect(await store.replace(previous, moved)).to.equal('replaced');
    expect(await find(store, ada)).to.equal(undefined);
    expect((await find(store, moved))?.user).to.deep.equal(moved);
    const [, ...repeated] = tokens();
    expect(repeated).to.have.length(3);
    expect(new Set(repeated)).to.have.length(1);
  });

  it('is a move that succeeds, also when the engine forgot its token', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    const seen = async (): Promise<string> => (await stored(setting().other, moved)).version;
    between.next([lostReply()], 'TransactWriteItems');
    between.next(
      [
        async () => {
          const Item = { email: { S: 'lovelace@example.com' }, version: { S: await seen() } };
          const reasons = [{ Code: 'ConditionalCheckFailed', Item }, { Code: 'ConditionalCheckFailed' }];
          return refusal('TransactionCanceledException', 400, { CancellationReasons: reasons })(async () => {
            throw new Error('not passed on');
          });
        },
      ],
      'TransactWriteItems',
    );
    expect(await store.replace(previous, moved)).to.equal('replaced');
  });

  it('is a removal that succeeds, known by its token', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply(), reset]);
    expect(await store.remove(previous)).to.equal('removed');
    expect(await find(store, ada)).to.equal(undefined);
    const [, ...repeated] = tokens();
    expect(repeated).to.have.length(3);
    expect(new Set(repeated)).to.have.length(1);
  });

  it('is a removal that succeeds, and keeps a user who took the address afterwards', async () => {
    const { between, store, other } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply(() => other.insert(changed))]);
    expect(await store.remove(previous)).to.equal('removed');
    expect((await find(store, ada))?.user).to.deep.equal(changed);
  });

  it('is told as unavailable when someone else changed the user before it could be asked for', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply(overtake)]);
    await isUnavailable(store.replace(previous, changed));
    expect((await find(store, ada))?.user.password).to.equal('of someone else');
  });

  it('is told as unavailable when someone else removed the user before it could be asked for', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([lostReply(removeMeanwhile)]);
    await isUnavailable(store.replace(previous, changed));
    expect(await find(store, ada)).to.equal(undefined);
  });
});

describe('a removal on DynamoDB that is lost before it arrives', () => {
  const setting = settings();
  const meanwhile: Readonly<Record<string, () => Promise<unknown>>> = {
    removed: async () => setting().other.remove(await stored(setting().other, ada)),
    changed: async () => setting().other.replace(await stored(setting().other, ada), changed),
    'changed and then removed': async () => {
      await setting().other.replace(await stored(setting().other, ada), changed);
      await setting().other.remove(await stored(setting().other, ada));
    },
  };

  it('is made up for', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([reset]);
    expect(await store.remove(previous)).to.equal('removed');
    expect(await find(store, ada)).to.equal(undefined);
  });

  for (const [what, others] of Object.entries(meanwhile)) {
    it(`is stale when someone else has ${what} the user meanwhile`, async () => {
      const { between, store, other } = setting();
      await store.insert(ada);
      const previous = await stored(store, ada);
      between.next([
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

describe('a write on DynamoDB that meets a transaction', () => {
  const setting = settings();

  const writes: Readonly<Record<string, (previous: StoredUser) => Promise<unknown>>> = {
    'an insert': () => setting().store.insert({ ...moved, password: 'another' }),
    'a move': (previous) => setting().store.replace(previous, moved),
    'a removal': (previous) => setting().store.remove(previous),
  };
  for (const [what, write] of Object.entries(writes)) {
    it(`is tried again with the same token until the other one is done: ${what}`, async () => {
      const { between, store } = setting();
      await store.insert(ada);
      const previous = await stored(store, ada);
      between.next([
        cancelled('TransactionConflict', 'None'),
        reset,
        cancelled('None', 'TransactionConflict'),
        cancelled('ThrottlingError', 'None'),
        cancelled('ProvisionedThroughputExceeded', 'None'),
      ]);
      expect(await write(previous)).to.be.oneOf(['inserted', 'replaced', 'removed']);
      const [, ...tokens] = between.seen.flatMap(({ body }) => body.ClientRequestToken ?? []);
      expect(tokens).to.have.length(6);
      expect(new Set(tokens)).to.have.length(1);
    });
  }

  it('is tried again when it is a single write', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    between.next([refusal('TransactionConflictException')], 'PutItem');
    expect(await store.replace(await stored(store, ada), changed)).to.equal('replaced');
  });

  it('is told as unavailable when it is a single write, and an earlier attempt may have been applied', async () => {
    const { between, store } = setting();
    await store.insert(ada);
    const previous = await stored(store, ada);
    between.next([reset, refusal('TransactionConflictException')], 'PutItem');
    await isUnavailable(store.replace(previous, changed));
    expect((await find(store, ada))?.user).to.deep.equal(ada);
  });

  it('is told as unavailable when the other ones do not end', async () => {
    const { between, store } = setting();
    between.every(refusal('TransactionConflictException'));
    await isUnavailable(store.replace({ user: ada, version: 'v' }, changed));
    between.every(cancelled('None', 'TransactionConflict'));
    await isUnavailable(store.replace({ user: ada, version: 'v' }, moved));
    between.every(cancelled('TransactionConflict'));
    await isUnavailable(store.remove({ user: ada, version: 'v' }));
    expect(between.seen.length).to.be.within(6, 20);
  });
});
