import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ClaimedEvent, EventOutbox, QueuedEvent, WaitingEvent } from '../../application/ports/event-outbox.ts';
import { isTaken, type StoredUser, type UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { atomicEvents, type StoreOfEvents } from './atomic-events.ts';
import { eventsOfChangedUsers } from './events-of-changed-users.ts';
import { namesWithEvents } from './names-with-events.ts';
import type { OpenedStore } from './opened-store.ts';
import { expectPosition } from './positions.ts';

const start = 1_800_000_000_000;

/**
 * The contract of the port EventOutbox, in addition to that of UserStore: events are written with a change or not at
 * all, and stay until they are delivered. It opens one store and leaves it to `dispose`. `order` is partial if the
 * store is in several parts, as a sharded database is, and finds the oldest events of each part.
 */
export const eventOutboxContract = (
  name: string,
  open: () => Promise<OpenedStore>,
  order: 'total' | 'partial' = 'total',
): void => {
  describe(`the contract of an event outbox: ${name}`, () => {
    let opened: OpenedStore | undefined;
    let store: UserStore;
    let queue: EventOutbox;
    let destination: string;
    let count = 0;

    before(async () => {
      opened = await open();
      const { users, events } = opened.store;
      if (events === undefined) throw new Error('the store cannot store events');
      store = users;
      queue = events;
    });
    after(() => opened?.dispose());
    beforeEach(() => {
      destination = randomUUID().replaceAll('-', '').slice(0, 16);
    });

    const fresh = (): string => `told-${++count}@example.com`;

    const event = (body: string, time = start): QueuedEvent => ({ id: randomUUID(), destination, time, body });

    const find = (address: string): Promise<StoredUser | undefined> => store.find(keyOf(addressOf(address)));

    const inserted = async (user: User, events: readonly QueuedEvent[]): Promise<StoredUser> => {
      expect(await store.insert(user, { events })).to.have.property('version');
      const stored = await find(user.email.address);
      if (stored === undefined) throw new Error('an inserted user is not found');
      return stored;
    };

    const claim = (limit = 100, now = start, until = now + 1_000): Promise<readonly ClaimedEvent[]> =>
      queue.claim(destination, limit, { now, until });

    const bodies = (events: readonly QueuedEvent[]): readonly string[] => events.map(({ body }) => body);

    const pending = (): Promise<number> => queue.pending(destination, 1_000);

    /** Every page, each with at most about `limit` events. */
    const pages = async (limit: number): Promise<readonly (readonly WaitingEvent[])[]> => {
      const read: (readonly WaitingEvent[])[] = [];
      let after: string | undefined;
      do {
        const { events, next } = await queue.list(destination, limit, after);
        read.push(events);
        expectPosition(next);
        after = next;
      } while (after !== undefined);
      return read;
    };

    describe('a change with events', () => {
      it('writes them: an insert, an update, a move and a removal', async () => {
        const first = await inserted(userOf(fresh()), [event('1', start)]);
        const next = { ...first.user, password: 'another' };
        expect(await store.replace(first, next, { events: [event('2', start + 1)] })).to.have.property('version');
        const second = await find(next.email.address);
        const moved = { ...next, email: { ...next.email, address: addressOf(fresh()) } };
        expect(second && (await store.replace(second, moved, { events: [event('3', start + 2)] }))).to.have.property(
          'version',
        );
        const third = await find(moved.email.address);
        expect(third?.user).to.deep.equal(moved);
        expect(third && (await store.remove(third, { events: [event('4', start + 3)] }))).to.equal('removed');
        expect(await find(moved.email.address)).to.equal(undefined);
        expect(await pending()).to.equal(4);
        const claimed = await claim(100, start + 3);
        expect([...bodies(claimed)].sort()).to.deep.equal(['1', '2', '3', '4']);
      });

      it('claims due events once where the newest are asked for', async () => {
        await inserted(userOf(fresh()), [event('old', start), event('new', start + 1), event('later', start + 9)]);
        const lease = { now: start + 1, until: start + 1_000, newestFirst: true };
        const claimed = [...(await queue.claim(destination, 1, lease)), ...(await queue.claim(destination, 5, lease))];
        expect([...bodies(claimed)].sort()).to.deep.equal(['new', 'old']);
        expect(await queue.claim(destination, 5, lease)).to.deep.equal([]);
      });

      it('returns each event unchanged, for its own destination', async () => {
        const one = { ...event('{"type":"é😀"}'), id: 'evt_1' };
        const other = { ...event('another'), destination: `${destination.slice(1)}x` };
        await inserted(userOf(fresh()), [one, other]);
        const [claimed, ...others] = await claim();
        expect(others).to.deep.equal([]);
        expect(claimed).to.deep.include({ ...one, attempts: 1 });
      });

      it('returns the longest event unchanged', async () => {
        const longest = {
          id: `${randomUUID()}-${randomUUID()}`.slice(0, 64),
          destination: `${destination}${destination}`,
          time: start,
          body: JSON.stringify({ text: 'é'.repeat(500) }),
        };
        const sibling = {
          ...longest,
          id: `${longest.id.slice(0, -1)}x`,
          destination: `${longest.destination.slice(0, -1)}x`,
        };
        await inserted(userOf(fresh()), [longest, sibling]);
        const claimed = await queue.claim(longest.destination, 10, { now: start, until: start + 1 });
        expect(claimed).to.have.lengthOf(1);
        expect(claimed[0]).to.deep.include(longest);
      });

      it('keeps the events of a user that is changed and removed without any', async () => {
        const first = await inserted(userOf(fresh()), [event('created')]);
        expect(await store.replace(first, { ...first.user, password: 'another' }, { events: [] })).to.have.property(
          'version',
        );
        const second = await find(first.user.email.address);
        expect(second && (await store.remove(second, { events: [] }))).to.equal('removed');
        expect(bodies(await claim())).to.deep.equal(['created']);
      });

      it('keeps the events of a user that is changed and removed after events were switched off', async () => {
        const first = await inserted(userOf(fresh()), [event('created')]);
        expect(await store.replace(first, { ...first.user, password: 'another' })).to.have.property('version');
        const second = await find(first.user.email.address);
        expect(second && (await store.remove(second))).to.equal('removed');
        expect(await find(first.user.email.address)).to.equal(undefined);
        expect(bodies(await claim())).to.deep.equal(['created']);
      });

      it('frees the address of a removed user at once', async () => {
        const first = await inserted(userOf(fresh()), [event('created')]);
        expect(await store.remove(first, { events: [event('deleted', start + 1)] })).to.equal('removed');
        const again = await inserted(first.user, [event('created again', start + 2)]);
        expect(again.user).to.deep.equal(first.user);
        expect([...bodies(await claim(100, start + 2))].sort()).to.deep.equal(['created', 'created again', 'deleted']);
      });
    });

    describe('events without a change of a user', () => {
      it('are stored, returned, postponed and removed as others are', async () => {
        await queue.add([event('1'), event('2', start + 1)]);
        expect(await pending()).to.equal(2);
        expect(bodies(await claim())).to.deep.equal(['1']);
        const [second] = await claim(100, start + 1);
        expect(second).to.include({ body: '2', attempts: 1 });
        if (second === undefined) throw new Error('nothing was claimed');
        await queue.postpone(second, start + 50);
        const [again] = await claim(100, start + 50);
        expect(again).to.include({ body: '2', attempts: 2 });
        if (again === undefined) throw new Error('nothing was claimed');
        await queue.done(again);
        expect(await pending()).to.equal(1);
        expect(bodies(await claim(100, start + 1_000_000))).to.deep.equal(['1']);
      });

      it('belong to their own destination, and are found without a user', async () => {
        const other = `${destination.slice(1)}x`;
        await queue.add([event('own'), { ...event('other'), destination: other }]);
        expect(bodies(await claim())).to.deep.equal(['own']);
        expect(bodies(await queue.claim(other, 10, { now: start, until: start + 1 }))).to.deep.equal(['other']);
      });

      it('are stored by 32 concurrent calls, each once', async () => {
        const texts = Array.from({ length: 32 }, (_, n) => `event ${n}`);
        await Promise.all(texts.map((text) => queue.add([event(text)])));
        expect([...bodies(await claim())].sort()).to.deep.equal([...texts].sort());
      });

      it('are stored with a user of the same moment', async () => {
        const user = userOf(fresh());
        await Promise.all([queue.add([event('alone')]), inserted(user, [event('with a user')])]);
        expect([...bodies(await claim())].sort()).to.deep.equal(['alone', 'with a user']);
      });

      it('may be none', async () => {
        await queue.add([]);
        expect(await pending()).to.equal(0);
      });
    });

    const tested: StoreOfEvents = {
      stored: () => ({ store, queue, destination }),
      // A store in several parts shows them one after the other.
      isSeenInOneStep: order === 'total',
      fresh,
      event,
      inserted,
      waiting: async () => bodies((await pages(10)).flat()),
    };
    atomicEvents(tested);
    eventsOfChangedUsers(tested, start);

    namesWithEvents(tested, () => opened?.store);

    describe('a change that is not made', () => {
      it('writes no events: a taken address', async () => {
        const one = await inserted(userOf(fresh()), []);
        const other = await inserted(userOf(fresh()), []);
        expect(await store.insert(one.user, { events: [event('not')] })).to.have.property('taken');
        expect(
          await store.replace(other, { ...other.user, email: one.user.email }, { events: [event('not')] }),
        ).to.have.property('taken');
        expect(await pending()).to.equal(0);
      });

      it('writes no events: a stale version', async () => {
        const stored = await inserted(userOf(fresh()), []);
        await store.replace(stored, stored.user, { events: [] });
        const away = { ...stored.user, email: { ...stored.user.email, address: addressOf(fresh()) } };
        expect(await store.replace(stored, stored.user, { events: [event('not')] })).to.equal('stale');
        expect(await store.replace(stored, away, { events: [event('not')] })).to.equal('stale');
        expect(await store.remove(stored, { events: [event('not')] })).to.equal('stale');
        expect(await pending()).to.equal(0);
      });

      it('writes only the events of the winner of 32 concurrent inserts', async () => {
        const user = userOf(fresh());
        const outcomes = await Promise.all(
          Array.from({ length: 32 }, (_, n) =>
            store.insert({ ...user, password: `rival ${n}` }, { events: [event(`rival ${n}`)] }),
          ),
        );
        expect(bodies(await claim())).to.deep.equal([`rival ${outcomes.findIndex((outcome) => !isTaken(outcome))}`]);
      });
    });

    describe('a claim', () => {
      it('returns the oldest events first, at most the limit, and none of them again', async () => {
        for (const n of [1, 2, 3, 4, 5]) await inserted(userOf(fresh()), [event(String(n), start + n)]);
        const claims: (readonly string[])[] = [];
        for (let n = 0; n < 4; n++) claims.push(bodies(await claim(2, start + 9)));
        const inOrder = [['1', '2'], ['3', '4'], ['5'], []];
        if (order === 'total') expect(claims).to.deep.equal(inOrder);
        expect(claims).to.deep.equal(claims.map((claimed) => [...claimed].sort()));
        expect(claims.map(({ length }) => length)).to.deep.equal(inOrder.map(({ length }) => length));
        expect(claims.flat().sort()).to.deep.equal(inOrder.flat());
        expect(await pending()).to.equal(5);
      });

      it('returns no event before it is due', async () => {
        await inserted(userOf(fresh()), [event('later', start + 1)]);
        expect(await claim(1, start)).to.deep.equal([]);
        expect(bodies(await claim(1, start + 1))).to.deep.equal(['later']);
      });

      it('returns an event again after its lease, with the number of attempts', async () => {
        await inserted(userOf(fresh()), [event('once more')]);
        await claim(1, start, start + 10);
        expect(await claim(1, start + 9)).to.deep.equal([]);
        const [again] = await claim(1, start + 10);
        expect(again).to.include({ body: 'once more', attempts: 2 });
      });

      it('returns each event to one of several concurrent claims', async () => {
        const events = Array.from({ length: 20 }, (_, n) => event(String(n)));
        for (const one of events) await inserted(userOf(fresh()), [one]);
        const claims: ClaimedEvent[] = [];
        // A claim that loses a race for events returns fewer and is repeated.
        for (let round = 0; round < 20 && claims.length < events.length; round++)
          claims.push(...(await Promise.all([claim(7), claim(7), claim(7)])).flat());
        expect([...bodies(claims)].sort()).to.deep.equal([...bodies(events)].sort());
      });
    });

    /** Claims until no event is left, by several concurrent calls of each outbox. */
    const claimedBy = async (
      outboxes: readonly EventOutbox[],
      total: number,
      now = start,
    ): Promise<readonly string[]> => {
      const ids: string[] = [];
      const lease = { now, until: now + 1_000 };
      const drain = async (outbox: EventOutbox): Promise<void> => {
        for (let claimed: readonly ClaimedEvent[] | undefined; claimed === undefined || claimed.length > 0; ) {
          claimed = await outbox.claim(destination, 3, lease);
          ids.push(...claimed.map(({ id }) => id));
        }
      };
      // A claim that loses a race for events may return none although some are left.
      for (let round = 0; round < 20 && ids.length < total; round++)
        await Promise.all(outboxes.flatMap((outbox) => [drain(outbox), drain(outbox), drain(outbox), drain(outbox)]));
      return ids;
    };

    /** Adds many events, a few at a time. Resolves with their ids. */
    const addMany = async (): Promise<readonly string[]> => {
      const events = Array.from({ length: 120 }, (_, n) => event(String(n)));
      for (let from = 0; from < events.length; from += 20) await queue.add(events.slice(from, from + 20));
      return events.map(({ id }) => id);
    };

    it('gives each of many events to one of many concurrent claims', async function () {
      this.timeout(60_000);
      const added = await addMany();
      expect((await claimedBy([queue], added.length)).toSorted()).to.deep.equal(added.toSorted());
    });

    it('gives each of many events, whose leases have ended, to one of many concurrent claims', async function () {
      this.timeout(60_000);
      const added = await addMany();
      await claimedBy([queue], added.length);
      const again = await claimedBy([queue], added.length, start + 1_000);
      expect(again.toSorted()).to.deep.equal(added.toSorted());
    });

    it('gives each of many events to one of two processes', async function () {
      this.timeout(60_000);
      const other = await opened?.reopen?.();
      if (other?.events === undefined) return this.skip();
      const added = await addMany();
      expect((await claimedBy([queue, other.events], added.length)).toSorted()).to.deep.equal(added.toSorted());
      await other.users.close();
    });

    describe('an event that was claimed', () => {
      it('is removed when it is done, also twice, and the others stay', async () => {
        const stored = await inserted(userOf(fresh()), [event('1'), event('2', start + 1)]);
        await store.remove(stored, { events: [event('3', start + 2)] });
        const [first, ...others] = await claim(100, start + 2);
        if (first === undefined) throw new Error('nothing was claimed');
        await queue.done(first);
        await queue.done(first);
        expect(await pending()).to.equal(2);
        for (const other of others) await queue.done(other);
        expect(await pending()).to.equal(0);
        expect(await claim(1, start + 1_000_000)).to.deep.equal([]);
      });

      it('is due again when it was postponed', async () => {
        await inserted(userOf(fresh()), [event('leased')]);
        const [first] = await claim();
        if (first === undefined) throw new Error('nothing was claimed');
        await queue.postpone(first, start + 50_000);
        expect(await claim(1, start + 49_999)).to.deep.equal([]);
        expect((await claim(1, start + 50_000))[0]).to.include({ body: 'leased', attempts: 2 });
      });

      it('belongs to the last claim', async () => {
        await inserted(userOf(fresh()), [event('passed on')]);
        const [first] = await claim(1, start, start + 10);
        await claim(1, start + 10, start + 1_000);
        if (first === undefined) throw new Error('nothing was claimed');
        await queue.postpone(first, start);
        expect(await claim(1, start + 999)).to.deep.equal([]);
      });

      it('is removed also by a process whose lease has ended, because it is delivered', async () => {
        await inserted(userOf(fresh()), [event('delivered late')]);
        const [first] = await claim(1, start, start + 10);
        await claim(1, start + 10, start + 1_000);
        if (first === undefined) throw new Error('nothing was claimed');
        await queue.done(first);
        expect(await pending()).to.equal(0);
      });
    });

    describe('a list', () => {
      it('has every undelivered event of a destination, claimed or not, with its attempts and when it is due', async () => {
        expect(await pages(10)).to.deep.equal([[]]);
        await inserted(userOf(fresh()), [
          event('of a user'),
          { ...event('other'), destination: `${destination.slice(1)}x` },
        ]);
        await queue.add([event('alone', start + 5)]);
        const [claimed] = await claim(10, start, start + 70);
        expect(claimed?.body).to.equal('of a user');
        const listed = (await pages(10)).flat();
        const summary = listed.map(({ body, attempts, due, time }) => ({ body, attempts, due, time }));
        expect(summary).to.have.deep.members([
          { body: 'of a user', attempts: 1, due: start + 70, time: start },
          { body: 'alone', attempts: 0, due: start + 5, time: start + 5 },
        ]);
        expect(await claim(10, start + 69)).to.have.lengthOf(1);
      });

      it('has events that can be removed', async () => {
        await queue.add([event('1'), event('2')]);
        for (const listed of (await pages(10)).flat()) if (listed.body === '1') await queue.done(listed);
        expect(bodies((await pages(10)).flat())).to.deep.equal(['2']);
      });

      it('has pages, with each event once', async () => {
        const texts = Array.from({ length: 9 }, (_, n) => `event ${n}`);
        // Several events of the same time, and times that do not follow each other.
        for (const [n, text] of texts.entries()) await queue.add([event(text, start + ((n * 2) % 3))]);
        const read = await pages(4);
        for (const page of read) expect(page.length).to.be.at.most(4);
        expect(bodies(read.flat()).toSorted()).to.deep.equal(texts);
      });

      it('has each event that stays once, while others are added and delivered', async () => {
        // Many, because two events of one time come in any order, so that a wrong page skips the others only by chance.
        const staying = Array.from({ length: 40 }, (_, n) => `stays ${n}`);
        for (const [n, text] of staying.entries())
          await queue.add([event(text, start + n), event('leaves', start + n)]);
        const listed: string[] = [];
        for (let after: string | undefined, round = 0; round === 0 || after !== undefined; round++) {
          const page = await queue.list(destination, 4, after);
          listed.push(...bodies(page.events));
          for (const one of page.events) if (one.body === 'leaves') await queue.done(one);
          await queue.add([event('new', start + round)]);
          after = page.next;
          expect(round, 'the list does not end').to.be.below(100);
        }
        expect(listed.filter((text) => staying.includes(text)).toSorted()).to.deep.equal(staying.toSorted());
      });
    });

    describe('events that are too old', () => {
      // Earlier than the events of all other tests, which are in the same outbox.
      const old = start - 1_000_000;
      const before = old + 500_000;

      /** Expires until none are left, and resolves with how many of each destination there were. */
      const expired = async (limit = 100): Promise<ReadonlyMap<string, number>> => {
        const total = new Map<string, number>();
        for (;;) {
          const counts = await queue.expire(before, limit);
          if (counts.size === 0) return total;
          for (const [to, count] of counts) total.set(to, (total.get(to) ?? 0) + count);
        }
      };

      it('are removed and counted by destination, and newer ones and the users stay', async () => {
        const other = `${destination.slice(1)}x`;
        const first = await inserted(userOf(fresh()), [
          event('1', old),
          { ...event('2', old + 1), destination: other },
          event('young', before),
        ]);
        await inserted(userOf(fresh()), [event('3', before - 1), { ...event('young', start), destination: other }]);
        expect(await expired()).to.deep.equal(
          new Map([
            [destination, 2],
            [other, 1],
          ]),
        );
        expect(bodies(await claim())).to.deep.equal(['young']);
        expect(bodies(await queue.claim(other, 10, { now: start, until: start + 1 }))).to.deep.equal(['young']);
        expect((await find(first.user.email.address))?.user).to.deep.equal(first.user);
        expect(await queue.expire(before, 100)).to.deep.equal(new Map());
      });

      it('are removed in steps', async () => {
        for (let n = 0; n < 7; n++) await inserted(userOf(fresh()), [event(String(n), old + n)]);
        const first = await queue.expire(before, 3);
        expect(first.get(destination)).to.equal(3);
        expect((await expired(3)).get(destination)).to.equal(4);
        expect(await pending()).to.equal(0);
      });

      it('are removed also when they are claimed or postponed, and do not come back', async () => {
        await inserted(userOf(fresh()), [event('claimed', old), event('postponed', old)]);
        const claimed = await claim(100, old, old + 1_000);
        const [one, other] = claimed;
        if (one === undefined || other === undefined) throw new Error('two events were to be claimed');
        await queue.postpone(other, start + 50_000);
        expect((await expired()).get(destination)).to.equal(2);
        await queue.postpone(one, start);
        await queue.done(other);
        expect(await pending()).to.equal(0);
        expect(await claim(100, start + 1_000_000)).to.deep.equal([]);
      });

      it('are removed also for users who moved or were removed', async () => {
        const first = await inserted(userOf(fresh()), [event('created', old)]);
        const moved = { ...first.user, email: { ...first.user.email, address: addressOf(fresh()) } };
        expect(await store.replace(first, moved, { events: [event('moved', old + 1)] })).to.have.property('version');
        const second = await find(moved.email.address);
        expect(second && (await store.remove(second, { events: [event('removed', old + 2)] }))).to.equal('removed');
        expect((await expired()).get(destination)).to.equal(3);
        expect(await pending()).to.equal(0);
        await inserted(moved, []);
      });

      it('are removed also where no user has them', async () => {
        await queue.add([event('old', old), event('young', start)]);
        expect((await expired()).get(destination)).to.equal(1);
        expect(bodies(await claim())).to.deep.equal(['young']);
      });

      it('are counted once by concurrent removals', async () => {
        for (let n = 0; n < 10; n++) await inserted(userOf(fresh()), [event(String(n), old), event(`${n} too`, old)]);
        const counts = await Promise.all([expired(4), expired(4), expired(4)]);
        expect(counts.reduce((sum, total) => sum + (total.get(destination) ?? 0), 0)).to.equal(20);
        expect(await pending()).to.equal(0);
      });
    });

    it('names the destinations of undelivered events, each once', async () => {
      const other = `${destination.slice(1)}x`;
      const named = async () => (await queue.destinations()).filter((one) => one === destination || one === other);
      await inserted(userOf(fresh()), [event('1'), { ...event('2'), destination: other }, event('3')]);
      await queue.add([event('4')]);
      await claim();
      expect(await named()).to.have.members([destination, other]);
      for (const listed of (await queue.list(other, 10)).events) await queue.done(listed);
      expect(await named()).to.deep.equal([destination]);
    });

    it('counts pending events up to a limit', async () => {
      await inserted(userOf(fresh()), [event('1'), event('2'), event('3')]);
      expect(await queue.pending(destination, 2)).to.be.within(2, 3);
    });
  });
};
