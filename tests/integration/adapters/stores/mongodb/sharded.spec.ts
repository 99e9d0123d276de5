import { expect } from 'chai';
import type { MongoClient } from 'mongodb';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { countersOf } from '../../../../support/attempt-counters.ts';
import { engine } from '../../../../support/engines/index.ts';
import { MongosProxy } from '../../../../support/mongos-proxy.ts';
import { ScratchDatabase } from './scratch-database.ts';

/** `sh.shardCollection(namespace, key, true)` */
const shard = (client: MongoClient, namespace: string, key: Readonly<Record<string, unknown>>, unique = true) =>
  client.db('admin').command({ shardCollection: namespace, key, unique });

describe('MongoDB, sharded by address, behind a stand-in for mongos', () => {
  const uri = engine('mongodb');
  let proxy: MongosProxy;

  before(async () => {
    proxy = await MongosProxy.to(uri());
  });
  after(() => proxy?.close());

  /** A database with a new collection of users, and one of counters, both sharded. */
  const shardedDatabase = async (): Promise<ScratchDatabase> => {
    const database = new ScratchDatabase(proxy.uri);
    const { client, databaseName, collectionName } = database;
    await shard(client, `${databaseName}.${collectionName}`, { email: 1 });
    await shard(client, `${databaseName}.${collectionName}_throttle`, { key: 1 });
    return database;
  };

  const open = async () => {
    const database = await shardedDatabase();
    return { store: await database.openPorts(), dispose: () => database.dispose() };
  };

  userStoreContract('mongodb, sharded', open);
  userListingContract('mongodb, sharded', open);
  eventOutboxContract('mongodb, sharded', open);
  attemptCounterContract('mongodb, sharded', async (limits) => {
    const database = await shardedDatabase();
    const { one, other } = await countersOf([await database.openPorts(), await database.openPorts()], limits);
    return { one, other, dispose: () => database.dispose() };
  });

  describe('the contracts', () => {
    it('moved users between shards, and sent each change of one document to one shard', () => {
      expect(proxy.moves).to.be.above(0);
      expect(proxy.broadcasts).to.deep.equal([]);
    });
  });
});
