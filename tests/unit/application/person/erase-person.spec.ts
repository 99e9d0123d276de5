import { expect } from 'chai';
import { personJson } from '../../../../adapters/http/admin/administration/person-json.ts';
import { userLimits } from '../../../../adapters/kit/user-json/user-codecs.ts';
import { administrator as by } from '../../../../application/administration/administrator.ts';
import { Fault } from '../../../../application/fault.ts';
import { DomainEvents } from '../../../../application/outgoing/domain-events.ts';
import { ErasePersonHandler, GatherPersonHandler } from '../../../../application/person/person-handlers.ts';
import { emptyOutbox, personPlaces } from '../../../../application/person/person-places.ts';
import { UnfinishedErasures } from '../../../../application/person/unfinished-erasures.ts';
import type { EventOutbox } from '../../../../application/ports/event-outbox.ts';
import { OptimisticUpdate } from '../../../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { nameOfId } from '../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../sdk/contract/arbitraries.ts';
import { leftOf, rejection, rightOf } from '../../../../sdk/contract/outcomes.ts';
import { InterruptedUserStore } from '../../../support/doubles/interrupted-user-store.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';

const now = 1_800_000_000_000;
const jane = addressOf('Jane@example.com');
const moved = addressOf('jane@new.example.com');
const key = keyOf(jane);

describe('the erasure of a person', () => {
  let store: InterruptedUserStore;
  let outbox: EventOutbox;
  /** After how many removals from the outbox the process dies. */
  let removalsLeft: number;
  let erase: (
    asked?: ReturnType<typeof keyOf> | ReturnType<typeof nameOfId>,
    ifMatch?: readonly string[],
  ) => ReturnType<ErasePersonHandler['handle']>;
  let gather: () => ReturnType<GatherPersonHandler['handle']>;

  const counters = { passwords: undefined, tokens: undefined, codes: undefined };
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
  const linkOf = (address: string) => ({ secret: `https://s.example.com/change?email=${encodeURIComponent(address)}` });
  const event = (type: string, data: object) => ({ destination: 'webhook', body: JSON.stringify({ type, data }) });
  const request = (asked: string) => ({ destination: 'recovery', body: JSON.stringify({ key: asked, languages: [] }) });

  const signUp = { address: jane, hash: 'hash-of-jane', properties: '{"plan":1.0}', languages: [], requestedTime: now };

  const own = [
    mail('verification', jane),
    mail('change', moved, linkOf(jane)),
    mail('change', 'any@new.example.com', linkOf(jane)),
    mail('change', moved, { userId: id }),
    mail('changeNotice', 'jane@old.example.com', { userId: id }),
    mail('changeNotice', 'other@example.com', { about: jane }),
    event('user.created', { email: { address: jane } }),
    event('address.changed', { email: { address: 'x@example.com' }, previousAddress: jane }),
    event('user.updated', { id, email: { address: 'x@example.com' } }),
    request(key),
    request(nameOfId(id)),
    { destination: 'signup', body: JSON.stringify(signUp) },
  ];
  const foreign = [
    mail('verification', 'other@example.com'),
    // Of the user who has the address to which the person asked to move.
    mail('verification', moved),
    mail('change', moved, { ...linkOf('other@example.com'), userId: 'usr_2' }),
    mail('change', moved, linkOf('other@example.com')),
    // Of users who asked to move to the address before the person had it.
    mail('changeNotice', 'john@example.com', { about: jane }),
    mail('changeNotice', 'john@example.com', { about: jane, userId: 'usr_3' }),
    event('user.created', { id: 'usr_2', email: { address: 'other@example.com' } }),
    event('user.created', null as never),
    request('other@example.com'),
  ];

  beforeEach(async () => {
    store = new InterruptedUserStore();
    const { events: stored } = store.ports;
    if (stored === undefined) throw new TypeError('a store with an outbox');
    outbox = stored;
    removalsLeft = Number.POSITIVE_INFINITY;
    const done = outbox.done.bind(outbox);
    outbox.done = async (event) => {
      if (removalsLeft-- <= 0) throw new Fault('store_unavailable', 'killed');
      await done(event);
    };
    const users = new SettlingStore(store.ports);
    const clock = new ManualClock(now);
    const events = new DomainEvents(
      [{ destination: 'webhook', types: ['user.deleted'] }],
      clock,
      () => 'deleted',
      () => [],
    );
    const places = personPlaces(outbox, counters, users, clock);
    const unfinished = new UnfinishedErasures(outbox, clock);
    const handler = new ErasePersonHandler(new OptimisticUpdate(users, userLimits(), events), places, unfinished, [
      'backups',
    ]);
    erase = (asked = key, ifMatch) =>
      handler.handle({ type: 'ErasePerson', by, key: asked, ifMatch }, performance.now());
    const gathering = new GatherPersonHandler(users, places, unfinished, ['backups']);
    gather = () => gathering.handle({ type: 'GatherPerson', by, key });
    await store.insert(user, { names: [nameOfId(id)] });
    await store.insert(userOf('John@example.com'));
    await outbox.add([...own, ...foreign].map((one, index) => ({ id: `id-${index}`, time: now, ...one })));
  });

  const left = async (): Promise<readonly string[]> => {
    const destinations = ['mail', 'webhook', 'recovery', 'signup', 'erasure'];
    const lists = await Promise.all(destinations.map((one) => outbox.list(one, 100)));
    const waiting = lists.flatMap(({ events }) => events.map(({ body }) => body));
    return waiting.filter((body) => !body.includes('"erasure"')).toSorted();
  };

  const bodies = (records: typeof own) => records.map(({ body }) => body).toSorted();

  it('gathers and removes the user and what waits under all names, and nothing of others', async () => {
    const person = rightOf(await gather());
    expect([person.mails.length, person.events.length, person.requests.length]).to.deep.equal([6, 3, 3]);
    for (const secret of ['secret', 'hash-of-jane']) expect(JSON.stringify(person)).not.to.include(secret);
    expect(person.requests.at(-1)).to.deep.equal({
      kind: 'signup',
      since: now,
      address: jane,
      properties: '{"plan":1.0}',
    });
    expect(personJson(person)).to.include('"properties":{"plan":1.0}}');
    expect(JSON.parse(personJson(person)).requests).to.have.length(3);
    expect(rightOf(await erase())).to.deep.equal({
      user: true,
      about: { key, id },
      events: 3,
      mails: 6,
      requests: 3,
      attempts: 0,
      announcements: 1,
      elsewhere: ['backups'],
    });
    expect(await store.now(key)).to.equal(undefined);
    expect(await left()).to.deep.equal(bodies(foreign));
  });

  it('removes the user from a store without an outbox', async () => {
    const users = new SettlingStore({ users: store });
    const clock = new ManualClock(now);
    const places = personPlaces(emptyOutbox, counters, users, clock);
    const unfinished = new UnfinishedErasures(emptyOutbox, clock);
    const handler = new ErasePersonHandler(new OptimisticUpdate(users, userLimits()), places, unfinished, []);
    const erased = await handler.handle({ type: 'ErasePerson', by, key, ifMatch: undefined }, performance.now());
    expect(rightOf(erased)).to.include({ user: true, events: 0, mails: 0, requests: 0, announcements: 0 });
    expect(await store.now(key)).to.equal(undefined);
  });

  it('works by the id, also when the user is gone', async () => {
    expect(rightOf(await erase(nameOfId(id))).user).to.equal(true);
    await outbox.add([{ id: 'late', time: now, ...event('user.updated', { id, email: { address: jane } }) }]);
    expect(rightOf(await erase(nameOfId(id)))).to.include({ user: false, events: 1 });
    expect(await left()).to.deep.equal(bodies(foreign));
  });

  for (const [by, asked] of [
    ['address', key],
    ['id', nameOfId(id)],
  ] as const)
    it(`goes on by the ${by} where it was killed, and stores user.deleted once`, async () => {
      for (let removals = 0; removals < own.length; removals++) {
        removalsLeft = 1;
        expect(await rejection(erase(asked))).to.have.property('message', 'killed');
        expect(await store.now(key)).to.equal(undefined);
      }
      removalsLeft = Number.POSITIVE_INFINITY;
      // Only the names are left.
      expect(rightOf(await erase(asked))).to.include({ user: false, events: 0, mails: 0, requests: 0 });
      expect(await left()).to.deep.equal(bodies(foreign));
      expect((await outbox.list('erasure', 10)).events).to.deep.equal([]);
      const announced = (await outbox.list('webhook', 10)).events.map(({ body }) => JSON.parse(body).data?.reason);
      expect(announced.filter((reason) => reason !== undefined)).to.deep.equal(['erasure']);
    });

  it('loses nothing while others keep changing the user, or if the user is another one than was shown', async () => {
    store.interrupt(10, key, (before) => ({ ...before, lastUpdateTime: before.lastUpdateTime + 1 }));
    expect(leftOf(await erase()).code).to.equal('contended');
    expect(leftOf(await erase(key, ['another'])).code).to.equal('stale_user');
    expect(await left()).to.deep.equal(bodies([...own, ...foreign]));
  });

  it('removes also whom a sign-up creates that a process answers at the moment, with the mail', async () => {
    const [claimed] = await outbox.claim('signup', 1, { now, until: now + 15_000 });
    const list = outbox.list.bind(outbox);
    let listed = 0;
    outbox.list = async (destination, ...page) => {
      if (destination === 'signup' && ++listed === 2 && claimed !== undefined) {
        await store.insert(userOf('Jane@example.com'));
        await outbox.add([{ id: 'late', time: now, ...mail('verification', jane) }]);
        await outbox.done(claimed);
      }
      return list(destination, ...page);
    };
    expect(rightOf(await erase())).to.include({ user: true, mails: 7 });
    expect(listed).to.equal(2);
    expect(await store.now(key)).to.equal(undefined);
    expect(await left()).to.deep.equal(bodies(foreign));
  });

  it('removes a user with an id also if the address changes at the moment', async () => {
    store.interrupt(1, key, (before) => ({ ...before, email: { ...before.email, address: moved } }));
    expect(rightOf(await erase())).to.include({ user: true });
    expect([await store.now(key), await store.now(keyOf(moved))]).to.deep.equal([undefined, undefined]);
  });

  it('is about no other person: not the user whose notice names the address, although that user is damaged', async () => {
    const find = store.find.bind(store);
    store.find = async (asked) => {
      if (asked === keyOf(addressOf('john@example.com')))
        throw new Fault('store_rejected', 'damaged', { record: asked });
      return find(asked);
    };
    expect(rightOf(await erase())).to.include({ user: true, mails: 6 });
    expect(await left()).to.deep.equal(bodies(foreign));
  });
});
