import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { anyCaller } from '../../../../application/passwords/authorizer.ts';
import type { QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { DomainEvents } from '../../../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../../../application/users/optimistic-update.ts';
import { Reservations } from '../../../../application/users/reservations.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const jane = keyOf(addressOf('jane@example.com'));

/** A store that records the events that it was given. */
class RecordingStore extends InterruptedUserStore {
  readonly given: (readonly QueuedEvent[] | undefined)[] = [];

  override replace(previous: StoredUser, next: User, events?: readonly QueuedEvent[]) {
    this.given.push(events);
    return super.replace(previous, next, events);
  }
}

describe('domain events', () => {
  const clock = new ManualClock(1_800_000_000_000);
  let store: RecordingStore;
  let committed: number;
  let ids: number;

  const domainEvents = (): DomainEvents =>
    new DomainEvents(
      [
        { destination: 'all', types: ['user.updated', 'user.deleted'] },
        { destination: 'some', types: ['user.deleted'] },
      ],
      clock,
      () => `id-${++ids}`,
      () => {
        committed++;
      },
    );

  const change = (events: DomainEvents | null, transition: (user: User) => User) =>
    new OptimisticUpdate(store, new Reservations(store, clock), events).apply({
      key: jane,
      authorize: anyCaller,
      transition: (user) => right(transition(user)),
      event: 'user.updated',
      whenContended: 'contended',
    });

  const older = (user: User): User => ({ ...user, lastUpdateTime: user.lastUpdateTime + 1 });

  beforeEach(async () => {
    [committed, ids] = [0, 0];
    store = new RecordingStore();
    await store.insert(userOf('jane@example.com'));
  });

  it('are made for each subscription to their type, each with its own id', () => {
    const user = userOf('jane@example.com');
    const records = domainEvents().prepare('user.deleted', user);
    expect(records.map(({ id, destination, time }) => [id, destination, time])).to.deep.equal([
      ['1800000000000-id-1', 'all', 1_800_000_000_000],
      ['1800000000000-id-2', 'some', 1_800_000_000_000],
    ]);
    expect(domainEvents().prepare('user.created', user)).to.deep.equal([]);
  });

  it('are stored with the write that succeeds, and reported once', async () => {
    store.interrupt(1, jane, older);
    await change(domainEvents(), older);
    expect(committed).to.equal(1);
    expect(await store.ports.events?.pending('all', 10)).to.equal(1);
    expect(await store.ports.events?.pending('some', 10)).to.equal(0);
  });

  it('are not made if nothing changes', async () => {
    await change(domainEvents(), (user) => user);
    expect([committed, ids, store.given]).to.deep.equal([0, 0, []]);
  });

  it('are not passed to the store without webhooks', async () => {
    await change(null, older);
    expect(store.given).to.deep.equal([undefined]);
  });
});
