import { expect } from 'chai';
import type { MongoClient } from 'mongodb';
import { Fault } from '../../../../../application/fault.ts';
import type { ClaimedEvent, EventOutbox } from '../../../../../application/ports/event-outbox.ts';
import type { StoredUser, UserStore } from '../../../../../application/ports/user-store.ts';
import { SettlingStore } from '../../../../../application/writing/settling-store.ts';
import type { User } from '../../../../../domain/user.ts';
import type { UserName } from '../../../../../domain/user-name.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { rejection, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { counterOf, countersOf } from '../../../../support/attempt-counters.ts';
import { shardedCluster } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { MongosProxy } from '../../../../support/mongos-proxy.ts';
import { readNames } from '../../../../support/names/mongodb.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

/** `sh.shardCollection(namespace, key, true)` */
const shard = (client: MongoClient, namespace: string, key: Readonly<Record<string, unknown>>, unique = true) =>
  client.db('admin').command({ shardCollection: namespace, key, unique });

const inserted = async (store: UserStore, address: string): Promise<StoredUser> => {
  await store.insert(userOf(address));
  const stored = await find(store, address);
  if (stored === undefined) throw new Error('an inserted user is not found');
  return stored;
};

const movedTo = ({ user }: StoredUser, address: string): User => ({
  ...user,
  email: { ...user.email, address: addressOf(address) },
});

/** What may happen to a claimed event, and whether it did. */
const deliveries: Readonly<Record<string, (queue: EventOutbox, event: ClaimedEvent) => Promise<boolean>>> = {
  removed: async (queue, event) => {
    await queue.done(event);
    return (await queue.pending(event.destination, 10)) === 0;
  },
  postponed: async (queue, event) => {
    await queue.postpone(event, 3);
    return (await queue.claim(event.destination, 10, { now: 3, until: 4 })).length === 1;
  },
};

describe('MongoDB, sharded by address, on real shards behind a stand-in for mongos', function () {
  // Every write goes through three processes and to the journals of two shards.
  this.timeout(90_000);
  const cluster = shardedCluster();
  let proxy: MongosProxy;

  before(async () => {
    proxy = await MongosProxy.to(cluster());
  });
  after(() => proxy?.close());

  /** A database with a new collection of users, and one of counters, both sharded. */
  const shardedDatabase = async (order: 1 | 'hashed' = 1, keepsNames = false): Promise<ScratchDatabase> => {
    const database = new ScratchDatabase(proxy.uri, keepsNames);
    const { client, databaseName, collectionName } = database;
    // MongoDB declares no hashed index unique; the store creates another one.
    await shard(client, `${databaseName}.${collectionName}`, { email: order }, order === 1);
    await shard(client, `${databaseName}.${collectionName}_throttle`, { key: order }, order === 1);
    return database;
  };

  for (const order of [1, 'hashed'] as const) {
    const name = `mongodb, sharded by { email: ${order} }`;
    const open = async () => {
      const database = await shardedDatabase(order, true);
      return { store: await database.openPorts(), dispose: () => database.dispose() };
    };
    // The stand-in for mongos connects to the shards in this process.
    userStoreContract(name, open, { movesInOneStep: false, countsConnections: false });
    userListingContract(name, open);
    eventOutboxContract(name, open, 'partial');
  }

  attemptCounterContract('mongodb, sharded by { key: 1 }', async (limits) => {
    const database = await shardedDatabase();
    const { one, other } = await countersOf([await database.openPorts(), await database.openPorts()], limits);
    return { one, other, dispose: () => database.dispose() };
  });

  describe('a change of address', () => {
    it('moved users between shards in the contracts, and no change of one document went to all shards', () => {
      expect(proxy.moves).to.be.above(0);
      expect(proxy.broadcasts).to.deep.equal([]);
    });

    it('is unavailable when its reply is lost, because mongos cannot repeat it, and may have been applied', async () => {
      const database = await shardedDatabase();
      const link = await TcpProxy.to('127.0.0.1', Number(new URL(proxy.uri).port));
      try {
        const store = await database.open(`mongodb://127.0.0.1:${link.port}/`);
        const { moves } = proxy;
        // A shard may still hold a lock of the new collection and abort the transaction: what is lost then is a refusal.
        for (let attempt = 1; proxy.moves === moves; attempt++) {
          const [from, to] = [`lost-${attempt}@example.com`, `back-${attempt}@example.com`];
          const stored = await inserted(store, from);
          const lost = link.loseReply((request) => request.includes(to));
          const fault = await rejection(store.replace(stored, movedTo(stored, to)));
          await lost;
          expect(fault).to.include({ code: 'store_unavailable' });
          expect(fault)
            .to.have.property('message')
            .that.matches(/may have been applied \(\w+ 217\)$/);
          const isMoved = proxy.moves > moves;
          expect((await find(store, from))?.user).to.deep.equal(isMoved ? undefined : stored.user);
          expect((await find(store, to))?.user).to.deep.equal(isMoved ? movedTo(stored, to) : undefined);
        }
      } finally {
        await database.dispose();
        await link.close();
      }
    });

    for (const [what, act] of Object.entries(deliveries)) {
      it(`between the claim of an event and its end keeps nothing from being ${what}`, async () => {
        const database = await shardedDatabase();
        try {
          const { users: store, events: queue } = await database.openPorts();
          if (queue === undefined) throw new Error('the store cannot store events');
          await store.insert(userOf('ada@example.com'), {
            events: [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }],
          });
          const [claimed] = await queue.claim('receiver', 10, { now: 2, until: 1_000 });
          const stored = await find(store, 'ada@example.com');
          if (claimed === undefined || stored === undefined) throw new Error('a user or its event is not found');
          expect(await store.replace(stored, movedTo(stored, 'lovelace@example.com'))).to.have.property('version');
          expect(await act(queue, claimed)).to.deep.equal(true);
        } finally {
          await database.dispose();
        }
      });
    }

    it('is refused with retryWrites=false; the check reports it, and other changes are made', async () => {
      const database = await shardedDatabase();
      try {
        const store = await database.open(`${proxy.uri}?retryWrites=false`);
        const stored = await inserted(store, 'ada@example.com');
        expect(await store.replace(stored, { ...stored.user, password: 'another' })).to.have.property('version');
        const next = await find(store, 'ada@example.com');
        if (next === undefined) throw new Error('a replaced user is not found');
        const fault = await rejection(store.replace(next, movedTo(next, 'back@example.com')));
        expect(fault).to.include({ code: 'store_rejected' });
        expect(fault)
          .to.have.property('message')
          .that.matches(/needs them to change an address, got retryWrites=false/);
        expect(await rejection(store.check())).to.include({
          code: 'store_rejected',
          message: `database ${database.databaseName}: users is sharded by email, and no address can be changed, because retryWrites is false`,
        });
      } finally {
        await database.dispose();
      }
    });
  });

  describe('a chunk that moves', () => {
    const toBack = { email: 'b' };

    it('leaves a copy for a while, which keeps a user from going back, and nothing else', async () => {
      const database = await shardedDatabase();
      const { databaseName } = database;
      await cluster().keepCopies(900);
      try {
        const store = await database.open();
        const stored = await inserted(store, 'back@example.com');
        await cluster().moveChunk(`${databaseName}.users`, toBack, 1);
        const fault = await rejection(store.replace(stored, movedTo(stored, 'user-0@example.com')));
        expect(fault).to.include({ code: 'store_unavailable' });
        expect(fault)
          .to.have.property('message')
          .that.matches(/has not yet deleted its old copy/);
        expect(await find(store, 'back@example.com')).to.deep.equal(stored);
        expect(await store.replace(stored, movedTo(stored, 'user-1@example.com'))).to.have.property('version');
      } finally {
        await cluster().keepCopies(0);
        await database.dispose();
      }
    });

    it('while users change loses none of them, and is no reason for a refusal', async () => {
      const database = await shardedDatabase();
      const namespace = `${database.databaseName}.users`;
      await cluster().keepCopies(0);
      try {
        const { users: store, events: queue } = await database.openPorts();
        let isMoving = true;
        const outcomes = new Map<string, number>();
        /** Changes one user until the last chunk has moved. */
        const change = async (n: number): Promise<void> => {
          const addresses = [`back-${n}@example.com`, `user-${n}@example.com`];
          const read = async () =>
            (await Promise.all(addresses.map((address) => find(store, address)))).filter((it) => it);
          let stored = await inserted(store, addresses[0] ?? '');
          for (let round = 0; isMoving; round++) {
            const address = addresses[round % 2] ?? '';
            const next = { ...movedTo(stored, address), password: `password ${round}` };
            const event = { id: `${n} ${round}`, destination: 'receiver', time: 1, body: '{}' };
            const outcome = await store.replace(stored, next, { events: [event] }).catch((error: unknown) => error);
            const isFault = outcome instanceof Fault;
            const what = isFault
              ? `${outcome.code}: ${outcome.message.replace(/^.*: /, '')}`
              : typeof outcome === 'object'
                ? 'replaced'
                : String(outcome);
            outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
            const found = await read();
            expect(found, `the user after ${what}`).to.have.length(1);
            const [user] = found;
            if (user === undefined) throw new Error('the user is lost');
            if (!isFault) expect(user.user).to.deep.equal(next);
            stored = user;
          }
        };
        const workers = Promise.all(Array.from({ length: 6 }, (_, n) => change(n)));
        await eventually(async () => expect(outcomes.get('replaced')).to.be.above(20), 20_000);
        try {
          // A move may be interrupted; the balancer repeats it too.
          for (const to of [1, 0, 1, 0]) await eventually(() => cluster().moveChunk(namespace, toBack, to), 20_000);
        } finally {
          isMoving = false;
        }
        await workers;
        expect(outcomes.get('replaced')).to.be.above(0);
        expect([...outcomes.keys()].filter((what) => !/^(replaced|store_unavailable)/.test(what))).to.deep.equal([]);
        expect(await queue?.pending('receiver', 100_000)).to.be.at.least(outcomes.get('replaced') ?? 0);
      } finally {
        await database.dispose();
      }
    });
  });

  describe('a name that a former version has left without its user', () => {
    const id = idOf('usr_1');
    const confirmed = { writeConcern: { w: 'majority' } } as const;
    const remove = (database: ScratchDatabase) => database.users.deleteOne({ email: 'a@example.com' }, confirmed);
    const rewrite = (database: ScratchDatabase) =>
      database.users.updateOne({ email: 'a@example.com' }, { $unset: { names: true } }, confirmed);

    for (const [how, leave] of Object.entries({ removal: remove, change: rewrite }))
      it(`by a ${how} is that of no user, can be reserved, and is taken by another user`, async () => {
        const database = await shardedDatabase(1, true);
        try {
          const ports = await database.openPorts();
          await ports.users.insert(userOf('a@example.com'), { names: [id] });
          await leave(database);
          expect(await ports.names?.find(id)).to.equal(undefined);
          const users = new SettlingStore(ports);
          const user = written(await users.insert(userOf('user-1@example.com'), [], performance.now()));
          const next = written(await users.replace(user, user.user, [], performance.now(), [id]));
          expect(await ports.names?.find(id)).to.deep.equal(next);
          expect(await ports.users.reserve(id)).to.equal('taken');
          await database.users.deleteOne({ email: 'user-1@example.com' }, confirmed);
          const reservation = reserved(await ports.users.reserve(id));
          expect(await ports.users.insert(userOf('b@example.com'), { names: [id] })).to.deep.equal({
            taken: id,
            reservation,
          });
        } finally {
          await database.dispose();
        }
      });

    it('by a change of the address stays taken, because the user still has it', async () => {
      const database = await shardedDatabase(1, true);
      try {
        const { users, names } = await database.openPorts();
        const ada = written(await users.insert(userOf('a@example.com'), { names: [id] }));
        const { _id, ...others } = (await database.users.findOne({ email: 'a@example.com' })) ?? {};
        await remove(database);
        await database.users.insertOne(
          { ...others, email: 'user-1@example.com', address: 'user-1@example.com' },
          confirmed,
        );
        expect(await names?.find(id)).to.equal(undefined);
        expect(await users.insert(userOf('b@example.com'), { names: [id] })).to.deep.equal({ taken: id });
        expect(ada.names).to.deep.equal([id]);
      } finally {
        await database.dispose();
      }
    });
  });

  it('reads a name that no user has as often as one that a user has, where unknown users are hidden', async () => {
    const database = await shardedDatabase(1, true);
    try {
      const { names, users } = await database.openPorts(undefined, undefined, undefined, true);
      await users.insert(userOf('a@example.com'), { names: [idOf('usr_1')] });
      const reads = async (name: UserName): Promise<number> => {
        await names?.find(name);
        const before = proxy.reads;
        await names?.find(name);
        return proxy.reads - before;
      };
      expect(await reads(idOf('usr_1'))).to.equal(2);
      expect(await reads(idOf('usr_2'))).to.equal(2);
    } finally {
      await database.dispose();
    }
  });

  describe('the check', () => {
    const limits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };

    it('says which collections are sharded, and by what', async () => {
      const database = await shardedDatabase();
      try {
        const store = await database.openPorts();
        expect(await store.users.check()).to.match(/ is read and written; users is sharded by email$/);
        const counter = await counterOf(store, limits);
        expect(await counter.check()).to.match(/ users_throttle; users_throttle is sharded by key$/);
      } finally {
        await database.dispose();
      }
    });

    it('says that names are in a collection of their own, where they are', async () => {
      const database = await shardedDatabase(1, true);
      try {
        const { users: store, names } = await database.openPorts();
        expect(await store.check()).to.match(
          /; users is sharded by email; names are in users-names, written in transactions$/,
        );
        const [id, other, free] = [idOf('usr_1'), idOf('usr_2'), idOf('usr_3')];
        const ada = written(await store.insert(userOf('a@example.com'), { names: [id] }));
        const bea = written(await store.insert(userOf('b@example.com'), { names: [other] }));
        const moved = movedTo(ada, 'user-1@example.com');
        expect(await store.replace(ada, moved, { names: [id, other] })).to.deep.equal({ taken: other });
        const stored = written(await store.replace(ada, moved, { names: [id] }));
        expect(await store.remove(bea)).to.equal('removed');
        await store.reserve(free);
        expect(await names?.find(id)).to.deep.equal(stored);
        expect(await readNames(database.client.db(database.databaseName), 'users')).to.deep.equal({
          users: new Map([['user-1@example.com', [id]]]),
          entries: new Map([
            [id, 'user-1@example.com'],
            [free, undefined],
          ]),
        });
      } finally {
        await database.dispose();
      }
    });

    it('writes no names to a collection of names with a collation', async () => {
      const database = await shardedDatabase(1, true);
      try {
        const collation = { locale: 'en', numericOrdering: true };
        await database.client.db(database.databaseName).createCollection('users-names', { collation });
        const store = await database.open();
        const written = store.insert(userOf('a@example.com'), { names: [idOf('usr_1')] });
        for (const fault of await Promise.all([store.check(), written].map(rejection)))
          expect(fault)
            .to.have.property('message')
            .that.matches(/the collection users-names has a collation/);
      } finally {
        await database.dispose();
      }
    });

    it('says that a collection is not sharded until an administrator shards it; the users stay', async () => {
      const database = new ScratchDatabase(proxy.uri);
      try {
        const store = await database.openPorts();
        const stored = await inserted(store.users, 'ada@example.com');
        expect(await store.users.check()).to.match(/ is read and written; users is not sharded$/);
        const counter = await counterOf(store, limits);
        expect(await counter.check()).to.match(/ users_throttle; users_throttle is not sharded$/);
        await shard(database.client, `${database.databaseName}.users`, { email: 1 });
        expect(await (await database.open()).check()).to.match(/; users is sharded by email$/);
        expect(await find(store.users, 'ada@example.com')).to.deep.equal(stored);
        expect(await store.users.replace(stored, movedTo(stored, 'b@example.com'))).to.have.property('version');
      } finally {
        await database.dispose();
      }
    });

    it('does not know whether a collection is sharded with a user that may not run collStats', async () => {
      const database = await shardedDatabase();
      proxy.forbidden.add('collStats');
      try {
        const line = await (await database.open()).check();
        expect(line).to.match(/ is read and written; whether users is sharded is unknown, because collStats failed$/);
      } finally {
        proxy.forbidden.clear();
        await database.dispose();
      }
    });

    it('refuses the index that a collection gets when it is sharded without unique', async () => {
      const database = new ScratchDatabase(proxy.uri);
      try {
        await shard(database.client, `${database.databaseName}.users`, { email: 1 }, false);
        const fault = await rejection((await database.open()).check());
        expect(fault).to.include({ code: 'store_rejected' });
        expect(fault)
          .to.have.property('message')
          .that.matches(/not the required unique index/);
      } finally {
        await database.dispose();
      }
    });

    for (const key of [{ _id: 1 }, { _id: 'hashed' }, { version: 1 }]) {
      it(`refuses a collection that is sharded by ${JSON.stringify(key)}, and nothing is written`, async () => {
        const database = new ScratchDatabase(proxy.uri);
        try {
          await shard(database.client, `${database.databaseName}.users`, key, false);
          const store = await database.open();
          for (const fault of await Promise.all(
            [store.check(), store.insert(userOf('a@example.com'))].map(rejection),
          )) {
            expect(fault).to.include({ code: 'store_rejected' });
            expect(fault)
              .to.have.property('message')
              .that.matches(/sharded by another field than .*email for users/);
          }
          expect(await database.users.countDocuments()).to.equal(0);
        } finally {
          await database.dispose();
        }
      });
    }
  });
});
