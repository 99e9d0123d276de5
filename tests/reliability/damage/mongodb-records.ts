import { randomUUID } from 'node:crypto';
import { BSON, type Document, MongoClient } from 'mongodb';
import { userFields } from '../../../domain/user-fields.ts';
import { documentIn, messageOf, RawConnection } from '../../support/wire-protocol.ts';
import type { Damage } from './damages.ts';
import { accepted, eventMembers, type RawRecords } from './raw-records.ts';

/** The driver writes only valid UTF-8, so that these bytes take the place of others in the message. */
const placeholder = '\x01\x02\x03';
const invalidBytes = Buffer.from([0xff, 0xc3, 0x28]);

const bsonValue = (damage: Exclude<Damage, { kind: 'missing' }>): unknown => {
  switch (damage.kind) {
    case 'value':
      return damage.value;
    case 'bytes':
      return Buffer.from(damage.value);
    case 'pattern':
      return new BSON.BSONRegExp(damage.source, damage.flags);
    case 'invalidUtf8':
      return damage.before + placeholder + damage.after;
    case 'list':
      return [{ a: 1 }];
    default:
      return { a: { b: 1 } };
  }
};

/** The records of a collection, and those of the collection of its counters. */
export const mongodbRecords = async (
  connectionString: string,
  databaseName: string,
  collectionName: string,
): Promise<RawRecords> => {
  const client = await MongoClient.connect(connectionString);
  const database = client.db(databaseName);
  const users = database.collection<Document>(collectionName);
  const counters = database.collection<Document>(`${collectionName}_throttle`);
  const { hostname, port } = new URL(connectionString);
  const raw = new RawConnection({ host: hostname, port: Number(port) });

  const update = async (collection: string, q: Document, field: string, damage: Damage): Promise<boolean> => {
    const u = damage.kind === 'missing' ? { $unset: { [field]: '' } } : { $set: { [field]: bsonValue(damage) } };
    const message = messageOf({ update: collection, updates: [{ q, u }], $db: databaseName });
    for (let at = message.indexOf(placeholder); at !== -1; at = message.indexOf(placeholder))
      invalidBytes.copy(message, at);
    const { length } = message;
    if (length > 16_000_000) return false;
    const { ok, writeErrors } = documentIn(await raw.send(message));
    return ok === 1 && writeErrors === undefined;
  };

  return {
    userFields: ['email', 'version', 'names', 'expires', 'events', 'another', ...userFields.map(({ name }) => name)],
    eventFields: [...eventMembers, 'the event', 'the events'],
    counterFields: ['points', 'expire'],
    damageUser: (key, field, damage) => update(collectionName, { email: key }, field, damage),
    addEvent: async (event, field, damage) => {
      const version = randomUUID();
      const events = [{ ...event, due: event.time, attempts: 0 }];
      const document: Document = { _id: version, email: `deleted ${version}`, version, events };
      await users.insertOne(document);
      const path = { 'the event': 'events.0', 'the events': 'events' }[field] ?? `events.0.${field}`;
      return update(collectionName, { version }, path, damage);
    },
    damageCounter: async (keyEnd, field, damage) => {
      const found = await counters.findOne({ key: { $regex: `${keyEnd}$` } });
      return found !== null && update(`${collectionName}_throttle`, { _id: found._id }, field, damage);
    },
    clear: async (keys) => {
      await users.deleteMany({ email: { $nin: keys } });
      await users.updateMany({}, { $unset: { events: '' } });
      await accepted(() => counters.deleteMany({}));
    },
    close: async () => {
      raw.close();
      await client.close();
    },
  };
};
