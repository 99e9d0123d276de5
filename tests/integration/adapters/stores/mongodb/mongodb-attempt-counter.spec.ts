import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { BSON, type Document } from 'mongodb';
import { LoginThrottle } from '../../../../../application/passwords/login-throttle.ts';
import type { Attempt, AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import {
  counterOf,
  countersOf,
  expectNoFreeGuesses,
  expectSignUpsAfter,
} from '../../../../support/attempt-counters.ts';
import { engine } from '../../../../support/engines/index.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('the attempt counter on MongoDB', () => {
  const uri = engine('mongodb');

  attemptCounterContract('mongodb', async (limits) => {
    const database = new ScratchDatabase(uri());
    const { one, other } = await countersOf([await database.openPorts(), await database.openPorts()], limits);
    const stored = async () =>
      JSON.stringify(await database.client.db(database.databaseName).collection('users_throttle').find().toArray());
    return { one, other, stored, dispose: () => database.dispose() };
  });
});

const limits: AttemptLimits = { failures: 3, clientFailures: 5, windowMs: 600_000, blockMs: 600_000 };
const jane: Attempt = { user: keyOf(addressOf('jane@example.com')), client: '192.0.2.7' };

describe('the collection of the attempt counter on MongoDB', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  beforeEach(() => {
    database = new ScratchDatabase(uri());
  });
  afterEach(() => database.dispose());

  const collection = () => database.client.db(database.databaseName).collection('users_throttle');

  it('gets a unique index and an index for expiry with the first use', async () => {
    const store = await database.openPorts();
    await store.users.check();
    const names = async () => (await collection().db.listCollections().toArray()).map(({ name }) => name);
    expect(await names()).to.not.include('users_throttle');
    const counter = await counterOf(store, limits);
    await counter.status(jane);
    const indexes = await collection().indexes();
    expect(indexes.find(({ key }) => 'key' in key)).to.include({ unique: true });
    expect(indexes.find(({ key }) => 'expire' in key)).to.include({ expireAfterSeconds: 0 });
  });

  it('contains neither user nor address in plain text', async () => {
    await (await counterOf(await database.openPorts(), limits)).recordFailure(jane);
    const documents = await collection().find().toArray();
    expect(documents).to.have.length(2);
    for (const clear of ['jane', 'example.com', '192.0.2.7']) expect(JSON.stringify(documents)).to.not.include(clear);
  });

  for (const [options, reason] of [
    [{ collation: { locale: 'en', strength: 1 } }, /the collection users_throttle has a collation, by which/],
    [{ capped: true, size: 4096 }, /the collection users_throttle is capped, so that/],
  ] as const)
    it(`counts nothing in a collection with ${JSON.stringify(options)}, which mixes up or loses counts`, async () => {
      const counter = await counterOf(await database.openPorts(), limits);
      await counter.status(jane);
      await collection().drop();
      await collection().db.createCollection('users_throttle', options);
      const opened = await counterOf(await database.openPorts(), limits);
      for (const fault of await Promise.all([counter.check(), opened.recordFailure(jane)].map(faultOf))) {
        expect(fault).to.include({ code: 'store_rejected' });
        expect(fault.message).to.match(reason);
      }
    });

  it('is unavailable while no server answers', async () => {
    const store = await database.openPorts('mongodb://127.0.0.1:1/', 1_200);
    const counter = await counterOf(store, limits);
    const asked = [counter.status(jane), counter.recordFailure(jane), counter.reset(jane.user), counter.check()];
    for (const fault of await Promise.all(asked.map(faultOf))) expect(fault).to.include({ code: 'store_unavailable' });
  });

  it('refuses damaged counts of a user, and starts that of a client address again', async () => {
    const counter = await counterOf(await database.openPorts(), limits);
    const end = new Date(Date.now() + 60_000);
    // JavaScript does not know the last one.
    const values = [end.toISOString(), end.getTime(), [end], { end }, true, null, new BSON.BSONRegExp('(?i)a', 'x')];
    for (const [index, expire] of values.entries()) {
      const attempt = { user: `user-${index}@example.com`, client: `192.0.2.${index}` };
      const what = `${index}: ${JSON.stringify(expire)}`;
      await counter.recordFailure(attempt);
      await collection().updateMany({ damaged: { $exists: false } }, { $set: { expire, damaged: true } });
      const damaged = { code: 'store_rejected', record: attempt.user };
      expect(await faultOf(counter.status(attempt)), what).to.include(damaged);
      // It ends, also where the count can be written nevertheless.
      await counter.recordFailure(attempt).catch(() => undefined);
      const other = { ...attempt, user: 'other@example.com' };
      expect((await counter.status(other)).blockedForMs, what).to.equal(0);
      await counter.recordFailure({ ...other, user: `${index} other` });
      await counter.reset(attempt.user);
      expect(await counter.status(attempt), what).to.deep.equal({ blockedForMs: 0, failures: 0 });
    }
  });

  it('starts the sign-ups of a client address again whose count is damaged', async () => {
    await expectSignUpsAfter(await counterOf(await database.openPorts(), limits), () =>
      collection().updateMany({}, { $set: { expire: 'a text' } }),
    );
  });

  it('stays ready, and counts other failures, after one met a damaged count', async () => {
    const counter = await counterOf(await database.openPorts(), limits);
    const throttle = new LoginThrottle(counter, limits, 30_000);
    const damage = async (): Promise<boolean> => {
      await counter.recordFailure(jane);
      await collection().updateMany({}, { $set: { expire: 'a text' } });
      return false;
    };
    expect(await faultOf(throttle.run(jane, damage))).to.include({ code: 'store_rejected' });
    await throttle.check().catch(() => undefined);
    expect(await throttle.check()).to.be.a('string');
    expect(await throttle.run({ ...jane, user: 'bob@example.com' }, async () => true)).to.deep.equal(right(true));
  });

  it('allows no free guesses while the server refuses its writes', async () => {
    const counter = await counterOf(await database.openPorts(), limits);
    const validate = (validator: Document) => collection().db.command({ collMod: 'users_throttle', validator });
    await expectNoFreeGuesses(counter, limits, {
      refuseWrites: () => validate({ key: { $exists: false } }),
      acceptWrites: () => validate({}),
    });
  });
});
