import { expect } from 'chai';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';
import type { StoredUser } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { addressOf, userOf } from './arbitraries.ts';
import type { StoreOfEvents } from './atomic-events.ts';

/**
 * A user and its events do not affect each other once they are written, also in a store that keeps them in one record.
 * `start` is the time of the events.
 */
export const eventsOfChangedUsers = (tested: StoreOfEvents, start: number): void => {
  const { stored, fresh, event, inserted } = tested;
  const pending = () => stored().queue.pending(stored().destination, 1_000);

  const claimed = async (): Promise<ClaimedEvent> => {
    const { queue, destination } = stored();
    const [first] = await queue.claim(destination, 10, { now: start, until: start + 1_000 });
    if (first === undefined) throw new Error('nothing was claimed');
    return first;
  };

  const changes: Readonly<Record<string, (previous: StoredUser) => Promise<unknown>>> = {
    changed: (previous) => stored().store.replace(previous, { ...previous.user, password: 'new' }),
    moved: (previous) =>
      stored().store.replace(previous, {
        ...previous.user,
        email: { ...previous.user.email, address: addressOf(fresh()) },
      }),
    removed: (previous) => stored().store.remove(previous),
  };

  describe('an event of a user', () => {
    it('is claimed, postponed and delivered without a new version of the user', async () => {
      const { user, version } = await inserted(userOf(fresh()), [event('created'), event('created too')]);
      const { queue, store, destination } = stored();
      const [one, other] = await queue.claim(destination, 10, { now: start, until: start + 1_000 });
      if (one === undefined || other === undefined) throw new Error('two events were to be claimed');
      await queue.done(one);
      await queue.postpone(other, start + 1);
      expect(await store.find(keyOf(user.email.address))).to.deep.equal({ user, version });
      expect(await store.replace({ user, version }, { ...user, password: 'new' })).to.have.property('version');
      expect(await pending()).to.equal(1);
    });

    for (const [change, make] of Object.entries(changes)) {
      it(`can be delivered after the user was ${change} by whoever read it before`, async () => {
        const previous = await inserted(userOf(fresh()), [event('created')]);
        const first = await claimed();
        expect(await make(previous)).to.not.equal('stale');
        await stored().queue.done(first);
        expect(await pending()).to.equal(0);
      });

      it(`does not come back when the user is ${change} by whoever read it before`, async () => {
        const previous = await inserted(userOf(fresh()), [event('created')]);
        await stored().queue.done(await claimed());
        expect(await make(previous)).to.not.equal('stale');
        expect(await pending()).to.equal(0);
      });
    }
  });
};
