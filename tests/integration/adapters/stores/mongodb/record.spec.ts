import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient, MongoServerSelectionError, ObjectId } from 'mongodb';
import { asProperties } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { mongodb } from '../../../../../adapters/stores/mongodb/index.ts';
import {
  collectionOptions,
  driverOptions,
  MongoConnection,
} from '../../../../../adapters/stores/mongodb/mongodb-connection.ts';
import { MongodbUserSearch } from '../../../../../adapters/stores/mongodb/mongodb-user-search.ts';
import { MongodbUserStore } from '../../../../../adapters/stores/mongodb/mongodb-user-store.ts';
import { PrimaryConfirmation } from '../../../../../adapters/stores/mongodb/primary-confirmation.ts';
import { UserCollection } from '../../../../../adapters/stores/mongodb/user-collection.ts';
import { UserIndexes } from '../../../../../adapters/stores/mongodb/user-indexes.ts';
import type { UserRecord } from '../../../../../adapters/stores/mongodb/user-record.ts';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import type { OrderedPosition } from '../../../../../application/ports/user-search.ts';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { insertUsers } from '../../../../../sdk/contract/listed-users.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { isWritten, rejection, written } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { engine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

describe('the documents and commands of the MongoDB store', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  beforeEach(() => {
    database = new ScratchDatabase(uri());
  });
  afterEach(() => database.dispose());

  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const isUnique = async (): Promise<boolean> =>
    (await database.users.indexes()).some(({ key, unique }) => key.email === 1 && unique === true);

  it('stores a user as a document with its properties as one text', async () => {
    const store = await database.open();
    await store.insert(userOf('Ada@Example.com', { properties: asProperties('{"$a.b":-0}') }));
    const { _id, version, ...fields }: Document = (await database.users.findOne()) ?? {};
    expect(_id).to.equal(version).and.to.match(uuid);
    expect(fields).to.deep.equal({
      email: 'ada@example.com',
      address: 'Ada@Example.com',
      verified: false,
      verificationToken: null,
      password: 'a stored password',
      creationTime: 1_700_000_000_000,
      lastUpdateTime: 1_700_000_000_000,
      properties: '{"$a.b":-0}',
    });
  });

  it('removes the members of optional fields that a user loses, and reads null as their absence', async () => {
    const store = await database.open();
    const { email, ...user } = userOf('ada@example.com');
    const verification = { verified: false, token: 'token', tokenTime: 1 };
    const stored = written(
      await store.insert({ ...user, email: { ...email, verification }, disablement: { since: 2 } }),
    );
    expect(await store.replace(stored, { ...user, email: { ...email, mailTime: 3 } })).to.have.property('version');
    const document = await database.users.findOne();
    expect(document).to.include({ mailTime: 3 }).and.to.not.have.any.keys('tokenTime', 'disabledTime');
    await database.users.updateOne({}, { $set: { tokenTime: null, disabledTime: null } });
    expect((await find(store, 'ada@example.com'))?.user).to.deep.equal({ ...user, email: { ...email, mailTime: 3 } });
  });

  it('reads a document of a former version, without the times of the verification', async () => {
    const store = await database.open();
    const { email, ...user } = userOf('ada@example.com');
    await store.insert({
      ...user,
      email: { ...email, verification: { verified: false, token: 'token', tokenTime: 1 }, mailTime: 2 },
    });
    expect(await database.users.findOne()).to.include({ tokenTime: 1, mailTime: 2 });
    await database.users.updateOne({}, { $unset: { tokenTime: '', mailTime: '' } });
    const stored = await find(store, 'ada@example.com');
    expect(stored?.user).to.deep.equal({
      ...user,
      email: { ...email, verification: { verified: false, token: 'token' } },
    });
  });

  it('keeps the identifier of a document whose user moves', async () => {
    const store = await database.open();
    await store.insert(userOf('here@example.com'));
    const before = await database.users.findOne();
    const stored = await find(store, 'here@example.com');
    if (stored !== undefined) await store.replace(stored, userOf('there@example.com'));
    const after = await database.users.findOne();
    expect(after).to.include({ email: 'there@example.com' });
    expect(after?._id).to.equal(before?._id);
    expect(after?.version).to.match(uuid).and.not.to.equal(before?.version);
  });

  it('creates the unique index at the start', async () => {
    const store = await database.open();
    await store.check();
    expect(await isUnique()).to.equal(true);
  });

  const losses: Readonly<Record<string, () => Promise<unknown>>> = {
    'dropped the collection': () => database.users.drop(),
    'dropped the database': () => database.client.db(database.databaseName).dropDatabase(),
    'dropped the index': () => database.users.dropIndexes(),
    'made the collection again without the index': async () => {
      await database.users.drop();
      await database.client.db(database.databaseName).createCollection(database.collectionName);
    },
  };
  for (const [what, lose] of Object.entries(losses)) {
    it(`inserts no user twice after an administrator ${what}`, async () => {
      const store = await database.open();
      await store.insert(userOf('grace@example.com'));
      await lose();
      const rivals = Array.from({ length: 16 }, () => store.insert(userOf('ada@example.com')));
      const outcomes = await Promise.all(rivals);
      expect(outcomes.filter(isWritten)).to.have.length(1);
      expect(await database.users.countDocuments({ email: 'ada@example.com' })).to.equal(1);
      expect(await isUnique()).to.equal(true);
    });
  }

  it('recovers from a dropped index, because the check creates it', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await database.users.dropIndexes();
    await store.check();
    expect(await isUnique()).to.equal(true);
  });

  it('moves no user to a taken address after the index was dropped', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await store.insert(userOf('grace@example.com'));
    const stored = await find(store, 'grace@example.com');
    await database.users.dropIndexes();
    expect(stored && (await store.replace(stored, userOf('ada@example.com')))).to.deep.equal({
      taken: 'ada@example.com',
    });
    expect(await isUnique()).to.equal(true);
  });

  it('accepts an index that an administrator created under another name', async () => {
    await database.users.createIndex({ email: 1 }, { unique: true, name: 'by-address' });
    const store = await database.open();
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
    expect(await store.insert(userOf('ADA@example.com'))).to.deep.equal({ taken: 'ada@example.com' });
  });

  it('writes nothing without the unique index', async () => {
    await database.users.createIndex({ email: 1 });
    const store = await database.open();
    for (const call of [() => store.insert(userOf('ada@example.com')), () => store.check()])
      expect(await rejection(call())).to.include({ code: 'store_rejected' });
    expect(await database.users.countDocuments()).to.equal(0);
    const { users: readOnly } = await mongodb.open(database.block, { ...silentContext, readOnly: true });
    expect(await rejection(readOnly.check())).to.include({ code: 'store_rejected' });
    await readOnly.close();
  });

  /** Expects that nothing is written, and that the service says why, also where it only reads. */
  const expectRefused = async (store: UserStore, reason: RegExp): Promise<void> => {
    const { users: readOnly } = await mongodb.open(database.block, { ...silentContext, readOnly: true });
    for (const call of [() => store.check(), () => store.insert(userOf('new@example.com')), () => readOnly.check()]) {
      const fault = await rejection(call());
      expect(fault).to.include({ code: 'store_rejected' });
      expect(fault).to.have.property('message').that.matches(reason);
    }
    expect(await database.users.countDocuments({ email: 'new@example.com' })).to.equal(0);
    await readOnly.close();
  };

  it('writes nothing to a collection with a collation, by which the addresses of two users could be the same', async () => {
    const collation = { locale: 'en', numericOrdering: true };
    await database.client.db(database.databaseName).createCollection('users', { collation });
    await expectRefused(await database.open(), /the collection users has a collation, .* rename that to users$/);
  });

  it('writes nothing to a capped collection, in which the server deletes the oldest users', async () => {
    const { databaseName, client } = database;
    const reason = /the collection users is capped, .*; copy them to an ordinary collection, and rename that to users$/;
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    // While the service still creates an index, the server refuses this.
    await eventually(() => client.db(databaseName).command({ convertToCapped: 'users', size: 4096 }), 5_000);
    await expectRefused(store, reason);
    await database.users.createIndex({ email: 1 }, { unique: true });
    await expectRefused(await database.open(), reason);
  });

  it('writes nothing beside an index on the address with a collation, also one that is made under the service', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    const collation = { locale: 'en', strength: 1 };
    await database.users.createIndex({ email: 1 }, { name: 'by_letters', unique: true, collation });
    const reason = /the collection users has an index by_letters with a collation, .* drop that index$/;
    await expectRefused(store, reason);
    await database.users.dropIndex('email_1');
    await expectRefused(await database.open(), reason);
    await database.users.dropIndex('by_letters');
    await store.check();
    expect(await store.insert(userOf('ada@example.com'))).to.deep.equal({ taken: 'ada@example.com' });
  });

  const replaceIndex = async (): Promise<void> => {
    await database.users.dropIndexes();
    await database.users.createIndex({ email: 1 });
  };

  it('writes nothing once a check has found that another index took the place of the unique one', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await replaceIndex();
    for (const call of [() => store.check(), () => store.insert(userOf('ada@example.com'))])
      expect(await rejection(call())).to.include({ code: 'store_rejected' });
    expect(await database.users.countDocuments({ email: 'ada@example.com' })).to.equal(1);
    await database.users.dropIndexes();
    await store.check();
    expect(await store.insert(userOf('ada@example.com'))).to.deep.equal({ taken: 'ada@example.com' });
  });

  it('looks without a check, too, whether the indexes are still unique', async () => {
    const documents = database.client.db(database.databaseName).collection<UserRecord>(database.collectionName);
    const indexes = new UserIndexes(documents, { timeoutMs: 5_000, readOnly: false, keepsNames: false }, 0);
    await indexes.addresses.get();
    await replaceIndex();
    await eventually(async () => {
      expect(await rejection(indexes.required())).to.include({ code: 86 });
    }, 5_000);
  });

  it('says in the first step of a check that the server cannot be reached, so that no other step waits for it', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 100 });
    const documents = client.db(database.databaseName).collection<UserRecord>(database.collectionName);
    const indexes = new UserIndexes(documents, { timeoutMs: 5_000, readOnly: false, keepsNames: false });
    expect(await rejection(indexes.recheck())).to.be.instanceOf(MongoServerSelectionError);
    await client.close();
  });

  it('reports users that share an address', async () => {
    const user = { email: 'ada@example.com', version: 'v' };
    await database.users.insertMany([{ ...user }, { ...user }]);
    const fault = await rejection((await database.open()).check());
    expect(fault).to.include({ code: 'store_rejected' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/share an address/)
      .and.does.not.include('example.com');
  });

  it('refuses a collection of another program, and makes no index that would break its writes', async () => {
    const foreign = { id: 'u1', version: 3, creation_time: 1, update_time: 2, document: '{"password":"secret"}' };
    await database.users.insertOne({ _id: new ObjectId(), address: 'ada@example.com', ...foreign });
    const store = await database.open();
    for (const call of [() => store.insert(userOf('ada@example.com')), () => store.check()]) {
      const fault = await rejection(call());
      expect(fault).to.include({ code: 'store_rejected' });
      expect(fault)
        .to.have.property('message')
        .that.matches(/the documents of the collection users are no users of Latchkey/)
        .and.does.not.match(/example\.com|secret/);
    }
    expect(await isUnique()).to.equal(false);
    await database.users.insertOne({ address: 'kim@example.com', ...foreign });
    expect(await database.users.countDocuments()).to.equal(2);
  });

  it('serves the other users of a collection whose first documents are damaged', async () => {
    const former = await database.open();
    for (let index = 0; index < 7; index++) await former.insert(userOf(`user-${index}@example.com`));
    await database.users.updateMany({ email: { $ne: 'user-6@example.com' } }, { $unset: { version: '' } });
    const store = await database.open();
    expect(await store.check()).to.match(/is read and written/);
    await store.insert(userOf('ada@example.com'));
    expect(await find(store, 'user-6@example.com')).to.not.equal(undefined);
  });

  it('lists every user once, and a document whose address is a list as damaged', async () => {
    const { users: store, listing } = await database.openPorts();
    const names = ['ada', 'bob', 'cid', 'dan', 'eve'].map((name) => `${name}@example.com`);
    for (const name of names) await store.insert(userOf(name));
    await database.users.updateOne(
      { email: 'bob@example.com' },
      { $set: { email: ['bob@example.com', 'dora@example.com'] } },
    );
    for (const conditions of [[], [{ field: 'verified', test: 'equals', value: false }]] as const)
      for (const limit of [1, 2, 100]) {
        const listed: string[] = [];
        const damaged: unknown[] = [];
        for (let after: string | undefined, pages = 0; pages < 20; pages++) {
          const page = await listing?.list({ ...everyUser, conditions, limit, after });
          listed.push(...(page?.users ?? []).map(({ email }) => email.address));
          damaged.push(...(page?.unreadable ?? []).map(({ record }) => record));
          after = page?.next;
          if (after === undefined) break;
          expect(after).to.be.a('string');
        }
        expect(listed, `${limit}`).to.deep.equal(names.filter((name) => !name.startsWith('bob')));
        expect(damaged, `${limit}`).to.deep.equal(['bob@example.com,dora@example.com']);
      }
  });

  it('sorts and counts users between damaged documents, and reports those that have a place in the order', async () => {
    const { users: store, search } = await database.openPorts();
    for (const name of ['ada', 'bea', 'cleo', 'dan', 'eve', 'fay'])
      await store.insert(userOf(`${name}@example.com`, { creationTime: 1_700_000_000_000 }));
    const damage = (name: string, change: object) =>
      database.users.updateOne({ email: `${name}@example.com` }, { $set: change });
    await damage('bea', { creationTime: 'yesterday' });
    await damage('cleo', { creationTime: Number.NaN });
    await damage('dan', { email: ['dan@example.com', 'dora@example.com'] });
    await damage('eve', { password: 4711 });
    const order = { by: 'creationTime', isDescending: false } as const;
    for (const limit of [1, 2, 100]) {
      const [listed, unreadable]: [string[], unknown[]] = [[], []];
      for (let after: OrderedPosition | undefined, pages = 0; pages < 20; pages++) {
        const page = await search?.sorted({ ...everyUser, order, limit, after });
        listed.push(...(page?.users ?? []).map(({ email }) => email.address));
        unreadable.push(...(page?.unreadable ?? []).map(({ record }) => record));
        after = page?.next;
        if (after === undefined) break;
      }
      expect(listed, `${limit}`).to.deep.equal(['ada@example.com', 'fay@example.com']);
      expect(unreadable, `${limit}`).to.deep.equal(['eve@example.com']);
    }
    expect(await search?.count(everyUser, 100)).to.equal(5);
  });

  it('names the unreadable fields of a document, and not their values', async () => {
    const store = await database.open();
    await store.insert(userOf('ada@example.com'));
    await database.users.updateOne({}, { $set: { password: 4711, verified: 'yes' } });
    const fault = await rejection(find(store, 'ada@example.com'));
    expect(fault).to.include({ code: 'store_rejected' });
    expect(fault)
      .to.have.property('message')
      .that.matches(/has no readable verified, password$/);
  });

  it('lists a damaged document as unreadable, also without address and with an email that is no text', async () => {
    const { users: store, listing } = await database.openPorts();
    for (const name of ['ada', 'bea', 'cleo', 'dan']) await store.insert(userOf(`${name}@example.com`));
    const dan = await find(store, 'dan@example.com');
    expect(
      dan && (await store.remove(dan, { events: [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }] })),
    ).to.be.a('string');
    await database.users.updateOne({ email: 'ada@example.com' }, { $unset: { address: 1, password: 1 } });
    await database.users.updateOne({ email: 'bea@example.com' }, { $unset: { email: 1 } });
    for (const email of [7, { a: 1 }]) await database.users.insertOne({ _id: `${email}`, email, version: '' } as never);
    const page = await listing?.list({ ...everyUser, limit: 10, after: undefined });
    expect(page?.users.map(({ email }) => email.address)).to.deep.equal(['cleo@example.com']);
    expect(page?.unreadable).to.have.lengthOf(4);
    const short = await listing?.list({ ...everyUser, limit: 1, after: undefined });
    expect(short?.unreadable).to.have.lengthOf(1);
    const rest = await listing?.list({ ...everyUser, limit: 10, after: short?.next });
    expect(rest?.users).to.have.lengthOf(1);
  });

  describe('the commands', () => {
    const started: CommandStartedEvent[] = [];
    let client: MongoClient;
    let users: UserCollection;
    let store: MongodbUserStore;

    beforeEach(async () => {
      // Options of the connection string that would weaken the guarantees of writes and reads, or hide how many were written.
      const weak = `${uri()}&w=0&journal=false&readConcernLevel=local&readPreference=nearest&promoteValues=false&raw=true`;
      client = new MongoClient(weak, { ...driverOptions(5_000), monitorCommands: true });
      client.on('commandStarted', (event) => started.push(event));
      const { databaseName, collectionName } = database;
      const documents = client.db(databaseName).collection<UserRecord>(collectionName, collectionOptions(5_000));
      const primary = new PrimaryConfirmation(client, documents, 5_000);
      users = new UserCollection(new MongoConnection(client, silentContext.log), documents, primary, 5_000);
      store = new MongodbUserStore(users);
      await users.createIndexes();
      await store.insert(userOf('ada@example.com'));
      // The first read confirms the primary.
      await find(store, 'ada@example.com');
    });
    afterEach(() => store.close());

    /** The commands that a call sends to the server. */
    const sentBy = async (call: () => Promise<unknown>): Promise<readonly CommandStartedEvent[]> => {
      started.length = 0;
      await call();
      return [...started];
    };
    const stored = async () => {
      const found = await find(store, 'ada@example.com');
      if (found === undefined) throw new Error('an inserted user is not found');
      return found;
    };
    const durable = { w: 'majority', j: true, wtimeout: 4_000 };

    it('are few to find one user among many with escapes in an order', async () => {
      const stored = Array.from({ length: 450 }, (_, n) =>
        userOf(`${n}@example.com`, {
          creationTime: 1_700_000_000_000 + n,
          properties: asProperties(JSON.stringify({ note: 'a\nb', n })),
        }),
      );
      await insertUsers(store, stored);
      const order = { by: 'creationTime', isDescending: true } as const;
      const search = new MongodbUserSearch(users);
      const sent = await sentBy(async () => {
        const listing = { ...everyUser, order, property: { name: 'n', value: '7' }, limit: 10, after: undefined };
        expect(await search.sorted(listing)).to.deep.include({ users: [stored[7]], next: undefined });
      });
      expect(sent.filter(({ commandName }) => commandName === 'aggregate')).to.have.lengthOf(2);
      expect(sent.filter(({ commandName }) => commandName === 'find')).to.have.length.below(6);
    });

    it('are one to find a user, from the primary and of a majority', async () => {
      const [sent, ...others] = await sentBy(() => find(store, 'ada@example.com'));
      expect(others).to.have.length(0);
      expect(sent).to.include({ commandName: 'find' });
      expect(sent?.command).to.deep.include({ maxTimeMS: 5_000 });
      expect(sent?.command.readConcern).to.include({ level: 'majority' });
      expect(sent?.command.$readPreference?.mode ?? 'primary').to.be.oneOf(['primary', 'primaryPreferred']);
    });

    it('are one to find several users at the same time, with the same guarantees', async () => {
      const ada = await stored();
      const grace = written(await store.insert(userOf('grace@example.com')));
      const names = ['ada', 'grace', 'nobody', 'ada'].map((name) => `${name}@example.com`);
      const [sent, ...others] = await sentBy(async () => {
        const found = await Promise.all(names.map((name) => find(store, name)));
        expect(found).to.deep.equal([ada, grace, undefined, ada]);
      });
      expect(others).to.have.length(0);
      expect(sent?.command).to.deep.include({ maxTimeMS: 5_000, filter: { email: { $in: names.slice(0, 3) } } });
      expect(sent?.command.readConcern).to.include({ level: 'majority' });
      expect(sent?.command.$readPreference?.mode ?? 'primary').to.be.oneOf(['primary', 'primaryPreferred']);
    });

    it('are one to insert a user, durable on a majority', async () => {
      for (const address of ['grace@example.com', 'ada@example.com']) {
        const [sent, ...others] = await sentBy(() => store.insert(userOf(address)));
        // The second one finds who has the address.
        expect(others.map(({ commandName }) => commandName)).to.deep.equal(address.startsWith('ada') ? ['find'] : []);
        expect(sent?.command).to.deep.include({ update: 'users', writeConcern: durable, maxTimeMS: 5_000 });
      }
    });

    it('are one to insert a user with a name, which needs both indexes, and one to keep it', async () => {
      const names = [idOf('usr_1')];
      const user = written(await store.insert(userOf('first@example.com'), { names }));
      const [sent, ...others] = await sentBy(() =>
        store.insert(userOf('grace@example.com'), { names: [idOf('usr_2')] }),
      );
      expect(others).to.have.length(0);
      expect(sent?.command).to.deep.include({
        update: 'users',
        writeConcern: durable,
        maxTimeMS: 5_000,
        ordered: true,
      });
      expect(sent?.command.updates.map(({ hint }: Document) => hint)).to.deep.equal([{ names: 1 }, { email: 1 }]);
      const [kept, ...further] = await sentBy(() => store.replace(user, user.user, { names }));
      expect(further).to.have.length(0);
      expect(kept?.command.updates.map(({ hint }: Document) => hint)).to.deep.equal([{ email: 1 }]);
    });

    it('are one to find a user by a name, from the primary and of a majority, through the index', async () => {
      const names = [idOf('usr_1')];
      const user = written(await store.insert(userOf('first@example.com'), { names }));
      const [sent, ...others] = await sentBy(async () =>
        expect(await store.findByName(idOf('usr_1'))).to.deep.equal(user),
      );
      expect(others).to.have.length(0);
      expect(sent?.command).to.deep.include({ find: 'users', filter: { names: 'id usr_1' }, maxTimeMS: 5_000 });
      expect(sent?.command.readConcern).to.include({ level: 'majority' });
      const plan = await database.users.find({ names: 'id usr_1' }).explain();
      expect(JSON.stringify(plan.queryPlanner.winningPlan)).to.include('"indexName":"names_1"');
    });

    it('are three for the check: it reads the options and the indexes, and sends one that a majority confirms and that changes nothing', async () => {
      // The first one also marks the collection.
      await store.check();
      const [ofOptions, ofIndexes, sent, ...others] = await sentBy(() => store.check());
      expect(others).to.have.length(0);
      expect(ofOptions?.command).to.deep.include({ listCollections: 1, filter: { name: 'users' } });
      expect(ofIndexes?.command).to.include({ listIndexes: 'users' });
      expect(sent?.command).to.deep.include({
        findAndModify: 'users',
        remove: true,
        hint: { email: 1 },
        writeConcern: { ...durable, wtimeout: 2_000 },
        maxTimeMS: 2_500,
      });
      const oplog = database.client.db('local').collection('oplog.rs');
      const written = () => oplog.countDocuments({ ns: { $regex: `^${database.databaseName}` } });
      const before = await written();
      await store.check();
      expect(await written()).to.equal(before);
    });

    it('are one to replace a user, durable on a majority', async () => {
      const previous = await stored();
      for (const outcome of ['object', 'string']) {
        const [sent, ...others] = await sentBy(async () =>
          expect(typeof (await store.replace(previous, previous.user))).to.equal(outcome),
        );
        expect(others).to.have.length(0);
        expect(sent?.command).to.deep.include({ update: 'users', writeConcern: durable, maxTimeMS: 5_000 });
      }
    });

    it('are one to remove a user, durable on a majority, and a second one for a stale version', async () => {
      const previous = await stored();
      for (const [outcome, further] of [
        ['removed', 0],
        ['stale', 1],
      ] as const) {
        const [sent, ...others] = await sentBy(async () => expect(await store.remove(previous)).to.equal(outcome));
        expect(others).to.have.length(further);
        expect(sent?.command).to.deep.include({ delete: 'users', writeConcern: durable, maxTimeMS: 5_000 });
      }
    });
  });
});
