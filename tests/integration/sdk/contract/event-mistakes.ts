import { Fault } from '../../../../application/fault.ts';
import type {
  ClaimedEvent,
  EventOutbox,
  QueuedEvent,
  WaitingEvent,
} from '../../../../application/ports/event-outbox.ts';
import type { UserStore } from '../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../domain/email-address.ts';
import type { User } from '../../../../domain/user.ts';
import { isWritten } from '../../../../sdk/contract/outcomes.ts';
import { oneByOne, roundTrip } from './altered-port.ts';

/** The methods of a store with events that a mistake replaces. */
interface Altered {
  readonly users?: Partial<UserStore>;
  readonly events?: Partial<EventOutbox>;
}

/** A mistake in a store with events, and the title of the test that finds it. */
export type EventMistake = readonly [foundBy: string, mistake: (users: UserStore, events: EventOutbox) => Altered];

const waiting = async (events: EventOutbox, destination: string): Promise<readonly WaitingEvent[]> =>
  (await events.list(destination, 1_000)).events;

/** Whether one of these events has the id of one that is stored. */
const hasDuplicate = async (events: EventOutbox, added: readonly QueuedEvent[] = []): Promise<boolean> => {
  const stored = await waiting(events, added[0]?.destination ?? '');
  return added.some(({ id }) => stored.some((other) => other.id === id));
};

const keyOfUser = ({ email }: User) => keyOf(email.address);

const duplicateFault = () => new Fault('store_rejected', 'the database refuses an event');

/** Finds due events first, and claims them afterwards. */
const claimAfterRead =
  (events: EventOutbox): EventOutbox['claim'] =>
  async (destination, limit, { now, until }) => {
    const due = (await waiting(events, destination)).filter((event) => event.due <= now);
    await roundTrip();
    const claimed: ClaimedEvent[] = [];
    for (const event of due.toSorted((one, other) => one.time - other.time).slice(0, limit)) {
      await events.postpone(event, until);
      claimed.push({ ...event, attempts: event.attempts + 1 });
    }
    return claimed;
  };

/** Stores other events than the given ones. */
const storing =
  (change: (event: QueuedEvent) => QueuedEvent) =>
  (users: UserStore, events: EventOutbox): Altered => ({
    users: {
      insert: (user, { events: added } = {}) => users.insert(user, { events: added?.map(change) }),
      replace: (previous, next, { events: added } = {}) =>
        users.replace(previous, next, { events: added?.map(change) }),
      remove: (previous, { events: added } = {}) => users.remove(previous, { events: added?.map(change) }),
    },
    events: { add: (added) => events.add(added.map(change)) },
  });

const ofExpiry = 'are removed and counted by destination';

export const eventMistakes: Readonly<Record<string, EventMistake>> = {
  'the events of an insert in a second statement': [
    'are written in one step: an insert',
    (users, events) => ({
      users: {
        insert: async (user, { events: added = [] } = {}) => {
          const stored = await users.insert(user);
          await roundTrip();
          if (isWritten(stored)) await events.add(added);
          return stored;
        },
      },
    }),
  ],
  'the events of a change in an earlier statement, taken back if it is not made': [
    'are written in one step: a change and its events',
    (users, events) => ({
      users: {
        replace: async (previous, next, { events: added = [] } = {}) => {
          await events.add(added);
          await roundTrip();
          const outcome = await users.replace(previous, next);
          const stored = typeof outcome === 'string' ? await waiting(events, added[0]?.destination ?? '') : [];
          for (const one of stored) if (added.some(({ id }) => id === one.id)) await events.done(one);
          return outcome;
        },
      },
    }),
  ],
  'the events of a move in a second statement': [
    'are written in one step: a change of address',
    (users, events) => ({
      users: {
        replace: async (previous, next, { events: added = [] } = {}) => {
          const stored = await users.replace(previous, next);
          await roundTrip();
          if (isWritten(stored)) await events.add(added);
          return stored;
        },
      },
    }),
  ],
  'the events of a removal in an earlier statement': [
    'are written in one step: a removal',
    (users, events) => ({
      users: {
        remove: async (previous, { events: added = [] } = {}) => {
          const current = await users.find(keyOf(previous.user.email.address));
          if (current?.version !== previous.version) return 'stale';
          await events.add(added);
          await roundTrip();
          return users.remove(previous);
        },
      },
    }),
  ],
  'events of a change that is not made': [
    'writes no events: a taken address',
    (users, events) => ({
      users: {
        insert: async (user, { events: added = [] } = {}) => {
          await events.add(added);
          return users.insert(user);
        },
      },
    }),
  ],
  'events of a stale change': [
    'writes no events: a stale version',
    (users, events) => ({
      users: {
        remove: async (previous, { events: added = [] } = {}) => {
          await events.add(added);
          return users.remove(previous);
        },
      },
    }),
  ],
  'events of a change whose name is taken': [
    'writes neither if a name is taken',
    (users, events) => ({
      users: {
        replace: async (previous, next, options) => {
          const outcome = await users.replace(previous, next, options);
          if (outcome !== 'stale' && !isWritten(outcome)) await events.add(options?.events ?? []);
          return outcome;
        },
      },
    }),
  ],
  'no events of an insert with names': [
    'a change with names and events writes both',
    (users) => ({
      users: {
        insert: (user, options = {}) =>
          users.insert(user, options.names === undefined ? options : { ...options, events: undefined }),
      },
    }),
  ],
  'no events of an insert over a reservation': [
    'writes both over a reservation',
    (users) => ({
      users: {
        insert: (user, options = {}) =>
          users.insert(user, options.reservations === undefined ? options : { ...options, events: undefined }),
      },
    }),
  ],
  'events that end with the names of their user': [
    'keeps the events of a user whose names change without any',
    (users, events) => ({
      users: {
        remove: async (previous, options) => {
          const outcome = await users.remove(previous, options);
          if (previous.names !== undefined) await events.expire(2 ** 52, 1_000);
          return outcome;
        },
      },
    }),
  ],
  'no events of a move': [
    'writes them: an insert, an update, a move and a removal',
    (users) => ({
      users: {
        replace: (previous, next, { events: added } = {}) =>
          users.replace(previous, next, {
            events: previous.user.email.address === next.email.address ? added : undefined,
          }),
      },
    }),
  ],
  'no events of a removal': [
    'writes them: an insert, an update, a move and a removal',
    (users) => ({ users: { remove: (previous) => users.remove(previous) } }),
  ],
  'a duplicate id that is read as a taken address': [
    'is never taken for an address',
    (users, events) => ({
      users: {
        insert: async (user, { events: added } = {}) =>
          (await hasDuplicate(events, added)) ? { taken: keyOfUser(user) } : users.insert(user, { events: added }),
      },
    }),
  ],
  'a duplicate id that is read as a stale version': [
    'fails all of a change or nothing',
    (users, events) => ({
      users: {
        replace: async (previous, next, { events: added } = {}) =>
          (await hasDuplicate(events, added)) ? 'stale' : users.replace(previous, next, { events: added }),
      },
    }),
  ],
  'an insert that stays when its events fail': [
    'is never taken for an address',
    (users, events) => ({
      users: {
        insert: async (user, { events: added } = {}) => {
          if (!(await hasDuplicate(events, added))) return users.insert(user, { events: added });
          await users.insert(user);
          throw duplicateFault();
        },
      },
    }),
  ],
  'a removal that stays when its events fail': [
    'fails all of a removal or nothing',
    (users, events) => ({
      users: {
        remove: async (previous, { events: added } = {}) => {
          if (!(await hasDuplicate(events, added))) return users.remove(previous, { events: added });
          await users.remove(previous);
          throw duplicateFault();
        },
      },
    }),
  ],
  'a Fault with the id of an event': [
    'is never taken for an address',
    (users, events) => ({
      users: {
        insert: async (user, { events: added } = {}) => {
          if (!(await hasDuplicate(events, added))) return users.insert(user, { events: added });
          throw new Fault('store_rejected', `Key (id)=(${added?.at(-1)?.id}) already exists.`);
        },
      },
    }),
  ],
  'events that are added one by one': [
    'are written in one step: several events',
    (_, events) => ({
      events: {
        add: async (added) => {
          for (const event of added) {
            await events.add([event]);
            await roundTrip();
          }
        },
      },
    }),
  ],
  'events that are added until one fails': [
    'fails all of the events that are added with it or none',
    (_, events) => ({
      events: {
        add: async (added) => {
          for (const event of added) {
            if (await hasDuplicate(events, [event])) throw duplicateFault();
            await events.add([event]);
          }
        },
      },
    }),
  ],
  'a claim without a lock': [
    'gives each of many events to one of many concurrent claims',
    (_, events) => ({ events: { claim: claimAfterRead(events) } }),
  ],
  'a claim with a lock of one process': [
    'gives each of many events to one of two processes',
    (_, events) => ({ events: { claim: oneByOne(claimAfterRead(events)) } }),
  ],
  'a claim without a lock of events whose leases have ended': [
    'whose leases have ended, to one of many concurrent claims',
    (_, events) => ({
      events: {
        claim: async (destination, limit, lease) => {
          const due = (await waiting(events, destination)).filter((event) => event.due <= lease.now);
          await roundTrip();
          const claimed = await events.claim(destination, limit, lease);
          if (due.length === 0 || due.some(({ attempts }) => attempts === 0)) return claimed;
          const again = due.slice(0, limit).map((event) => ({ ...event, attempts: event.attempts + 1 }));
          return again.map((event) => claimed.find(({ id }) => id === event.id) ?? event);
        },
      },
    }),
  ],
  'a claim of events that are not due': [
    'returns no event before it is due',
    (_, events) => ({ events: { claim: (to, limit, lease) => events.claim(to, limit, { ...lease, now: 2 ** 52 }) } }),
  ],
  'a claim without a lease': [
    'and none of them again',
    (_, events) => ({
      events: { claim: (to, limit, lease) => events.claim(to, limit, { ...lease, until: lease.now }) },
    }),
  ],
  'a claim of the newest events': [
    'returns the oldest events first',
    (_, events) => ({
      events: { claim: (to, limit, lease) => events.claim(to, limit, { ...lease, newestFirst: true }) },
    }),
  ],
  'a claim that counts no attempts': [
    'with the number of attempts',
    (_, events) => ({
      events: {
        claim: async (...claim) => (await events.claim(...claim)).map((event) => ({ ...event, attempts: 1 })),
      },
    }),
  ],
  'ids of 36 characters': [
    'returns the longest event unchanged',
    storing((event) => ({ ...event, id: event.id.slice(0, 36) })),
  ],
  'a body of 255 characters': [
    'returns the longest event unchanged',
    storing((event) => ({ ...event, body: event.body.slice(0, 255) })),
  ],
  'destinations of 16 characters': [
    'returns the longest event unchanged',
    storing((event) => ({ ...event, destination: event.destination.slice(0, 16) })),
  ],
  'a body of ASCII only': [
    'returns each event unchanged',
    (_, events) => ({
      events: {
        claim: async (...claim) =>
          (await events.claim(...claim)).map((event) => ({ ...event, body: event.body.replace(/[^ -~]/g, '?') })),
      },
    }),
  ],
  'a delivery that is fenced by the attempts': [
    'is removed also by a process whose lease has ended',
    (_, events) => ({
      events: {
        done: async (event) => {
          const stored = await waiting(events, event.destination);
          if (stored.some(({ id, attempts }) => id === event.id && attempts === event.attempts))
            await events.done(event);
        },
      },
    }),
  ],
  'a second delivery that fails': [
    'is removed when it is done, also twice',
    (_, events) => ({
      events: {
        done: async (event) => {
          const stored = await waiting(events, event.destination);
          if (!stored.some(({ id }) => id === event.id)) throw duplicateFault();
          await events.done(event);
        },
      },
    }),
  ],
  'a delivery that gives the user a new version': [
    'without a new version of the user',
    (users, events) => {
      const owners = new Map<string, User>();
      return {
        users: {
          insert: (user, { events: added = [] } = {}) => {
            for (const { id } of added) owners.set(id, user);
            return users.insert(user, { events: added });
          },
        },
        events: {
          done: async (event) => {
            await events.done(event);
            const owner = owners.get(event.id);
            const stored = owner && (await users.find(keyOfUser(owner)));
            if (stored !== undefined) await users.replace(stored, stored.user);
          },
        },
      };
    },
  ],
  'a change that writes the events back that were read with the user': [
    'does not come back when the user is changed',
    (users, events) => {
      const read = new Map<string, readonly QueuedEvent[]>();
      const delivered = new Set<string>();
      const left = (version: string) => (read.get(version) ?? []).filter(({ id }) => !delivered.has(id));
      return {
        users: {
          find: async (key) => {
            const found = await users.find(key);
            if (found !== undefined) read.set(found.version, left(found.version));
            return found;
          },
          insert: async (user, { events: added = [] } = {}) => {
            const stored = await users.insert(user, { events: added });
            if (isWritten(stored)) read.set(stored.version, added);
            return stored;
          },
          replace: (previous, next, { events: added = [] } = {}) => {
            const back = (read.get(previous.version) ?? []).filter(({ id }) => delivered.has(id));
            return users.replace(previous, next, { events: [...back, ...added] });
          },
        },
        events: {
          done: (event) => {
            delivered.add(event.id);
            return events.done(event);
          },
        },
      };
    },
  ],
  'a receipt that ends with the version of the user': [
    'can be delivered after the user was changed',
    (users, events) => {
      const owners = new Map<string, string>();
      const ended = new Set<string>();
      const end = (user: User) => {
        for (const [id, owner] of owners) if (owner === keyOfUser(user)) ended.add(id);
      };
      return {
        users: {
          insert: (user, { events: added = [] } = {}) => {
            for (const { id } of added) owners.set(id, keyOfUser(user));
            return users.insert(user, { events: added });
          },
          replace: (previous, next, { events: added } = {}) => {
            end(previous.user);
            return users.replace(previous, next, { events: added });
          },
        },
        events: { done: async (event) => (ended.has(event.id) ? undefined : events.done(event)) },
      };
    },
  ],
  'a delay that is not fenced': [
    'belongs to the last claim',
    (_, events) => ({
      events: {
        postpone: async (event, due) => {
          const current = (await waiting(events, event.destination)).find(({ id }) => id === event.id);
          if (current !== undefined) await events.postpone(current, due);
        },
      },
    }),
  ],
  'a delay without an effect': ['is due again when it was postponed', () => ({ events: { postpone: async () => {} } })],
  'a count of the due events': [
    'are stored, returned, postponed and removed as others are',
    (_, events) => ({
      events: {
        pending: async (destination) =>
          (await waiting(events, destination)).filter(({ due }) => due <= 1_800_000_000_000).length,
      },
    }),
  ],
  'a list without claimed events': [
    'has every undelivered event of a destination',
    (_, events) => ({
      events: {
        list: async (...list) => {
          const page = await events.list(...list);
          return { ...page, events: page.events.filter(({ attempts }) => attempts === 0) };
        },
      },
    }),
  ],
  'a list that ends with its first page': [
    'has pages, with each event once',
    (_, events) => ({
      events: { list: async (...list) => ({ ...(await events.list(...list)), next: undefined }) },
    }),
  ],
  'a time as the cursor, which several events share': [
    'has pages, with each event once',
    (_, events) => ({
      events: {
        list: async (destination, limit, after = '0') => {
          const left = (await waiting(events, destination)).filter(({ time }) => time > Number(after));
          const page = left.toSorted((one, other) => one.time - other.time).slice(0, limit);
          return { events: page, next: left.length > limit ? String(page.at(-1)?.time) : undefined };
        },
      },
    }),
  ],
  'a number of events as the cursor': [
    'has each event that stays once',
    (_, events) => ({
      events: {
        list: async (destination, limit, after = '0') => {
          const all = await waiting(events, destination);
          const end = Number(after) + limit;
          return { events: all.slice(Number(after), end), next: end < all.length ? String(end) : undefined };
        },
      },
    }),
  ],
  'a cursor of events that is longer than a link may be': [
    'has pages, with each event once',
    (_, events) => ({
      events: {
        list: async (destination, limit, after) => {
          const page = await events.list(destination, limit, after?.trim());
          return { ...page, next: page.next?.padEnd(769) };
        },
      },
    }),
  ],
  'destinations with repetitions': [
    'names the destinations of undelivered events, each once',
    (_, events) => ({
      events: { destinations: async () => (await events.destinations()).flatMap((one) => [one, one]) },
    }),
  ],
  'an expiry that says there are none, and removed some': [
    ofExpiry,
    (_, events) => ({
      events: {
        expire: async (...expire) => {
          await events.expire(...expire);
          return new Map();
        },
      },
    }),
  ],
  'an expiry of the time itself': [
    ofExpiry,
    (_, events) => ({ events: { expire: (before, limit) => events.expire(before + 1, limit) } }),
  ],
  'an expiry without a limit': [
    'are removed in steps',
    (_, events) => ({ events: { expire: (before) => events.expire(before, 1_000) } }),
  ],
  'an expiry that counts all for one destination': [
    ofExpiry,
    (_, events) => ({
      events: {
        expire: async (...expire) => {
          const counts = [...(await events.expire(...expire))];
          const [first] = counts;
          return new Map(first && [[first[0], counts.reduce((sum, [, count]) => sum + count, 0)]]);
        },
      },
    }),
  ],
};
