import { expect } from 'chai';
import type { Document } from 'mongodb';
import { everyUser } from '../../../../../application/ports/user-listing.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { SettlingStore } from '../../../../../application/writing/settling-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf, nameOf } from '../../../../../sdk/contract/named-users.ts';
import { faultOf, isWritten, reserved, written } from '../../../../../sdk/contract/outcomes.ts';
import { engine, privateEngine } from '../../../../support/engines/index.ts';
import { eventually } from '../../../../support/eventually.ts';
import { expectUnreadable } from '../../../../support/expect-unreadable.ts';
import { readNames } from '../../../../support/names/mongodb.ts';
import { ScratchDatabase } from './scratch-database.ts';

const key = keyOf(addressOf('ada@example.com'));
const id = idOf('usr_1');
const hour = 60 * 60_000;

/** A reservation as former versions write it. */
const formerReservation = (email: string, properties = '{}'): Document => ({
  _id: email,
  email,
  address: email,
  version: 'former',
  verified: false,
  verificationToken: null,
  password: '',
  creationTime: 1,
  lastUpdateTime: 1,
  properties,
});

const documentsOf = ({ users }: ScratchDatabase) =>
  users
    .find({ _id: { $ne: 'format' } as never })
    .sort({ email: 1 })
    .toArray();

describe('names and reservations in MongoDB', () => {
  const uri = engine('mongodb');
  let database: ScratchDatabase;
  let store: StorePorts;
  beforeEach(async () => {
    database = new ScratchDatabase(uri(), true);
    store = await database.openPorts();
    await store.users.check();
  });
  afterEach(() => database.dispose());

  const documents = () =>
    database.users
      .find({ _id: { $ne: 'format' } as never })
      .sort({ email: 1 })
      .toArray();
  const stored = () => readNames(database.client.db(database.databaseName), database.collectionName);
  const indexOn = async (field: string) => (await database.users.indexes()).find((index) => index.key[field] === 1);

  it('are a list in the document of the user, under a unique index without entries for other users', async () => {
    const [user, other] = [userOf('ada@example.com'), userOf('bea@example.com')];
    await store.users.insert(user, { names: [id, nameOf('ada')] });
    await store.users.insert(other);
    const [first, second] = await documents();
    expect(first).to.deep.include({ names: [id, nameOf('ada')] });
    expect(second).to.not.have.any.keys('names', 'expires');
    expect(await indexOn('names')).to.include({ unique: true, sparse: true });
    expect((await stored()).entries).to.deep.equal(new Map([id, nameOf('ada')].map((name) => [name, key])));
  });

  it('have no index, and the format no new number, where users have neither ids nor unique properties', async () => {
    const without = new ScratchDatabase(uri());
    try {
      const { users } = await without.openPorts();
      expect(await users.check()).to.match(/ is read and written$/);
      await users.insert(userOf('ada@example.com'));
      expect((await without.users.indexes()).some((index) => index.key.names === 1)).to.equal(false);
      expect(await without.users.findOne({ _id: 'format' as never })).to.include({ format: 1 });
    } finally {
      await without.dispose();
    }
  });

  it('raise the format, and the check says where they are', async () => {
    expect(await store.users.check()).to.match(/ is read and written; names are in users$/);
    expect(await database.users.findOne({ _id: 'format' as never })).to.include({ format: 2 });
  });

  it('are not kept by the events of a removed user', async () => {
    const events = [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }];
    const user = written(await store.users.insert(userOf('ada@example.com'), { names: [id], events }));
    expect(await store.users.remove(user)).to.equal('removed');
    const [document, ...others] = await documents();
    expect(others).to.deep.equal([]);
    expect(document?.email).to.match(/^deleted /);
    expect(document).to.not.have.any.keys('names', 'id', 'expires');
  });

  it('that the events of a user keep whom a former version removed are those of no user, and can be taken', async () => {
    const events = [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }];
    const other = idOf('usr_2');
    await store.users.insert(userOf('ada@example.com'), { names: [id, other], events });
    const { _id, names, events: kept }: Document = (await database.users.findOne({ email: key })) ?? {};
    await database.users.replaceOne({ _id }, { email: 'deleted former', version: 'former', events: kept, names });
    expect(await store.names?.find(id)).to.equal(undefined);
    expect(await store.users.reserve(other)).to.have.property('key', other);
    const bea = written(await store.users.insert(userOf('bea@example.com'), { names: [id] }));
    expect(await store.names?.find(id)).to.deep.equal(bea);
    expect(await store.users.insert(userOf('cleo@example.com'), { names: [id] })).to.deep.equal({ taken: id });
    expect(await store.events?.pending('receiver', 10)).to.equal(1);
  });

  it('that another program has damaged are named by a Fault, and keep no other user from being listed', async () => {
    await store.users.insert(userOf('bea@example.com'), { names: [idOf('usr_2')] });
    await store.users.insert(userOf('ada@example.com'), { names: [id] });
    for (const names of [5, ['no name'], { a: 1 }]) {
      await database.users.updateOne({ email: key }, { $set: { names } });
      const fault = await faultOf(store.users.find(key));
      expect(fault).to.include({ code: 'store_rejected', record: key });
      expect(fault.message).to.match(/has no readable names$/);
      const page = await store.listing?.list({ ...everyUser, limit: 10, after: undefined });
      expect(page?.users.map(({ email }) => email.address)).to.deep.equal(['bea@example.com']);
      expect(page?.unreadable).to.have.length(1);
    }
  });

  const losses: Readonly<Record<string, () => Promise<unknown>>> = {
    'dropped their index': () => database.users.dropIndex('names_1'),
    'dropped the index on addresses': () => database.users.dropIndex('email_1'),
    'dropped the collection': () => database.users.drop(),
  };
  for (const [what, lose] of Object.entries(losses))
    it(`are given to one user, and the address of a user to no second one, after an administrator ${what}`, async () => {
      await store.users.insert(userOf('grace@example.com'), { names: [idOf('usr_2')] });
      await lose();
      const rivals = Array.from({ length: 16 }, (_, n) =>
        store.users.insert(userOf(n % 2 === 0 ? 'ada@example.com' : `${n}@example.com`), { names: [id] }),
      );
      expect((await Promise.all(rivals)).filter(isWritten)).to.have.length(1);
      expect(await database.users.countDocuments({ names: id })).to.equal(1);
      expect(await indexOn('names')).to.include({ unique: true });
      expect(await indexOn('email')).to.include({ unique: true });
    });

  it('are taken from no user after the index was dropped, and given to no second one by a change', async () => {
    await store.users.insert(userOf('grace@example.com'), { names: [id] });
    const ada = written(await store.users.insert(userOf('ada@example.com')));
    await database.users.dropIndex('names_1');
    expect(await store.users.replace(ada, ada.user, { names: [id] })).to.deep.equal({ taken: id });
  });

  for (const names of ['', ['']])
    it(`are written only with the user, also beside a document of another program with ${JSON.stringify(names)}`, async () => {
      const stored = written(await store.users.insert(userOf('ada@example.com')));
      await database.users.insertOne({ email: 'foreign', version: 'foreign', names });
      const stale = { ...stored, version: 'of-another-time' };
      expect(await store.users.replace(stale, stored.user, { names: [id] })).to.equal('stale');
      const reservation = { key: keyOf(addressOf('bea@example.com')), version: 'expired' };
      const bea = await store.users.insert(userOf('bea@example.com'), { names: [id], reservations: [reservation] });
      expect(await store.users.find(reservation.key)).to.deep.equal(written(bea));
      expect(await database.users.findOne({ email: 'foreign' })).to.include({ version: 'foreign' });
    });

  it('find no other user by a collation, in which nothing is written', async () => {
    await store.users.insert(userOf('ada@example.com'), { names: [idOf('usr_1')] });
    const [stored = {}] = await documents();
    const other = new ScratchDatabase(uri(), true);
    try {
      const collation = { locale: 'en', numericOrdering: true };
      await other.client.db(other.databaseName).createCollection('users', { collation });
      await other.users.insertOne(stored);
      const ports = await other.openPorts();
      expect((await ports.names?.find(idOf('usr_1')))?.user).to.deep.equal(userOf('ada@example.com'));
      expect(await ports.names?.find(idOf('usr_01'))).to.equal(undefined);
      expect(await faultOf(ports.users.reserve(id))).to.include({ code: 'store_rejected' });
    } finally {
      await other.dispose();
    }
  });

  it('are not written beside an index of names with a collation', async () => {
    await database.users.createIndex({ names: 1 }, { name: 'by_letters', collation: { locale: 'en', strength: 1 } });
    const fault = await faultOf(store.users.check());
    expect(fault).to.include({ code: 'store_rejected' });
    expect(fault.message).to.match(/the collection users has an index by_letters with a collation/);
  });

  describe('a reservation', () => {
    /** The time of the server in which a reservation ends, from now. */
    const endsIn = ({ expires }: Document): number =>
      expires instanceof Date ? expires.getTime() - Date.now() : Number.NaN;

    it('of an address is a user with an empty password, as in former versions, that expires', async () => {
      const { version } = reserved(await store.users.reserve(key));
      const [document = {}]: readonly Document[] = await documents();
      const { expires: _, _id: __, creationTime: ___, lastUpdateTime: ____, ...fields } = document;
      const { _id, creationTime, lastUpdateTime, ...former } = formerReservation('ada@example.com');
      expect(fields).to.deep.equal({ ...former, version });
      expect(endsIn(document)).to.be.within(hour / 4, hour + 60_000);
    });

    it('of a name is in no listing of a former version either, and expires', async () => {
      reserved(await store.users.reserve(id));
      const [document] = await documents();
      expect(document).to.deep.include({ email: `deleted ${id}`, names: [id], password: '' });
      expect(endsIn(document ?? {})).to.be.within(hour / 4, hour + 60_000);
      expect((await stored()).entries).to.deep.equal(new Map([[id, undefined]]));
      expect(await store.names?.find(id)).to.equal(undefined);
    });

    it('keeps an address that begins with a dollar sign', async () => {
      reserved(await store.users.reserve(keyOf(addressOf('$where@example.com'))));
      const [document] = await documents();
      expect(document).to.include({ email: '$where@example.com', address: '$where@example.com' });
    });

    it('is renewed by a later one, also in its expiry', async () => {
      for (const one of [key, id]) {
        const first = reserved(await store.users.reserve(one));
        await database.users.updateOne({ version: first.version }, { $set: { expires: new Date(0) } });
        const second = reserved(await store.users.reserve(one));
        expect(second.version).to.not.equal(first.version);
        expect(endsIn((await database.users.findOne({ version: second.version })) ?? {})).to.be.above(hour / 4);
      }
    });

    it('has an index by which the server deletes it, and in which users have no place', async () => {
      await eventually(async () => expect(await indexOn('expires')).to.not.equal(undefined), 5_000);
      expect(await indexOn('expires')).to.deep.include({
        expireAfterSeconds: 0,
        partialFilterExpression: { password: '' },
      });
    });

    for (const what of ['an address', 'a name'])
      it(`of ${what} becomes the document of a new user in one step, without its expiry`, async () => {
        const reservation = reserved(await store.users.reserve(what === 'a name' ? id : key));
        const [before] = await documents();
        const events = [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }];
        await store.users.insert(userOf('ada@example.com'), { names: [id], events, reservations: [reservation] });
        const [after, ...others] = await documents();
        expect(others).to.deep.equal([]);
        expect(after?._id).to.equal(before?._id);
        expect(after)
          .to.deep.include({ email: 'ada@example.com', names: [id] })
          .and.not.have.property('expires');
        expect(after?.events).to.have.length(1);
      });

    it('is restored with its version if the user who was to take it is refused', async () => {
      await store.users.insert(userOf('grace@example.com'), { names: [idOf('usr_2')] });
      const ada = written(await store.users.insert(userOf('ada@example.com')));
      const reservations = [
        reserved(await store.users.reserve(id)),
        reserved(await store.users.reserve(keyOf(addressOf('bea@example.com')))),
      ];
      const refused = await store.users.replace(ada, userOf('bea@example.com'), {
        names: [id, idOf('usr_2')],
        reservations,
      });
      expect(refused).to.deep.equal({ taken: idOf('usr_2') });
      expect(await store.users.insert(userOf('cleo@example.com'), { names: [id] })).to.deep.equal({
        taken: id,
        reservation: reservations[0],
      });
      expect(await store.users.insert(userOf('bea@example.com'))).to.have.deep.property('reservation', reservations[1]);
    });
  });

  describe('a reservation of a former version', () => {
    beforeEach(async () => {
      await database.users.insertMany([
        formerReservation('ada@example.com'),
        formerReservation('reservations-3@latchkey.invalid', '{"ada@example.com":"mark"}'),
      ]);
    });

    it('is no user, in no list, and keeps its address free for a user who knows its version', async () => {
      expect(await store.users.find(key)).to.equal(undefined);
      expect(await store.listing?.list({ ...everyUser, limit: 10, after: undefined })).to.deep.equal({
        users: [],
        next: undefined,
      });
      expect(await store.search?.count(everyUser, 10)).to.equal(0);
      const taken = { taken: key, reservation: { key, version: 'former' } };
      expect(await store.users.insert(userOf('ada@example.com'))).to.deep.equal(taken);
      const users = new SettlingStore(store);
      const stored = written(await users.insert(userOf('ada@example.com'), [], performance.now()));
      expect(await store.users.find(key)).to.deep.equal(stored);
    });

    it('is not what a damaged user with an empty password is, who gets no expiry and stays', async () => {
      await database.users.insertMany([
        formerReservation('bea@example.com', '{"plan":"paid"}'),
        { ...formerReservation('cleo@example.com'), verificationToken: 'a token' },
      ]);
      const { users } = await database.openPorts();
      for (const address of ['bea@example.com', 'cleo@example.com']) await expectUnreadable(store, userOf(address));
      await users.check();
      await eventually(
        async () => expect(await database.users.countDocuments({ expires: { $type: 'date' } })).to.equal(2),
        5_000,
      );
      const kept = { _id: { $in: ['bea@example.com', 'cleo@example.com'] as never }, version: 'former' };
      expect(await database.users.countDocuments({ ...kept, expires: { $exists: false } })).to.equal(2);
      const page = await store.listing?.list({ ...everyUser, limit: 10, after: undefined });
      expect(page?.unreadable).to.have.length(2);
      expect(await store.search?.count(everyUser, 10)).to.equal(2);
    });

    it('gets an expiry at the next start, as the records of former versions about them do, and users get none', async () => {
      await store.users.insert(userOf('grace@example.com'));
      const { users } = await database.openPorts();
      await users.check();
      await eventually(
        async () => expect(await database.users.countDocuments({ expires: { $type: 'date' } })).to.equal(2),
        5_000,
      );
      expect(await database.users.countDocuments({ email: 'grace@example.com', expires: { $exists: false } })).to.equal(
        1,
      );
    });

    it('is renewed in place, with an expiry', async () => {
      reserved(await store.users.reserve(key));
      const document = await database.users.findOne({ email: key });
      expect(document).to.include({ _id: 'ada@example.com', password: '' });
      expect(document?.expires).to.be.instanceOf(Date);
    });
  });

  it('that a former version has made of a reservation, a user keeps no expiry after the next change', async () => {
    const { version } = reserved(await store.users.reserve(key));
    await database.users.updateOne({ version }, { $set: { password: 'a stored password' } });
    const user = await store.users.find(key);
    if (user === undefined) throw new Error('a user is not found');
    expect(await store.users.replace(user, user.user)).to.have.property('version');
    expect(await database.users.findOne({ email: key })).to.not.have.property('expires');
  });
});

describe('the expiry of reservations in MongoDB', () => {
  const server = privateEngine('mongodb', {
    adjust: (container) => container.withCommand(['--replSet', 'rs0', '--setParameter', 'ttlMonitorSleepSecs=1']),
  });

  it('deletes reservations, and no user that a former version has made of one', async () => {
    const database = new ScratchDatabase(server().endpoint, true);
    try {
      const { users } = await database.openPorts();
      await users.check();
      const kept = reserved(await users.reserve(keyOf(addressOf('kept@example.com'))));
      for (const one of [key, id, keyOf(addressOf('former@example.com'))]) {
        const { version } = reserved(await users.reserve(one));
        const password = one.startsWith('former') ? 'a stored password' : '';
        await database.users.updateOne({ version }, { $set: { expires: new Date(0), password } });
      }
      const emails = async () => (await documentsOf(database)).map(({ email }) => email);
      await eventually(
        async () => expect(await emails()).to.deep.equal(['former@example.com', 'kept@example.com']),
        20_000,
      );
      expect(await database.users.findOne({ email: 'kept@example.com' })).to.include({ version: kept.version });
      expect(await users.insert(userOf('ada@example.com'), { names: [id] })).to.have.property('version');
    } finally {
      await database.abandon();
    }
  });
});
