import { expect } from 'chai';
import { Fault } from '../../application/fault.ts';
import type { EventOutbox, QueuedEvent } from '../../application/ports/event-outbox.ts';
import type { StoredUser, UserStore } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import type { User } from '../../domain/user.ts';
import { userOf } from './arbitraries.ts';
import { expectOwnText } from './simulated-failures.ts';

/** The store of an outbox under test. */
export interface StoreOfEvents {
  stored(): { readonly store: UserStore; readonly queue: EventOutbox; readonly destination: string };
  /** Whether others see a change and its events at the same time. */
  readonly isSeenInOneStep: boolean;
  /** An address that no other test uses. */
  fresh(): string;
  /** An event for the destination. */
  event(body: string): QueuedEvent;
  inserted(user: User, events: readonly QueuedEvent[]): Promise<StoredUser>;
  /** The bodies of the undelivered events of the destination. */
  waiting(): Promise<readonly string[]>;
}

type Check = () => Promise<boolean>;

const rounds = Array.from({ length: 10 }, (_, round) => round);

/** Calls `read` again and again while a change runs; lets a store in memory go on, too. */
const during = async (change: () => Promise<unknown>, ...reads: readonly (() => Promise<void>)[]): Promise<void> => {
  let isRunning = true;
  const readers = reads.map(async (read) => {
    while (isRunning) {
      await read();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const changing = change().finally(() => {
    isRunning = false;
  });
  await Promise.all([changing, ...readers]);
};

/** Changes and their events: others see both or neither, and both are written or neither. */
export const atomicEvents = (tested: StoreOfEvents): void => {
  const { stored, fresh, event, inserted, waiting } = tested;
  const find = ({ email }: User) => stored().store.find(keyOf(email.address));
  const isFound = (user: User) => async () => (await find(user)) !== undefined;
  const isGone = (user: User) => async () => (await find(user)) === undefined;
  const pending = () => stored().queue.pending(stored().destination, 1_000);

  /** Expects that no two reads show one of a change and its event without the other. */
  const expectOneStep = async (change: () => Promise<unknown>, isMade: Check): Promise<void> => {
    const events = await pending();
    const isTold = async () => (await pending()) > events;
    // What was seen first stays, so that the other must be there, too.
    const watch = (first: Check, other: Check, what: string) => async () => {
      if ((await first()) && !(await other())) throw new Error(`found ${what}`);
    };
    await during(
      change,
      watch(isMade, isTold, 'a change without its events'),
      watch(isTold, isMade, 'events without their change'),
    );
  };

  const inOneStep = tested.isSeenInOneStep ? describe : () => undefined;
  inOneStep('are written in one step:', () => {
    it('an insert and its events', async () => {
      for (const _ of rounds) {
        const user = userOf(fresh());
        await expectOneStep(() => stored().store.insert(user, { events: [event('created')] }), isFound(user));
      }
    });

    it('a change and its events', async () => {
      for (const _ of rounds) {
        const previous = await inserted(userOf(fresh()), []);
        const next = { ...previous.user, password: 'new' };
        const isChanged = async () => (await find(next))?.user.password === 'new';
        await expectOneStep(() => stored().store.replace(previous, next, { events: [event('changed')] }), isChanged);
      }
    });

    it('a change of address and its events', async () => {
      for (const _ of rounds) {
        const [previous, next] = [await inserted(userOf(fresh()), []), userOf(fresh())];
        await expectOneStep(() => stored().store.replace(previous, next, { events: [event('moved')] }), isFound(next));
      }
    });

    it('a removal and its events', async () => {
      for (const _ of rounds) {
        const previous = await inserted(userOf(fresh()), []);
        await expectOneStep(
          () => stored().store.remove(previous, { events: [event('removed')] }),
          isGone(previous.user),
        );
      }
    });

    it('several events without a change', async () => {
      const several = Array.from({ length: 20 }, (_, n) => String(n));
      for (const round of rounds)
        await during(
          () => stored().queue.add(several.map((body) => event(body))),
          async () => {
            expect((await pending()) - 20 * round, 'some of the events').to.be.oneOf([0, 20]);
          },
        );
    });
  });

  describe('an event with an id that is stored already', () => {
    /** Resolves with whether the write was made; expects its other event to be written with it, or not at all. */
    const isWritten = async (write: (events: readonly QueuedEvent[]) => Promise<unknown>): Promise<boolean> => {
      const duplicate = event('first');
      await stored().queue.add([duplicate]);
      let isMade = true;
      try {
        const outcome = await write([event('other'), { ...duplicate, body: 'second' }]);
        expect(outcome).to.not.equal('stale');
        expect(Object(outcome)).to.not.have.property('taken');
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        expectOwnText(error, [duplicate.id, duplicate.destination]);
        isMade = false;
      }
      expect((await waiting()).includes('other'), 'another event is written').to.equal(isMade);
      return isMade;
    };

    it('is never taken for an address, and fails all of an insert or nothing', async () => {
      const user = userOf(fresh());
      const isMade = await isWritten((events) => stored().store.insert(user, { events }));
      expect(await isFound(user)()).to.equal(isMade);
    });

    it('fails all of a change or nothing', async () => {
      const previous = await inserted(userOf(fresh()), []);
      const next = { ...previous.user, password: 'new' };
      const isMade = await isWritten((events) => stored().store.replace(previous, next, { events }));
      expect((await find(next))?.user).to.deep.equal(isMade ? next : previous.user);
    });

    it('fails all of a removal or nothing', async () => {
      const previous = await inserted(userOf(fresh()), []);
      const isMade = await isWritten((events) => stored().store.remove(previous, { events }));
      expect(await isGone(previous.user)()).to.equal(isMade);
    });

    it('fails all of the events that are added with it or none', async () => {
      await isWritten((events) => stored().queue.add(events));
    });
  });
};
