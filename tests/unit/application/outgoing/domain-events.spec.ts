import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { changedMembers } from '../../../../adapters/kit/exact-json.ts';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import { Fault } from '../../../../application/fault.ts';
import { DeliverySignal } from '../../../../application/outgoing/delivery-signal.ts';
import { DomainEvents, type EventType, eventTypes } from '../../../../application/outgoing/domain-events.ts';
import type { QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { StoredUser, WriteOptions } from '../../../../application/ports/user-store.ts';
import { anyCaller } from '../../../../application/writing/authorization.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { withPassword, withRehashedPassword } from '../../../../domain/user-update.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { rightOf } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const idOf = (text: string): UserId => rightOf(UserId.decode(text));
const jane = keyOf(addressOf('jane@example.com'));

/** A store that records the events that it was given. */
class RecordingStore extends InterruptedUserStore {
  readonly given: (readonly QueuedEvent[] | undefined)[] = [];

  override replace(previous: StoredUser, next: User, options: WriteOptions = {}) {
    this.given.push(options.events);
    return super.replace(previous, next, options);
  }
}

describe('domain events', () => {
  const clock = new ManualClock(1_800_000_000_000);
  let store: RecordingStore;
  let signalled: number;
  let ids: number;

  const domainEvents = (): DomainEvents =>
    new DomainEvents(
      [
        { destination: 'all', types: ['user.updated', 'user.deleted'] },
        { destination: 'some', types: ['user.deleted'] },
      ],
      clock,
      () => `id-${++ids}`,
      changedMembers,
    );

  const change = (events: DomainEvents | undefined, transition: (user: User) => User) => {
    const signal = new DeliverySignal(clock);
    signal.subscribe([{ notify: () => void signalled++ }]);
    const users = new SettlingStore({ ...store.ports, users: store }, undefined, undefined, signal);
    return new OptimisticUpdate(users, userLimits(), events).apply({
      key: jane,
      authorize: anyCaller,
      transition: (user) => right(transition(user)),
      events: ['user.updated'],
    });
  };

  const older = (user: User): User => ({ ...user, lastUpdateTime: user.lastUpdateTime + 1 });

  beforeEach(async () => {
    [signalled, ids] = [0, 0];
    store = new RecordingStore();
    await store.insert(userOf('jane@example.com'));
  });

  it('name only the changed custom properties that their subscription lists', () => {
    const events = new DomainEvents(
      [
        { destination: 'all', types: ['user.updated'], properties: null },
        { destination: 'some', types: ['user.updated'], properties: ['plan', 'password'] },
        { destination: 'none', types: ['user.updated'], properties: [] },
      ],
      clock,
      () => `id-${++ids}`,
      changedMembers,
    );
    const user = userOf('jane@example.com');
    const next = { ...user, password: 'other', properties: asProperties('{"plan":1,"notes":2,"email.address":3}') };
    const prepared = events.prepare(['user.updated'], next, user) ?? [];
    expect(prepared.map(({ destination, body }) => [destination, JSON.parse(body).data.changed])).to.deep.equal([
      ['all', ['password', 'plan', 'notes', 'email.address']],
      ['some', ['password', 'plan']],
      ['none', ['password']],
    ]);
  });

  it('are made for each subscription to their type, each with its own id', () => {
    const user = userOf('jane@example.com');
    const records = domainEvents().prepare(['user.deleted'], user);
    expect(records?.map(({ id, destination, time }) => [id, destination, time])).to.deep.equal([
      ['1800000000000-id-1', 'all', 1_800_000_000_000],
      ['1800000000000-id-2', 'some', 1_800_000_000_000],
    ]);
    expect(domainEvents().prepare(['user.created'], user)).to.deep.equal([]);
  });

  it('are stored with the write that succeeds, and reported once', async () => {
    store.interrupt(1, jane, older);
    await change(domainEvents(), older);
    expect(signalled).to.equal(1);
    expect(await store.ports.events?.pending('all', 10)).to.equal(1);
    expect(await store.ports.events?.pending('some', 10)).to.equal(0);
  });

  it('are reported also if the write fails, because it may have been applied', async () => {
    store.replace = async () => {
      throw new Fault('store_unavailable', 'the reply was lost');
    };
    const outcome = await change(domainEvents(), older).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Fault);
    expect(signalled).to.equal(1);
  });

  it('are not made if nothing changes', async () => {
    await change(domainEvents(), (user) => user);
    expect([signalled, ids, store.given]).to.deep.equal([0, 0, []]);
  });

  it('have the id of a user that has one', () => {
    const events = new DomainEvents([{ destination: 'all', types: eventTypes }], clock, () => 'id', changedMembers);
    const without = userOf('jane@example.com');
    const user = { ...without, id: idOf('usr_1') };
    const dataOf = (prepared: readonly QueuedEvent[] | undefined) =>
      (prepared ?? []).map(({ body }) => JSON.parse(body).data);
    const types = eventTypes.filter((type) => type !== 'mail.failed');
    const always = types.filter(
      (type) => !['password.changed', 'verification.confirmed', 'address.changed'].includes(type),
    );
    expect(dataOf(events.prepare(types, user)).map(({ id }) => id)).to.deep.equal(always.map(() => 'usr_1'));
    for (const data of dataOf(events.prepare(types, without))) expect(data).not.to.have.property('id');
    const mail = { kind: 'recovery', to: user.email.address } as const;
    expect(dataOf(events.prepareMailFailed({ ...mail, userId: user.id }))).to.deep.equal([
      { id: 'usr_1', kind: 'recovery', email: { address: 'jane@example.com' } },
    ]);
    expect(dataOf(events.prepareMailFailed(mail))).to.deep.equal([
      { kind: 'recovery', email: { address: 'jane@example.com' } },
    ]);
  });

  describe('of an update', () => {
    const user = userOf('jane@example.com');
    const update: readonly EventType[] = ['user.updated', 'password.changed', 'address.changed'];
    let compared: number;

    /** The events of an update for a webhook that subscribed to these types. */
    const eventsOf = (next: User, types = update) => {
      const subscriptions = [{ destination: 'all', types }];
      const compare: typeof changedMembers = (...texts) => {
        compared++;
        return changedMembers(...texts);
      };
      const events = new DomainEvents(subscriptions, clock, () => `id-${++ids}`, compare);
      return (events.prepare(update, next, user) ?? []).map(({ body }) => JSON.parse(body));
    };
    const typesOf = (next: User) => eventsOf(next).map(({ type }) => type);
    const changedBy = (next: User) => eventsOf(next)[0].data.changed;
    const withEmail = (email: Partial<User['email']>): User => ({ ...user, email: { ...user.email, ...email } });

    beforeEach(() => {
      compared = 0;
    });

    it('name the members that changed', () => {
      expect(changedBy(user)).to.deep.equal([]);
      expect(changedBy(older(user))).to.deep.equal([]);
      const { verified } = user.email.verification;
      const timed = withEmail({ verification: { verified, token: 'a token', tokenTime: 1 }, mailTime: 1 });
      expect(changedBy(timed)).to.deep.equal(['email.verificationToken']);
      expect(changedBy(withEmail({ verification: { verified: true, token: null } }))).to.deep.equal(['email.verified']);
      expect(changedBy({ ...user, password: 'another' })).to.deep.equal(['password']);
      expect(changedBy({ ...user, id: idOf('usr_1') })).to.deep.equal(['id']);
      expect(changedBy({ ...user, requiredChangeTime: 1 })).to.deep.equal(['email.changeRequiredTime']);
      const renamed = withEmail({ address: addressOf('john@example.com') });
      const properties = asProperties('{"colour":"red","size":1}');
      expect(changedBy({ ...renamed, properties })).to.deep.equal(['email.address', 'colour', 'size']);
    });

    it('include a type of their own for a changed password, and for an address of another user', () => {
      expect(typesOf(older(user))).to.deep.equal(['user.updated']);
      expect(typesOf(withPassword(user, user.password, 1))).to.deep.equal(['user.updated', 'password.changed']);
      expect(typesOf(withRehashedPassword(user, 'another hash'))).to.deep.equal(['user.updated']);
      const renamed = eventsOf(withEmail({ address: addressOf('john@example.com') }));
      expect(renamed.map(({ type }) => type)).to.deep.equal(['user.updated', 'address.changed']);
      for (const { data } of renamed) expect(data).to.include({ previousAddress: 'jane@example.com' });
    });

    it('report another spelling of the address as an update only', () => {
      const [updated, ...others] = eventsOf(withEmail({ address: addressOf('Jane@example.com') }));
      expect(updated.data).to.deep.include({ changed: ['email.address'], previousAddress: 'jane@example.com' });
      expect(others).to.deep.equal([]);
    });

    it('name at most a hundred members of 2,000 characters, and count the others', () => {
      const names = (count: number, length: number) =>
        Array.from({ length: count }, (_, n) => `${n}`.padEnd(length, '-'));
      const withProperties = (all: readonly string[]): User => ({
        ...user,
        password: 'another',
        properties: asProperties(JSON.stringify(Object.fromEntries(all.map((name) => [name, null])))),
      });
      const many = eventsOf(withProperties(names(150, 4)))[0].data;
      expect(many.changed).to.deep.equal(['password', ...names(99, 4)]);
      expect(many.changedOmitted).to.equal(51);
      const long = eventsOf(withProperties([...names(1, 2_000), ...names(21, 100)]))[0].data;
      expect(long.changed).to.deep.equal(['password', ...names(19, 100)]);
      expect(long.changedOmitted).to.equal(3);
    });

    it('compare custom properties only for webhooks that receive updates', () => {
      const next = { ...withPassword(user, 'another', 1), properties: asProperties('{"a":1}') };
      expect(eventsOf(next, ['password.changed', 'address.changed'])).to.have.lengthOf(1);
      expect(compared).to.equal(0);
      eventsOf(next);
      expect(compared).to.equal(1);
    });
  });

  it('are not passed to the store without webhooks', async () => {
    await change(undefined, older);
    expect(store.given).to.deep.equal([undefined]);
  });
});
