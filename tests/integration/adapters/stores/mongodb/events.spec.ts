import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { faultOf } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { mailRaces } from '../../../../support/mail-races.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('MongoDB, with events', () => {
  const uri = engine('mongodb');

  const open = async () => {
    const database = new ScratchDatabase(uri());
    const reopen = () => database.openPorts();
    return { store: await reopen(), reopen, dispose: () => database.dispose() };
  };

  eventOutboxContract('mongodb', open);
  mailRaces('mongodb', open);

  it('deletes the document of a removed user together with its last expired event', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.mark();
      const { users: store, events } = await database.openPorts();
      const event = { id: 'one', destination: 'receiver', time: 1, body: '{}' };
      await store.insert(userOf('ada@example.com'), { events: [event] });
      const ada = await store.find(keyOf(addressOf('ada@example.com')));
      expect(ada && (await store.remove(ada, { events: [{ ...event, id: 'two', time: 3 }] }))).to.equal('removed');
      expect(await events?.expire(2, 10)).to.deep.equal(new Map([['receiver', 1]]));
      const ofUser = { _id: { $ne: 'format' } } as object;
      expect(await database.users.countDocuments(ofUser)).to.equal(1);
      expect(await events?.expire(4, 10)).to.deep.equal(new Map([['receiver', 1]]));
      expect(await database.users.countDocuments(ofUser)).to.equal(0);
    } finally {
      await database.dispose();
    }
  });

  it('delivers, lists and expires events while others are damaged', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.mark();
      const { events: queue } = await database.openPorts();
      const event = { id: 'one', destination: 'receiver', time: 5, body: '{}' };
      const stored = { ...event, due: 5, attempts: 0 };
      const damaged: readonly unknown[] = [
        null,
        'text',
        { ...stored, attempts: 'none' },
        { ...stored, body: 7 },
        { ...stored, id: null },
        { ...stored, time: '5' },
      ];
      const documents = [...damaged.map((one) => [one]), [null, stored], { ...stored, body: null }];
      for (const [index, events] of documents.entries())
        await database.users.insertOne({ _id: `${index}`, email: `deleted ${index}`, version: '', events } as never);
      await queue?.add([{ ...event, id: 'two' }]);
      const claimed = await queue?.claim('receiver', 2, { now: 9, until: 10 });
      expect(claimed?.map(({ id }) => id)).to.have.members(['one', 'two']);
      const listed = await queue?.list('receiver', 100);
      expect(listed?.events.map(({ id }) => id)).to.have.members(['one', 'two']);
      for (const one of claimed ?? []) await queue?.done(one);
      expect(await queue?.claim('receiver', 2, { now: 99, until: 100 })).to.deep.equal([]);
      await queue?.add([{ ...event, id: 'three' }]);
      const expired = (await queue?.expire(6, 100))?.get('receiver') ?? 0;
      expect(expired).to.be.at.least(1);
      expect((await queue?.list('receiver', 100))?.events).to.deep.equal([]);
    } finally {
      await database.dispose();
    }
  });

  it('delivers, postpones and lists the events of documents whose identifiers are no text of the service', async () => {
    const database = new ScratchDatabase(uri());
    try {
      const { events: queue } = await database.openPorts();
      const stored = { destination: 'receiver', time: 5, body: '{}', due: 5, attempts: 0 };
      const identifiers: readonly unknown[] = [new ObjectId(), 'with a space', 7, { a: 1 }, new Date(1), null];
      for (const [index, _id] of identifiers.entries()) {
        const events = [{ ...stored, id: `${index}` }];
        await database.users.insertOne({ _id, email: `deleted ${index}`, version: '', events } as never);
      }
      await database.users.insertOne({ version: '', events: [{ ...stored, id: 'without address' }] });
      const pages: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await queue?.list('receiver', 2, after);
        pages.push(...(page?.events ?? []).map(({ id }) => id));
        after = page?.next;
        if (after === undefined) break;
      }
      expect(pages).to.have.lengthOf(7);
      const first = (await queue?.claim('receiver', 100, { now: 9, until: 50 })) ?? [];
      expect(first).to.have.lengthOf(7);
      for (const one of first) await queue?.postpone(one, 20);
      const again = (await queue?.claim('receiver', 100, { now: 20, until: 50 })) ?? [];
      expect(again).to.have.lengthOf(7);
      for (const one of again) await queue?.done(one);
      expect(await queue?.pending('receiver', 10)).to.equal(0);
    } finally {
      await database.dispose();
    }
  });

  it('delivers events after others that cannot be claimed', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.mark();
      const { events: queue } = await database.openPorts();
      const events = [{ id: 'stuck', destination: 'receiver', time: 1, body: '{}', due: 1, attempts: 0 }];
      // A receipt cannot express the last ones.
      for (const email of [{ $gt: 1 }, { $gt: 2 }, { $gt: 3 }, { $gt: 4 }, { $oid: 1 }, { $oid: 2 }])
        await database.users.insertOne({ email, version: '', events });
      await queue?.add([{ id: 'good', destination: 'receiver', time: 5, body: '{}' }]);
      const claimed = await queue?.claim('receiver', 5, { now: 9, until: 10 });
      expect(claimed?.map(({ id }) => id)).to.include('good');
    } finally {
      await database.dispose();
    }
  });

  it('delivers and expires the events of an address that a filter would read as an operator', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.mark();
      const { events: queue } = await database.openPorts();
      const events = [{ id: 'odd', destination: 'receiver', time: 1, body: '{}', due: 1, attempts: 0 }];
      for (const email of [{ $foo: 1 }, { $in: 1 }, { $gt: 1 }, /^a/])
        await database.users.insertOne({ email, version: '', events });
      await queue?.add([{ id: 'good', destination: 'receiver', time: 5, body: '{}' }]);
      const claimed = (await queue?.claim('receiver', 10, { now: 9, until: 10 })) ?? [];
      expect(claimed.map(({ id }) => id)).to.deep.equal(['odd', 'odd', 'odd', 'odd', 'good']);
      for (const one of claimed.slice(0, 2)) await queue?.done(one);
      expect(await queue?.expire(2, 1)).to.deep.equal(new Map([['receiver', 1]]));
      expect(await queue?.expire(2, 10)).to.deep.equal(new Map([['receiver', 1]]));
    } finally {
      await database.dispose();
    }
  });

  it('delivers and expires events while a validator keeps other documents from being changed', async () => {
    const database = new ScratchDatabase(uri());
    const warnings: object[] = [];
    const ignore = (): void => undefined;
    try {
      await database.mark();
      const log = { info: ignore, warn: (fields: object) => void warnings.push(fields), error: ignore };
      const { events: queue } = await database.openPorts(undefined, undefined, log);
      for (let index = 0; index < 5; index++) {
        const events = [{ id: `kept-${index}`, destination: 'receiver', time: 1, body: '{}', due: 1, attempts: 0 }];
        await database.users.insertOne({ email: `kept-${index}`, version: '', kept: true, events });
      }
      const event = { destination: 'receiver', time: 5, body: '{}' };
      await queue?.add([{ ...event, id: 'one' }]);
      await queue?.add([{ ...event, id: 'two' }]);
      const lease = { now: 9, until: 10 };
      const [former] = (await queue?.claim('receiver', 1, lease)) ?? [];
      await database.users.db.command({ collMod: 'users', validator: { kept: { $exists: false } } });
      expect((await queue?.claim('receiver', 2, lease))?.map(({ id }) => id)).to.deep.equal(['one', 'two']);
      expect(JSON.stringify(warnings)).to.include('kept-1');
      expect(former?.id).to.equal('kept-0');
      const fault = former && (await faultOf(queue?.done(former) ?? Promise.resolve()));
      expect(fault).to.include({ code: 'store_rejected', record: former?.receipt });
      expect(await queue?.expire(6, 2)).to.deep.equal(new Map([['receiver', 2]]));
      expect(await queue?.expire(6, 2)).to.deep.equal(new Map());
    } finally {
      await database.dispose();
    }
  });

  it('delivers events while a damaged one has lists that an index cannot contain', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.users.insertOne({
        email: 'ada@example.com',
        version: '',
        events: [{ destination: [1], due: [2] }],
      });
      const { events: queue } = await database.openPorts();
      await queue?.add([{ id: 'good', destination: 'receiver', time: 5, body: '{}' }]);
      const claimed = await queue?.claim('receiver', 5, { now: 9, until: 10 });
      expect(claimed?.map(({ id }) => id)).to.deep.equal(['good']);
      expect(await queue?.pending('receiver', 10)).to.equal(1);
      expect((await queue?.list('receiver', 10))?.events).to.have.lengthOf(1);
    } finally {
      await database.dispose();
    }
  });

  it('expires events while those of one document are no list', async () => {
    const database = new ScratchDatabase(uri());
    try {
      await database.mark();
      const { events: queue } = await database.openPorts();
      const events = { time: 1, 0: { time: 1 } };
      await database.users.insertOne({ email: 'ada@example.com', version: '', events });
      await queue?.add([{ id: 'one', destination: 'receiver', time: 5, body: '{}' }]);
      expect(await queue?.expire(6, 10)).to.deep.equal(new Map([['receiver', 1]]));
    } finally {
      await database.dispose();
    }
  });

  const losses: Readonly<Record<string, (database: ScratchDatabase) => Promise<unknown>>> = {
    'dropped the collection': ({ users }) => users.drop(),
    'dropped the indexes': ({ users }) => users.dropIndexes(),
  };
  for (const [what, lose] of Object.entries(losses)) {
    it(`finds pending events after an administrator ${what}`, async () => {
      const database = new ScratchDatabase(uri());
      try {
        const { users: store, events: queue } = await database.openPorts();
        const claim = () => queue?.claim('receiver', 10, { now: 2, until: 3 });
        expect(await claim()).to.deep.equal([]);
        await lose(database);
        await store.insert(userOf('ada@example.com'), {
          events: [{ id: 'one', destination: 'receiver', time: 1, body: '{}' }],
        });
        expect(await queue?.pending('receiver', 10)).to.equal(1);
        expect((await claim())?.map(({ id }) => id)).to.deep.equal(['one']);
      } finally {
        await database.dispose();
      }
    });
  }
});
