import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { inMemoryAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import { openAttemptCounter } from '../../../../adapters/stores/sqlite/sqlite-attempt-counter.ts';
import type { AttemptLimits } from '../../../../application/ports/attempt-counter.ts';
import { isTaken, type StorePorts, type UserStore } from '../../../../application/ports/user-store.ts';
import { isUserName } from '../../../../domain/user-name.ts';
import { userOf } from '../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract, type OpenedAttempts } from '../../../../sdk/contract/attempt-counter.ts';
import { eventOutboxContract } from '../../../../sdk/contract/event-outbox.ts';
import { keepOpen } from '../../../../sdk/contract/http/keep-open.ts';
import { InMemoryUserStore } from '../../../../sdk/contract/in-memory-user-store.ts';
import type { OpenedStore } from '../../../../sdk/contract/opened-store.ts';
import { userListingContract } from '../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../sdk/contract/user-store.ts';
import { TemporaryDatabase } from '../../adapters/stores/sqlite/temporary-database.ts';
import { altered } from './altered-port.ts';
import { attemptMistakes } from './attempt-mistakes.ts';
import { eventMistakes } from './event-mistakes.ts';
import { failureMistakes } from './failure-mistakes.ts';
import { listingMistakes } from './listing-mistakes.ts';
import { nameMistakes } from './name-mistakes.ts';
import { RemoteAdapter, remotePorts, SimulatedServer } from './remote-store.ts';
import { reservationMistakes } from './reservation-mistakes.ts';
import { searchMistakes } from './search-mistakes.ts';
import { runSuite } from './suite-run.ts';
import { userMistakes } from './user-mistakes.ts';

/** Stores that are right. */
interface RightStores {
  /** Empties the store; the ports stay open when they are closed. */
  open(): Promise<StorePorts>;
  openAttempts(limits: AttemptLimits): Promise<OpenedAttempts>;
  dispose(): Promise<void>;
}

const inMemory = (): RightStores => ({
  open: async () => new InMemoryUserStore().ports,
  openAttempts: async (limits) => {
    const counter = inMemoryAttempts(limits);
    let failures = 0;
    const recordFailure: typeof counter.recordFailure = (attempt) => {
      failures++;
      return counter.recordFailure(attempt);
    };
    const one = altered(counter, { recordFailure });
    return { one, other: one, stored: async () => `${failures} digests`, dispose: () => counter.close() };
  },
  dispose: async () => {},
});

/** One file for all, because starting a writer takes long. */
const onSqlite = async (): Promise<RightStores> => {
  const database = await TemporaryDatabase.create();
  const store = await database.openPorts();
  await store.users.check();
  return {
    open: async () => {
      // After the writes of the former suite.
      await store.users.check();
      const file = new Database(database.path);
      file.exec('DELETE FROM users; DELETE FROM entries; DELETE FROM events');
      file.close();
      return keepOpen(store);
    },
    openAttempts: async (limits) => {
      const path = `${database.path}-${randomUUID()}`;
      const [one, other] = [openAttemptCounter(path, limits), openAttemptCounter(path, limits)];
      const stored = async () => {
        const file = new Database(`${path}-throttle`);
        const rows = file.prepare('SELECT * FROM failed_attempts').all();
        file.close();
        return JSON.stringify(rows);
      };
      return { one, other, stored, dispose: () => Promise.all([one.close(), other.close()]).then(() => undefined) };
    },
    dispose: () => database.dispose(),
  };
};

const maxRuns = 3;

const databases = { memory: async () => inMemory(), SQLite: onSqlite };

for (const [database, openDatabase] of Object.entries(databases))
  describe(`the suites for authors of adapters, on ${database}`, function () {
    this.timeout(20_000);
    let right: RightStores;
    before(async () => {
      right = await openDatabase();
    });
    after(() => right.dispose());

    /** Expects that the tests with a title pass, and that one of them fails with a mistake. */
    const finds = (mistake: string, foundBy: string, suite: (isMade: boolean) => void): Mocha.Test =>
      it(`find ${mistake}`, async () => {
        const control = await runSuite(() => suite(false), foundBy, 10_000);
        expect([...control.failed], 'without the mistake').to.deep.equal([]);
        expect(control.passed, 'the tests that find it').to.not.be.empty;
        // Some tests wait for what never happens with the mistake. Some mistakes are races, which a busy machine can hide.
        let found = 0;
        for (let run = 0; run < maxRuns && found === 0; run++)
          found = (await runSuite(() => suite(true), foundBy, 1_000)).failed.size;
        expect(found, 'the failed tests').to.be.at.least(1);
      });

    const opened =
      (alter: (ports: StorePorts) => StorePorts | Promise<StorePorts>) => async (): Promise<OpenedStore> => {
        const ports = await right.open();
        // A test that has failed may go on in the background, and must not write into the next one.
        const users = Proxy.revocable(ports.users, {});
        const reopen = async () => alter({ ...ports, users: altered(users.proxy, {}) });
        return { store: await reopen(), reopen, dispose: async () => users.revoke() };
      };
    const asItIs = (ports: StorePorts): StorePorts => ports;

    describe('of users', () => {
      for (const [mistake, [foundBy, methods]] of Object.entries(userMistakes)) {
        const alter = (ports: StorePorts) => ({ ...ports, users: altered(ports.users, methods(ports.users)) });
        finds(mistake, foundBy, (isMade) => userStoreContract('', opened(isMade ? alter : asItIs)));
      }

      for (const [mistake, [foundBy, adapter]] of Object.entries(failureMistakes))
        finds(mistake, foundBy, (isMade) => {
          const server = new SimulatedServer();
          const remote = isMade ? adapter() : new RemoteAdapter();
          const alter = async (ports: StorePorts) => {
            await remote.open(server);
            return remotePorts(ports, server, remote);
          };
          userStoreContract('', opened(alter), { failures: server.failures });
        });
    });

    describe('of names and reservations', () => {
      for (const [mistake, [foundBy, methods]] of Object.entries({ ...nameMistakes, ...reservationMistakes })) {
        const alter = (ports: StorePorts): StorePorts => {
          const { users: right, names } = ports;
          if (names === undefined) return ports;
          const altering = methods({ users: right, names });
          return {
            ...ports,
            users: altered(right, altering.users ?? {}),
            names: altered(names, altering.names ?? {}),
          };
        };
        finds(mistake, foundBy, (isMade) => userStoreContract('', opened(isMade ? alter : asItIs)));
      }
    });

    describe('of a store that is closed', () => {
      const leaks: (() => void)[] = [];
      after(() => {
        for (const end of leaks) end();
      });
      const title = 'ends its connections, threads and timers';

      finds('a connection that stays open', title, (isMade) =>
        userStoreContract('', async () => {
          const server = createServer().listen(0, '127.0.0.1');
          await once(server, 'listening');
          const accepted: Socket[] = [];
          server.on('connection', (socket) => accepted.push(socket));
          const address = server.address();
          const socket = createConnection(Object(address).port, '127.0.0.1');
          await once(socket, 'connect');
          leaks.push(() => {
            for (const one of [socket, ...accepted]) one.destroy();
            server.close();
          });
          const ports = await right.open();
          const close = async () => void (isMade || leaks.at(-1)?.());
          return { store: { ...ports, users: altered(ports.users, { close }) }, dispose: async () => {} };
        }),
      );

      finds('a timer that goes on', title, (isMade) =>
        userStoreContract('', async () => {
          const timer = setInterval(() => {}, 1_000);
          leaks.push(() => clearInterval(timer));
          const ports = await right.open();
          const close = async () => void (isMade || clearInterval(timer));
          return { store: { ...ports, users: altered(ports.users, { close }) }, dispose: async () => {} };
        }),
      );

      finds('a thread that goes on', title, (isMade) =>
        userStoreContract('', async () => {
          const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
          leaks.push(() => void thread.terminate());
          const ports = await right.open();
          const close = async () => void (isMade || (await thread.terminate()));
          return { store: { ...ports, users: altered(ports.users, { close }) }, dispose: async () => {} };
        }),
      );
    });

    describe('of a listing', () => {
      for (const [mistake, [foundBy, list]] of Object.entries(listingMistakes)) {
        const alter = (ports: StorePorts): StorePorts =>
          ports.listing === undefined
            ? ports
            : { ...ports, listing: altered(ports.listing, { list: list(ports.listing) }) };
        finds(mistake, foundBy, (isMade) => userListingContract('', opened(isMade ? alter : asItIs)));
      }

      finds('a reservation that is listed', 'lists nothing that only reserves an address', (isMade) =>
        userListingContract(
          '',
          opened((ports) => {
            const reserve: UserStore['reserve'] = async (key) => {
              if (isUserName(key)) return ports.users.reserve(key);
              const stored = await ports.users.insert(userOf(key, { password: 'reserved' }));
              return isTaken(stored) ? 'taken' : { key, version: stored.version };
            };
            return isMade ? { ...ports, users: altered(ports.users, { reserve }) } : ports;
          }),
        ),
      );

      finds('a check that leaves a user', 'lists no user whom a check has left behind', (isMade) =>
        userListingContract(
          '',
          opened((ports) => {
            const check = async () => {
              await ports.users.insert(userOf('health-check@example.com'));
              return 'users can be written';
            };
            return isMade ? { ...ports, users: altered(ports.users, { check }) } : ports;
          }),
        ),
      );
    });

    describe('of a search', () => {
      for (const [mistake, [foundBy, methods]] of Object.entries(searchMistakes)) {
        const alter = (ports: StorePorts): StorePorts =>
          ports.search === undefined ? ports : { ...ports, search: altered(ports.search, methods(ports.search)) };
        finds(mistake, foundBy, (isMade) => userSearchContract('', opened(isMade ? alter : asItIs)));
      }
    });

    describe('of an outbox', () => {
      for (const [mistake, [foundBy, methods]] of Object.entries(eventMistakes)) {
        const alter = (ports: StorePorts): StorePorts => {
          if (ports.events === undefined) return ports;
          const { users = {}, events = {} } = methods(ports.users, ports.events);
          return { ...ports, users: altered(ports.users, users), events: altered(ports.events, events) };
        };
        finds(mistake, foundBy, (isMade) => eventOutboxContract('', opened(isMade ? alter : asItIs)));
      }
    });

    describe('of a counter of attempts', () => {
      for (const [mistake, [foundBy, alter]] of Object.entries(attemptMistakes)) {
        const open = (limits: AttemptLimits) => right.openAttempts(limits);
        finds(mistake, foundBy, (isMade) => attemptCounterContract('', isMade ? alter(open) : open));
      }
    });

    it('report an adapter that cannot be opened as it failed, and nothing else', async () => {
      const refuse = () => Promise.reject(new Error('no such host'));
      for (const contract of [userStoreContract, userListingContract, userSearchContract, eventOutboxContract]) {
        const { failed } = await runSuite(() => contract('', refuse), '', 1_000);
        expect([...failed.values()]).to.deep.equal(['Error: no such host']);
      }
    });
  });
