import { expect } from 'chai';
import { MemoryEventOutbox } from '../../../../adapters/stores/memory/memory-event-outbox.ts';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import { Fault } from '../../../../application/fault.ts';
import { DomainEvents } from '../../../../application/outgoing/domain-events.ts';
import { ErasePersonHandler, GatherPersonHandler } from '../../../../application/person/person-handlers.ts';
import { personPlaces } from '../../../../application/person/person-places.ts';
import type { ClaimedEvent } from '../../../../application/ports/event-outbox.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { UserId } from '../../../../domain/user-id.ts';
import { nameOfId } from '../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const now = 1_800_000_000_000;
const jane = addressOf('Jane@example.com');
const moved = addressOf('jane@new.example.com');
const key = keyOf(jane);

/** An outbox whose process dies at a removal. */
class MortalOutbox extends MemoryEventOutbox {
  removalsLeft = Number.POSITIVE_INFINITY;

  override async done(event: ClaimedEvent): Promise<void> {
    if (this.removalsLeft-- <= 0) throw new Fault('store_unavailable', 'killed');
    await super.done(event);
  }
}

describe('the erasure of a person', () => {
  let store: InterruptedUserStore;
  let outbox: MortalOutbox;
  let erase: (
    asked?: ReturnType<typeof keyOf> | ReturnType<typeof nameOfId>,
  ) => ReturnType<ErasePersonHandler['handle']>;
  let gather: () => ReturnType<GatherPersonHandler['handle']>;

  const id = 'usr_1';
  if (!UserId.is(id)) throw new TypeError('an id');
  const user: User = {
    ...userOf('Jane@example.com'),
    id,
    addressMove: { to: moved, since: now, confirmDigest: 'new', cancelDigest: 'old' },
  };

  const mail = (kind: string, to: string, more: object = {}) => ({
    destination: 'mail',
    body: JSON.stringify({ kind, to, locale: 'en', secret: 'https://s.example.com/secret', expires: null, ...more }),
  });
  const event = (type: string, data: object) => ({ destination: 'webhook', body: JSON.stringify({ type, data }) });
  const request = (asked: string) => ({ destination: 'recovery', body: JSON.stringify({ key: asked, languages: [] }) });

  const own = [
    mail('verification', jane),
    mail('change', moved),
    mail('change', moved, { userId: id }),
    mail('changeNotice', 'jane@old.example.com', { userId: id }),
    mail('changeNotice', 'other@example.com', { about: jane }),
    event('user.created', { email: { address: jane } }),
    event('address.changed', { email: { address: 'x@example.com' }, previousAddress: jane }),
    event('user.updated', { id, email: { address: 'x@example.com' } }),
    request(key),
    request(nameOfId(id)),
  ];
  const foreign = [
    mail('verification', 'other@example.com'),
    // Of somebody who has the address to which the person asked to move.
    mail('verification', moved),
    mail('change', moved, { userId: 'usr_2' }),
    event('user.created', { id: 'usr_2', email: { address: 'other@example.com' } }),
    event('user.created', null as never),
    request('other@example.com'),
  ];

  beforeEach(async () => {
    store = new InterruptedUserStore();
    outbox = new MortalOutbox();
    const users = new SettlingStore(store.ports);
    const clock = new ManualClock(now);
    const events = new DomainEvents(
      [{ destination: 'webhook', types: ['user.deleted'] }],
      clock,
      () => 'deleted',
      () => [],
    );
    const counters = { passwords: undefined, tokens: undefined, codes: undefined };
    const places = personPlaces(outbox, ['webhook'], counters);
    const handler = new ErasePersonHandler(new OptimisticUpdate(users, events), users, places, ['backups']);
    erase = (asked = key) => handler.handle({ type: 'ErasePerson', by, key: asked }, performance.now());
    gather = () => new GatherPersonHandler(users, places, ['backups']).handle({ type: 'GatherPerson', by, key });
    await store.insert(user, { names: [nameOfId(id)] });
    await outbox.add([...own, ...foreign].map((one, index) => ({ id: `id-${index}`, time: now, ...one })));
  });

  const left = async (): Promise<readonly string[]> => {
    const lists = await Promise.all(['mail', 'webhook', 'recovery'].map((one) => outbox.list(one, 100)));
    return lists.flatMap(({ events }) => events.map(({ body }) => body)).toSorted();
  };

  const others = foreign.map(({ body }) => body).toSorted();

  it('gathers and removes the user and what waits under all names, and nothing of others', async () => {
    const person = rightOf(await gather());
    expect([person.mails.length, person.events.length, person.requests.length]).to.deep.equal([5, 3, 2]);
    expect(JSON.stringify(person)).not.to.include('secret');
    expect(rightOf(await erase())).to.deep.equal({
      user: true,
      events: 3,
      mails: 5,
      requests: 2,
      attempts: 0,
      announcements: 0,
      elsewhere: ['backups'],
    });
    expect(await store.now(key)).to.equal(undefined);
    expect(await left()).to.deep.equal(others);
  });

  it('works by the id, also when the user is gone', async () => {
    expect(rightOf(await erase(nameOfId(id))).user).to.equal(true);
    await outbox.add([{ id: 'late', time: now, ...event('user.updated', { id, email: { address: jane } }) }]);
    expect(rightOf(await erase(nameOfId(id)))).to.include({ user: false, events: 1 });
    expect(await left()).to.deep.equal(others);
  });

  it('goes on where it was killed, and stores user.deleted once', async () => {
    for (let removals = 0; removals < own.length - 1; removals++) {
      outbox.removalsLeft = 1;
      expect(await rejection(erase())).to.have.property('message', 'killed');
    }
    outbox.removalsLeft = Number.POSITIVE_INFINITY;
    expect(rightOf(await erase())).to.include({ user: true, mails: 0, requests: 1 });
    expect(rightOf(await erase())).to.include({ user: false, events: 0, mails: 0, requests: 0 });
    expect(await left()).to.deep.equal(others);
    const announced = (await store.ports.events?.list('webhook', 10))?.events ?? [];
    expect(announced.map(({ body }) => JSON.parse(body).data.reason)).to.deep.equal(['erasure']);
  });

  it('is contended while others keep changing the user', async () => {
    store.interrupt(10, key, (stored) => ({ ...stored, lastUpdateTime: stored.lastUpdateTime + 1 }));
    expect(leftOf(await erase()).code).to.equal('contended');
  });
});
