import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { anyone } from '../../../../application/passwords/passwords.ts';
import type { QueuedEvent } from '../../../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../../../application/ports/user-store.ts';
import { type DomainEvents, domainEventsFor, noDomainEvents } from '../../../../application/users/domain-events.ts';
import { OptimisticUpdate } from '../../../../application/users/optimistic-update.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { addressOf, userOf } from '../../../support/arbitraries.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { SetClock } from '../../../support/doubles/set-clock.ts';

const jane = keyOf(addressOf('jane@example.com'));

/** A store that shows what it was given to write. */
class WatchedStore extends InterruptedUserStore {
  readonly given: (readonly QueuedEvent[] | undefined)[] = [];

  override replace(previous: StoredUser, next: User, events?: readonly QueuedEvent[]) {
    this.given.push(events);
    return super.replace(previous, next, events);
  }
}

describe('announcements', () => {
  let store: WatchedStore;
  let written: number;
  let ids: number;

  const announcements = (): DomainEvents =>
    domainEventsFor(
      [
        { destination: 'all', types: ['user.updated', 'user.deleted'] },
        { destination: 'some', types: ['user.deleted'] },
      ],
      new SetClock(1_800_000_000_000),
      () => `id-${++ids}`,
      () => {
        written++;
      },
    );

  const change = (announced: DomainEvents, transition: (user: User) => User) =>
    new OptimisticUpdate(store, announced).apply({
      key: jane,
      gate: anyone,
      transition: (user) => right(transition(user)),
      event: 'user.updated',
      whenContended: 'contended',
    });

  const older = (user: User): User => ({ ...user, lastUpdateTime: user.lastUpdateTime + 1 });

  beforeEach(async () => {
    [written, ids] = [0, 0];
    store = new WatchedStore();
    await store.insert(userOf('jane@example.com'));
  });

  it('are made for each subscription to the type, with an id of its own', () => {
    const user = userOf('jane@example.com');
    const records = announcements().of('user.deleted', user) ?? [];
    expect(records.map(({ id, destination, time }) => [id, destination, time])).to.deep.equal([
      ['1800000000000-id-1', 'all', 1_800_000_000_000],
      ['1800000000000-id-2', 'some', 1_800_000_000_000],
    ]);
    expect(announcements().of('user.created', user)).to.deep.equal([]);
  });

  it('are given to the write that is made, and told of once', async () => {
    store.interrupt(1, jane, older);
    await change(announcements(), older);
    expect(written).to.equal(1);
    expect(await store.ports.events?.pending('all', 10)).to.equal(1);
    expect(await store.ports.events?.pending('some', 10)).to.equal(0);
  });

  it('are not made where nothing changed', async () => {
    await change(announcements(), (user) => user);
    expect([written, ids, store.given]).to.deep.equal([0, 0, []]);
  });

  it('are nothing at all where nobody listens', async () => {
    await change(noDomainEvents, older);
    expect(store.given).to.deep.equal([undefined]);
  });
});
