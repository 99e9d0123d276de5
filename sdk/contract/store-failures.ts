import { randomUUID } from 'node:crypto';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';
import { everyUser } from '../../application/ports/user-listing.ts';
import type { StoredUser, StorePorts } from '../../application/ports/user-store.ts';
import { keyOf } from '../../domain/email-address.ts';
import { addressOf, userOf } from './arbitraries.ts';
import { nameOf } from './named-users.ts';
import type { OpenedStore } from './opened-store.ts';
import { written } from './outcomes.ts';
import { type Calls, failureTests, type SimulatedFailures } from './simulated-failures.ts';

/** More than a pool has connections: waiting for one counts, too. */
const concurrentReads = 128;

/** Tests every port of a store during the failures of its database. */
export const storeFailures = (openedByTest: () => OpenedStore | undefined, failures: SimulatedFailures): void => {
  const opened = (): OpenedStore => {
    const store = openedByTest();
    if (store === undefined) throw new Error('the store is not open');
    return store;
  };

  const find = (address: string): Promise<StoredUser | undefined> =>
    opened().store.users.find(keyOf(addressOf(address)));

  const callsOfUsers = (stored: StoredUser) => {
    const { users, names } = opened().store;
    const { address } = stored.user.email;
    const name = nameOf('outage');
    const reads = {
      find: () => find(address),
      check: () => users.check(),
      ...(names && { 'names.find': () => names.find(name) }),
    };
    const writes = {
      insert: () => users.insert(userOf(`another-${address}`)),
      replace: () => users.replace(stored, { ...stored.user, lastUpdateTime: 9 }),
      remove: () => users.remove(stored),
      reserve: () => users.reserve(keyOf(addressOf(`reserved-${address}`))),
      ...(names && {
        'insert with a name': () => users.insert(userOf(`named-${address}`), { names: [name] }),
        'reserve of a name': () => users.reserve(name),
      }),
    };
    return { reads, writes };
  };

  const callsOfOtherPorts = (user: string, attempts: AttemptCounter | undefined): Calls['all'] => {
    const { listing, search, events } = opened().store;
    const attempt = { user, client: undefined };
    return {
      ...(listing && { list: () => listing.list({ ...everyUser, limit: 5, after: undefined }) }),
      ...(search && {
        sorted: () =>
          search.sorted({
            ...everyUser,
            order: { by: 'creationTime', isDescending: false },
            limit: 5,
            after: undefined,
          }),
        count: () => search.count(everyUser, 5),
      }),
      ...(events && {
        'events.add': () => events.add([{ id: randomUUID(), destination: 'failure', time: 1, body: '{}' }]),
        'events.claim': () => events.claim('failure', 5, { now: 2, until: 3 }),
        'events.pending': () => events.pending('failure', 5),
        'events.list': () => events.list('failure', 5),
        'events.expire': () => events.expire(Date.now(), 5),
      }),
      ...(attempts && {
        'attempts.status': () => attempts.status(attempt),
        'attempts.recordFailure': () => attempts.recordFailure(attempt),
        'attempts.reset': () => attempts.reset(user),
        'attempts.check': () => attempts.check(),
      }),
    };
  };

  failureTests('the database', 'store_unavailable', failures, async (failure) => {
    const address = `before-${failure}@example.com`;
    const stored = written(await opened().store.users.insert(userOf(address)));
    const { reads, writes } = callsOfUsers(stored);
    const limits = { failures: 3, clientFailures: 0, windowMs: 60_000, blockMs: 60_000 };
    const attempts = await opened().store.attempts?.(limits);
    let other: StorePorts | undefined;
    const crowd = Array.from({ length: concurrentReads }, (_, n) => [`find ${n}`, reads.find] as const);
    return {
      all: { ...Object.fromEntries(crowd), ...reads, ...writes, ...callsOfOtherPorts(address, attempts) },
      repeatable: Object.values(reads),
      // As a service does that starts during the failure.
      reopen: async () => {
        other = await opened().reopen?.();
        return () => other?.users.find(keyOf(addressOf(address)));
      },
      dispose: async () => {
        await attempts?.close();
        await other?.users.close();
      },
      values: [address, stored.user.password, stored.version],
    };
  });
};
