import { once } from 'node:events';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import {
  collectionOptions,
  driverOptions,
  MongoConnection,
} from '../../../../../adapters/stores/mongodb/mongodb-connection.ts';
import { MongodbUserStore } from '../../../../../adapters/stores/mongodb/mongodb-user-store.ts';
import { PrimaryConfirmation } from '../../../../../adapters/stores/mongodb/primary-confirmation.ts';
import { UserCollection } from '../../../../../adapters/stores/mongodb/user-collection.ts';
import type { UserRecord } from '../../../../../adapters/stores/mongodb/user-record.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { privateEngine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

const address = 'ada@example.com';

describe('MongoDB: reads after a change of the primary', function () {
  this.timeout(30_000);
  const server = privateEngine('mongodb', {
    // Fail points need test commands.
    adjust: (container) =>
      container.withCommand(['--replSet', 'rs0', '--setParameter', 'enableTestCommands=1', '--quiet']),
  });
  let database: ScratchDatabase;
  let store: MongodbUserStore;
  /** The read concern of each read that was sent, in order; `ok` after a linearizable read that succeeded. */
  let reads: string[];
  let client: MongoClient;

  beforeEach(async () => {
    database = new ScratchDatabase(server().endpoint);
    client = new MongoClient(server().endpoint, { ...driverOptions(5_000), monitorCommands: true });
    reads = [];
    client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find') reads.push(command.readConcern.level);
    });
    client.on('commandSucceeded', ({ commandName }) => {
      if (commandName === 'find' && reads.at(-1) === 'linearizable') reads.push('ok');
    });
    const { databaseName, collectionName } = database;
    const documents = client.db(databaseName).collection<UserRecord>(collectionName, collectionOptions(5_000));
    const primary = new PrimaryConfirmation(client, documents, 5_000);
    store = new MongodbUserStore(
      new UserCollection(new MongoConnection(client, silentContext.log), documents, primary, 5_000),
    );
    await store.insert(userOf(address));
    // Before the first write the store looks at a few documents of the collection.
    reads = [];
  });
  afterEach(async () => {
    await store.close();
    await database.abandon();
  });

  const administer = (command: Record<string, unknown>) => database.client.db('admin').command(command);

  /** Resolves when the driver of the store reports a primary that differs from the last one in a property. */
  const nextPrimary = (changed: 'electionId' | 'setVersion'): Promise<void> =>
    new Promise((resolve) => {
      let former: string | undefined;
      client.on('serverDescriptionChanged', ({ previousDescription, newDescription }) => {
        if (previousDescription.type === 'RSPrimary') former ??= String(previousDescription[changed]);
        if (newDescription.type === 'RSPrimary' && String(newDescription[changed]) !== former) resolve();
      });
    });

  /** Makes the next commands of a name fail or wait. */
  const failNext = (failCommands: readonly string[], data: Record<string, unknown>) =>
    administer({ configureFailPoint: 'failCommand', mode: { times: 1 }, data: { failCommands, ...data } });

  /** Changes the configuration of the replica set, and with it its `setVersion`. */
  const reconfigure = async (change: (config: { members: unknown[] }) => void = () => undefined): Promise<void> => {
    const { config } = await administer({ replSetGetConfig: 1 });
    change(config);
    config.version++;
    await administer({ replSetReconfig: config });
  };

  /** Makes the only member step down, and waits until it was elected again. */
  const elect = async (): Promise<void> => {
    const elected = nextPrimary('electionId');
    await administer({ replSetStepDown: 60, force: true });
    await eventually(() => administer({ replSetFreeze: 0 }), 5_000);
    await elected;
  };

  /** Reads a user, and four times more while the linearizable read is under way; those share a command. */
  const findBeforeAndDuring = async () => {
    const first = find(store, address);
    await once(client, 'commandStarted');
    return Promise.all([first, ...Array.from({ length: 4 }, () => find(store, address))]);
  };

  it('wait for one linearizable read that all of them share', async () => {
    await find(store, address);
    await elect();
    reads.length = 0;
    for (const stored of await findBeforeAndDuring()) expect(stored?.user.email.address).to.equal(address);
    expect(reads.slice(reads.indexOf('ok') - 1)).to.deep.equal(['linearizable', 'ok', 'majority', 'majority']);
    expect(reads.slice(0, reads.indexOf('ok') - 1)).to.not.include('majority');
  });

  it('cost nothing more once the primary is confirmed', async () => {
    await find(store, address);
    reads.length = 0;
    for (let count = 0; count < 3; count++) await find(store, address);
    expect(reads).to.deep.equal(['majority', 'majority', 'majority']);
  });

  it('are unavailable when the primary cannot be confirmed, and confirm it again afterwards', async () => {
    await failNext(['find'], { errorCode: 50 });
    expect(await rejection(find(store, address))).to.include({ code: 'store_unavailable' });
    expect(reads).to.deep.equal(['linearizable']);
    expect((await find(store, address))?.user.email.address).to.equal(address);
    expect(reads).to.deep.equal(['linearizable', 'linearizable', 'ok', 'majority']);
  });

  it('are repeated when the primary changed before the response', async () => {
    await find(store, address);
    reads.length = 0;
    await failNext(['find'], { blockConnection: true, blockTimeMS: 2_000 });
    const found = find(store, address);
    const changed = nextPrimary('setVersion');
    await reconfigure();
    await changed;
    expect((await found)?.user.email.address).to.equal(address);
    expect(reads).to.deep.equal(['majority', 'linearizable', 'ok', 'majority']);
  });

  it('are confirmed after a write that no majority confirmed', async () => {
    const stored = await find(store, address);
    if (stored === undefined) throw new Error('an inserted user is not found');
    await failNext(['update'], { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } });
    expect(await rejection(store.replace(stored, stored.user))).to.include({ code: 'store_unavailable' });
    reads.length = 0;
    await find(store, address);
    await find(store, address);
    expect(reads).to.deep.equal(['linearizable', 'ok', 'majority', 'majority']);
  });

  it('are each confirmed while fewer than a majority of the members answer', async () => {
    const absent = [1, 2].map((_id) => ({ _id, host: `localhost:${_id}`, votes: 0, priority: 0 }));
    const changed = nextPrimary('setVersion');
    await reconfigure(({ members }) => members.push(...absent));
    await changed;
    try {
      reads.length = 0;
      await find(store, address);
      expect(reads).to.deep.equal(['linearizable', 'ok', 'majority']);
      // Those that come while a linearizable read is under way share the next one.
      await findBeforeAndDuring();
      expect(reads.filter((level) => level === 'majority')).to.have.length(3);
      expect(reads.filter((level) => level === 'ok')).to.have.length(3);
    } finally {
      await reconfigure(({ members }) => members.splice(1));
    }
  });
});
