import { expect } from 'chai';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../support/arbitraries.ts';
import { countsBeside } from '../../../../support/attempt-counts.ts';
import { engine } from '../../../../support/engines/index.ts';
import { faultOf } from '../../../../support/outcomes.ts';
import { ScratchDatabase } from './scratch-database.ts';

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

describe('the collection of the counts on MongoDB', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  beforeEach(() => {
    database = new ScratchDatabase(uri());
  });
  afterEach(() => database.dispose());

  const collection = () => database.client.db(database.databaseName).collection('users_throttle');

  it('has a unique index on its keys, and one that empties it, from the first use on', async () => {
    const store = await database.openPorts();
    await store.users.check();
    const names = async () => (await collection().db.listCollections().toArray()).map(({ name }) => name);
    expect(await names()).to.not.include('users_throttle');
    const counts = await countsBeside(store, limits);
    await counts.status(jane);
    const indexes = await collection().indexes();
    expect(indexes.find(({ key }) => 'key' in key)).to.include({ unique: true });
    expect(indexes.find(({ key }) => 'expire' in key)).to.include({ expireAfterSeconds: 0 });
  });

  it('holds neither user nor address in the clear', async () => {
    await (await countsBeside(await database.openPorts(), limits)).recordFailure(jane);
    const documents = await collection().find().toArray();
    expect(documents).to.have.length(2);
    for (const clear of ['jane', 'example.com', '192.0.2.7']) expect(JSON.stringify(documents)).to.not.include(clear);
  });

  it('is unavailable while no server answers', async () => {
    const store = await database.openPorts('mongodb://127.0.0.1:1/', 1_200);
    const counts = await countsBeside(store, limits);
    const asked = [counts.status(jane), counts.recordFailure(jane), counts.reset(jane.user), counts.check()];
    for (const fault of await Promise.all(asked.map(faultOf))) expect(fault).to.include({ code: 'store_unavailable' });
  });
});
