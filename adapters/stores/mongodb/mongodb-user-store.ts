import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { AttemptCounter, AttemptLimits } from '../../../application/ports/attempt-counter.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import {
  keyRange,
  type Listing,
  mostExamined,
  pageOf,
  type UserListing,
  type UserPage,
} from '../../../application/ports/user-listing.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import type { Connection } from './connection.ts';
import { faultOf, isDuplicate, isRepeatableRead, isWriteConflict, mayMissIndex } from './errors.ts';
import { adding, removal, toEventRecords } from './event-record.ts';
import { currentReads, durably, guaranteesOfCounts } from './limits.ts';
import { MongodbEventOutbox } from './mongodb-event-outbox.ts';
import { Obstacle } from './reachability.ts';
import { readFields, toRecord, toStoredUser, type UserRecord } from './record.ts';
import { indexHint, UniqueIndex } from './unique-index.ts';

/** How often a write is tried that lost against another one, or against whoever dropped the index. */
const attempts = 4;

/** Whatever the collection was made with: the order of the index is that of the characters. */
const byCharacters = { locale: 'simple' } as const;

const whichFits = ({ user, version }: StoredUser) => ({ email: keyOf(user.email.address), version });

/**
 * Users in one collection, one round trip for each call. In a replica set or a sharded cluster the driver repeats a
 * write whose reply was lost under the same transaction number, and the server then answers with what the first one
 * did (retryable writes). A single server can't, and neither may a driver that was told so: the write then fails as
 * unavailable, and may have been applied. In neither case is a write of our own taken for somebody else's.
 */
export class MongodbUserStore extends UserStore implements UserListing {
  private readonly index: UniqueIndex;
  private readonly database: Db;
  /** The same users without what only a write needs: the driver's copies of it would be a tenth of what a read costs. */
  private readonly reads: Collection<UserRecord>;
  private closed = false;

  /** `deadline` is how long a call may take, in milliseconds. */
  constructor(
    private readonly connection: Connection,
    private readonly users: Collection<UserRecord>,
    private readonly deadline: number,
  ) {
    super();
    this.index = new UniqueIndex(users);
    this.database = connection.database(users.dbName, { readPreference: 'primary' });
    this.reads = this.database.collection(users.collectionName, currentReads);
  }

  /** Resolves when users can be written: the unique index is there. Throws a Fault. */
  prepare(): Promise<void> {
    return this.call(() => this.index.ready());
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.call(async () => {
      const document = await this.documentOf(key);
      return document === undefined || document === null ? undefined : toStoredUser(document);
    });
  }

  list(listing: Listing): Promise<UserPage> {
    return this.call(() => this.withIndex(() => this.page(listing)));
  }

  insert(user: User, events: readonly QueuedEvent[] = []): Promise<'inserted' | 'taken'> {
    const version = randomUUID();
    const { email, ...record } = toRecord(user, version);
    const fields = events.length === 0 ? record : { ...record, events: toEventRecords(events) };
    return this.write<'inserted' | 'taken'>(
      async (options) => {
        // An upsert, because an insert can't name the index that it needs. No document has the new identifier, except
        // one that an attempt of this very call has stored.
        await this.users.updateOne({ _id: version, email }, { $setOnInsert: fields }, { ...options, upsert: true });
        return 'inserted';
      },
      () => 'taken',
    );
  }

  /** What waits from before stays, also where no more events are wanted. */
  replace(
    previous: StoredUser,
    next: User,
    events: readonly QueuedEvent[] = [],
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const change = { $set: toRecord(next, randomUUID()), ...adding(events) };
    return this.write<'replaced' | 'stale' | 'taken'>(
      async (options) => {
        const { matchedCount } = await this.users.updateOne(whichFits(previous), change, options);
        return matchedCount === 1 ? 'replaced' : 'stale';
      },
      () => 'taken',
    );
  }

  remove(previous: StoredUser, events: readonly QueuedEvent[] = []): Promise<'removed' | 'stale'> {
    return this.write(async (options) => {
      const which = whichFits(previous);
      if (events.length === 0) {
        // Also where events are switched off: those from before are delivered when they are switched on again.
        const alone = { ...which, 'events.0': { $exists: false } };
        const { deletedCount } = await this.users.deleteOne(alone, options);
        if (deletedCount === 1) return 'removed';
      }
      // Whoever delivers the last event of a document meanwhile makes this stale, and it is tried again.
      const kept = events.length === 0 ? { 'events.0': { $exists: true } } : {};
      const { matchedCount } = await this.users.updateOne(
        { ...which, ...kept },
        removal(randomUUID(), events),
        options,
      );
      return matchedCount === 1 ? 'removed' : 'stale';
    });
  }

  /** The store with everything that it supports. */
  get ports(): StorePorts {
    const events = new MongodbEventOutbox(this.users, (run) => this.call(() => this.withIndex(run)));
    return { users: this, listing: this, events, attempts: (limits) => this.attempts(limits) };
  }

  /**
   * One command that needs what a write needs and changes nothing: a primary, a majority that confirmed what the
   * primary wrote last (it writes at least every 10 s), the index, the permission to read and to remove. The unique
   * index is made first, unless this store has seen it already, and again when the command finds none.
   */
  async check(): Promise<string> {
    const patience = Math.min(checkTimeoutMs, this.deadline);
    const options = { ...indexHint, writeConcern: durably(patience), maxTimeMS: patience };
    // No user has an empty address.
    const touch = () => this.users.findOneAndDelete({ email: '' }, options);
    await this.call(() => this.withIndex(touch), patience);
    const once = this.connection.whyOnce();
    const reservation = once === undefined ? '' : `; a write whose reply is lost gets 503, because ${once}`;
    return `database ${this.users.dbName} is read and written${reservation}`;
  }

  private async attempts(limits: AttemptLimits): Promise<AttemptCounter> {
    const { attemptsBeside } = await import('./mongodb-attempt-counter.ts');
    const { users, connection, deadline } = this;
    const calling = {
      call: <T>(work: () => Promise<T>, patience?: number) => this.call(work, patience),
      patienceOfCheck: Math.min(checkTimeoutMs, deadline),
    };
    const database = connection.database(users.dbName, guaranteesOfCounts);
    return attemptsBeside(users.collectionName, database, calling, limits);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.connection.close();
  }

  /**
   * The document of a user, by the command itself: the driver's cursor would take a quarter of a read. The driver repeats
   * no command whose reply was lost, so that such a read is left to its `findOne`, which does.
   */
  private async documentOf(key: EmailKey): Promise<unknown> {
    const bounds = { projection: readFields, maxTimeMS: this.deadline };
    const one = { limit: 1, singleBatch: true, readConcern: currentReads.readConcern };
    try {
      const command = { find: this.users.collectionName, filter: { email: key }, ...bounds, ...one };
      const { cursor } = await this.database.command(command);
      const [document]: readonly unknown[] = cursor.firstBatch;
      return document;
    } catch (error) {
      if (!isRepeatableRead(error)) throw error;
      return this.reads.findOne({ email: key }, bounds);
    }
  }

  /** The order of the keys is that of the index, which alone answers how far one look goes where only some users fit. */
  private async page(listing: Listing): Promise<UserPage> {
    const { from, to, except } = keyRange(listing);
    const { limit, verified } = listing;
    const options = { ...indexHint, maxTimeMS: this.deadline, collation: byCharacters, sort: indexHint.hint };
    const keys = { $gte: from, $lt: to, $ne: except };
    const ends = { skip: mostExamined - 1, projection: { _id: 0, email: 1 } };
    const last = verified === undefined ? null : await this.users.findOne({ email: keys }, { ...options, ...ends });
    const near = last === null ? keys : { $gte: from, $lte: last.email, $ne: except };
    const filter = { email: near, address: { $exists: true }, ...(verified !== undefined && { verified }) };
    const found = await this.users
      .find(filter, { ...options, limit: limit + 1, projection: { ...readFields, email: 1 } })
      .toArray();
    const users = found.map((document) => [document.email, toStoredUser(document).user] as const);
    return pageOf(users, limit, last?.email);
  }

  /** Runs a write; `taken` says what it means that the unique index refused it. */
  private write<Outcome>(
    run: (options: typeof indexHint & { readonly maxTimeMS: number }) => Promise<Outcome>,
    taken?: () => Outcome,
  ): Promise<Outcome> {
    return this.call(() => this.withIndex(() => run({ ...indexHint, maxTimeMS: this.deadline }), taken));
  }

  /** Runs a command that names the index: makes the index first, and again when the command finds none. */
  private async withIndex<Outcome>(run: () => Promise<Outcome>, taken?: () => Outcome): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      await this.index.ready();
      try {
        return await run();
      } catch (error) {
        if (taken !== undefined && isDuplicate(error)) return taken();
        if (mayMissIndex(error)) this.index.forget();
        else if (!isWriteConflict(error)) throw error;
        if (attempt === attempts) throw error;
      }
    }
  }

  /** Runs something at the database within a time in milliseconds; throws a Fault. */
  private async call<T>(run: () => Promise<T>, patience = this.deadline): Promise<T> {
    const database = this.users.dbName;
    if (this.closed) throw new Fault('store_unavailable', `database ${database}: it was closed`);
    const late = () => this.connection.obstacle() ?? this.silence(patience);
    try {
      return await withTimeout(patience, this.connection.ready().then(run), late);
    } catch (error) {
      throw faultOf(database, error, this.connection.obstacle());
    }
  }

  private silence(patience: number): Obstacle {
    const question = this.connection.hasAnswered() ? '' : '; is it MongoDB that listens there?';
    return new Obstacle(`no answer within ${patience} ms${question}`);
  }
}
