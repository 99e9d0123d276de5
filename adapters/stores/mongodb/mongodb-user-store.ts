import { randomUUID } from 'node:crypto';
import { BSON, type Db, type Document, type UpdateOptions } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { unreadableUser } from '../../kit/user-json/stored-user.ts';
import { consistentReads, durableWrite } from './connection.ts';
import { isDuplicateKey, isMissingIndex } from './errors.ts';
import { MongodbEventOutbox } from './mongodb-event-outbox.ts';
import { MongodbUserListing } from './mongodb-user-listing.ts';
import { MongodbUserSearch } from './mongodb-user-search.ts';
import { indexHint, type UserCollection } from './user-collection.ts';
import { addingEvents, readFields, removal, replacing, toEventRecords, toRecord, toStoredUser } from './user-record.ts';

const filterOf = ({ user, version }: StoredUser) => ({ email: keyOf(user.email.address), version });

/**
 * Users in one collection, with one round trip for each call. In a replica set or a sharded cluster the driver repeats
 * a write whose reply was lost with the same transaction number, and the server responds with the result of the first
 * one (retryable writes). A single server does not support this, and `retryWrites=false` disables it: the write then
 * fails as unavailable, and may have been applied. The store never mistakes its own write for that of another client.
 */
export class MongodbUserStore extends UserStore {
  /** The database without the options of writes: the driver would copy them with each read, a tenth of its cost. */
  private readonly database: Db;

  constructor(
    private readonly users: UserCollection,
    private readonly log: Log,
  ) {
    super();
    this.database = users.connection.database(users.databaseName, { readPreference: 'primary' });
  }

  get ports(): StorePorts {
    const { users, log } = this;
    return {
      users: this,
      listing: new MongodbUserListing(users),
      search: new MongodbUserSearch(users),
      events: new MongodbEventOutbox(users, log),
      attempts: async (limits) => (await import('./mongodb-attempt-counter.ts')).openAttemptCounter(users, limits),
    };
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const document = await this.users.read(() => this.findDocument(key));
    return document && toStoredUser(document, key);
  }

  insert(user: User, events: readonly QueuedEvent[] = []): Promise<StoredUser | 'taken'> {
    const version = randomUUID();
    const { email, ...record } = toRecord(user, version);
    const fields = events.length === 0 ? record : { ...record, events: toEventRecords(events) };
    return this.unlessTaken<StoredUser>(email, async (options) => {
      // An upsert, because an insert can't name the index. Only an earlier attempt of this call has the identifier.
      const filter = { _id: version, email };
      await this.users.documents.updateOne(filter, { $setOnInsert: fields }, { ...options, upsert: true });
      return { user, version };
    });
  }

  /** Keeps the pending events of the user, even if no events are configured any more. */
  replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] = [],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const stored = { user: next, version: randomUUID() };
    const update = { ...replacing(next, stored.version), ...addingEvents(events) };
    const filter = filterOf(previous);
    return this.unlessTaken<StoredUser | 'stale'>(filter.email, async (options) => {
      const { matchedCount } = await this.users.documents.updateOne(filter, update, options);
      return matchedCount === 1 ? stored : 'stale';
    });
  }

  remove(previous: StoredUser, events: readonly QueuedEvent[] = []): Promise<'removed' | 'stale'> {
    const filter = filterOf(previous);
    const removed = this.users.callWithIndex<'removed' | 'stale'>(async () => {
      const { documents } = this.users;
      if (events.length === 0) {
        // Events that were stored before they were disabled are kept until they are enabled again.
        const withoutEvents = { ...filter, 'events.0': { $exists: false } };
        const { deletedCount } = await documents.deleteOne(withoutEvents, this.writeOptions);
        if (deletedCount === 1) return 'removed';
      }
      // If the last event is delivered in between, this is `stale`, and the caller tries again.
      const withEvents = events.length === 0 ? { ...filter, 'events.0': { $exists: true } } : filter;
      const { matchedCount } = await documents.updateOne(withEvents, removal(randomUUID(), events), this.writeOptions);
      return matchedCount === 1 ? 'removed' : 'stale';
    });
    return this.naming(filter.email, removed);
  }

  /**
   * One command that needs what a write needs and changes nothing: a primary, a majority that confirmed the last write of
   * the primary (it writes at least every 10 s), the unique index, and the permission to read and to remove.
   */
  async check(): Promise<string> {
    const { documents, databaseName, connection } = this.users;
    const timeoutMs = Math.min(checkTimeoutMs, this.users.timeoutMs);
    const options = { ...indexHint, writeConcern: durableWrite(timeoutMs), maxTimeMS: timeoutMs };
    // No user has an empty address.
    let isIndexed = true;
    const probe = async (): Promise<void> => {
      try {
        await documents.findOneAndDelete({ email: '' }, options);
      } catch (error) {
        if (!this.users.readOnly || !isMissingIndex(error)) throw error;
        isIndexed = false;
      }
    };
    await this.users.callWithIndex(probe, { timeoutMs });
    await this.users.call(() => this.users.format.check(), timeoutMs);
    const creation = `the service creates the unique index of ${documents.collectionName}`;
    const upgrade = isIndexed ? this.users.format.describe() : creation;
    const sharding = await this.users.describeSharding(documents.collectionName, 'email');
    const reason = connection.whyWritesAreNotRetried();
    if (reason !== undefined && this.users.sharded.get(documents.collectionName)) {
      const text = `${sharding}, and no address can be changed, because ${reason}`;
      throw new Fault('store_rejected', `database ${databaseName}: ${text}`);
    }
    const warning = reason === undefined ? undefined : `a write whose reply is lost gets 503, because ${reason}`;
    const line = [`database ${databaseName} is read and written`, upgrade, sharding, warning];
    return line.filter((part) => part !== undefined).join('; ');
  }

  close(): Promise<void> {
    return this.users.close();
  }

  /**
   * Runs a write of the document with this `email`, which the unique index may refuse. If a connection broke meanwhile,
   * an earlier attempt may still arrive, and would be applied once the address is free. The server refuses it after
   * another write of the session, whose transaction number is higher.
   */
  private unlessTaken<Outcome>(
    email: string,
    write: (options: UpdateOptions) => Promise<Outcome>,
  ): Promise<Outcome | 'taken'> {
    const { connection, documents } = this.users;
    const { breaks } = connection;
    const written = this.users.callWithIndex<Outcome | 'taken'>(async () => {
      const session = connection.startSession();
      const options = { ...this.writeOptions, session };
      try {
        return await write(options);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // Changes nothing: no version is empty. With the same address, because a cluster numbers writes in each shard.
        if (connection.breaks !== breaks)
          await documents.updateOne({ email, version: '' }, { $set: { version: '' } }, options);
        return 'taken';
      } finally {
        await session.endSession();
      }
    });
    return this.naming(email, written);
  }

  /** Names the document if the server refused a write because another program has damaged its list of events. */
  private async naming<Outcome>(email: string, written: Promise<Outcome>): Promise<Outcome> {
    try {
      return await written;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'store_rejected') throw error;
      const damaged = { email, events: { $exists: true, $not: { $type: 'array' } } } as const;
      const found = await this.users.documents.findOne(damaged, { projection: { _id: 1 } }).catch(() => null);
      if (found === null) throw error;
      throw new Fault('store_rejected', 'a stored user has no readable events', { record: email });
    }
  }

  private get writeOptions() {
    return { ...indexHint, maxTimeMS: this.users.timeoutMs };
  }

  /** The document of a user, by a plain command: a cursor of the driver would cost a quarter of a read. */
  private async findDocument(key: EmailKey): Promise<Document | undefined> {
    const { documents, timeoutMs: maxTimeMS } = this.users;
    const single = { limit: 1, singleBatch: true, readConcern: consistentReads.readConcern };
    const filter = { email: key };
    const command = { find: documents.collectionName, filter, projection: readFields, maxTimeMS, ...single };
    try {
      const { cursor } = await this.database.command(command);
      const [document]: readonly Document[] = cursor.firstBatch;
      return document;
    } catch (error) {
      // A text with bytes that are no UTF-8.
      throw error instanceof BSON.BSONError ? unreadableUser(['text'], key) : error;
    }
  }
}
