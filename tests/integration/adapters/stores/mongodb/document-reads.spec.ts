import { expect } from 'chai';
import { BSON } from 'mongodb';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { faultOf, written } from '../../../../../sdk/contract/outcomes.ts';
import { mongodbRecords } from '../../../../reliability/damage/mongodb-records.ts';
import { engine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { find, ScratchDatabase } from './scratch-database.ts';

describe('reads of users in MongoDB at the same time', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  beforeEach(() => {
    database = new ScratchDatabase(uri());
  });
  afterEach(() => database.dispose());

  const insert = async (count: number) => {
    const store = await database.open();
    const names = Array.from({ length: count }, (_, n) => `user-${n}@example.com`);
    const stored = await Promise.all(names.map(async (name) => written(await store.insert(userOf(name)))));
    return { store, names, stored };
  };

  it('find each user, also several times, and no other', async () => {
    const { store, names, stored } = await insert(70);
    const found = await Promise.all([...names, 'nobody@example.com', ...names].map((name) => find(store, name)));
    expect(found).to.deep.equal([...stored, undefined, ...stored]);
  });

  it('find each user where the documents together are larger than a reply, and leave no cursor open', async () => {
    const { store, names, stored } = await insert(30);
    // Written by another program: the service limits users to 350 KiB.
    await database.users.updateMany({}, { $set: { password: 'x'.repeat(900_000) } });
    const found = await Promise.all(names.map((name) => find(store, name)));
    expect(found.map((user) => user?.version)).to.deep.equal(stored.map(({ version }) => version));
    const idle = () =>
      database.client
        .db('admin')
        .aggregate([
          { $currentOp: { idleCursors: true, localOps: true } },
          { $match: { type: 'idleCursor', ns: `${database.databaseName}.users` } },
        ]);
    await eventually(async () => expect(await idle().toArray()).to.have.length(0), 5_000);
  });

  it('fail alone where the text of one user is damaged', async () => {
    const { store, names, stored } = await insert(3);
    const records = await mongodbRecords(uri(), database.databaseName, 'users');
    try {
      await records.damageUser('user-1@example.com', 'password', { kind: 'invalidUtf8', before: 'a', after: 'b' });
    } finally {
      await records.close();
    }
    const [first, second, third] = names.map((name) => find(store, name));
    const fault = faultOf(Promise.resolve(second));
    expect(await Promise.all([first, third])).to.deep.equal([stored[0], stored[2]]);
    expect(await fault).to.include({ code: 'store_rejected' });
  });

  it('fail alone where one user has a value that the driver cannot decode', async () => {
    const { store, names, stored } = await insert(3);
    const regExp = new BSON.BSONRegExp('(?<a/');
    await database.users.updateOne({ email: names[1] }, { $set: { password: regExp } });
    const [first, second, third] = names.map((name) => find(store, name));
    const fault = faultOf(Promise.resolve(second));
    expect(await Promise.all([first, third])).to.deep.equal([stored[0], stored[2]]);
    expect(await fault).to.include({ code: 'store_rejected', record: names[1] });
  });

  it('find a user beside one that is stored twice, as without the unique index', async () => {
    const { store, names, stored } = await insert(2);
    await database.users.dropIndexes();
    const copy = await database.users.findOne({ email: names[0] }, { projection: { _id: 0 } });
    const other = await database.users.findOneAndDelete({ email: names[1] });
    // In this order, in which a reply with two documents has only one of the users.
    await database.users.insertMany([{ ...copy }, { ...other }]);
    const found = await Promise.all(names.map((name) => find(store, name)));
    expect(found).to.deep.equal(stored);
  });

  it('fail alone where the address of one user is damaged', async () => {
    const { store, names, stored } = await insert(3);
    await database.users.updateOne({ email: names[1] }, { $set: { email: [names[1], 'other@example.com'] } });
    const alone = await find(store, names[1] ?? '');
    const found = await Promise.all([...names, 'other@example.com'].map((name) => find(store, name).catch(String)));
    expect([found[0], found[2]]).to.deep.equal([stored[0], stored[2]]);
    expect(found[1]).to.deep.equal(alone);
    expect(found[3]).to.match(/has no readable address/);
  });
});
