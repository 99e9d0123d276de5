import type { Collection, Document } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { withTimeout } from '../../../application/interceptor.ts';
import type { Clock } from '../../../application/ports/clock.ts';
import { checkTimeoutMs } from '../../kit/definition.ts';
import { systemClock } from '../../system-clock.ts';
import { type FormatMark, type MarkContext, StoredFormat } from '../stored-format.ts';
import { isMissingIndex, isUnconfirmed, isWriteConflict, otherIndex, toFault } from './errors.ts';
import { durableWrite, type MongoConnection } from './mongodb-connection.ts';
import type { PrimaryConfirmation } from './primary-confirmation.ts';
import { UnreachableDatabase } from './reachability.ts';
import { indexHint, UserIndexes } from './user-indexes.ts';
import { removedPrefix, type UserRecord } from './user-record.ts';

/** Attempts of a command that loses against another write, or against an administrator who drops the index. */
const maxAttempts = 4;

/** The document that marks the collection with a format. Its `email` keeps it out of listings, also of former versions. */
export const formatMark = {
  filter: { _id: 'format', email: `${removedPrefix}format` },
  updateTo: ({ format, time }: FormatMark) => ({
    $max: { format },
    $setOnInsert: { version: 'format', time },
  }),
} as const;

/** The collection of the users: runs commands within a timeout, and makes sure that the unique indexes exist. */
export class UserCollection {
  readonly indexes: UserIndexes;
  private closed = false;
  /** Whether nothing may be created or changed. */
  readonly readOnly: boolean;
  /** Whether users may have names. */
  readonly keepsNames: boolean;
  readonly clock: Clock;
  readonly format: StoredFormat;
  /** Whether collections of a sharded cluster are sharded, after `describeSharding`. */
  readonly sharded = new Map<string, boolean>();

  /** `timeoutMs` limits every call that has no timeout of its own. */
  constructor(
    readonly connection: MongoConnection,
    readonly documents: Collection<UserRecord>,
    readonly primary: PrimaryConfirmation,
    readonly timeoutMs: number,
    { readOnly = false, keepsNames = false, clock = systemClock }: MarkContext = {},
  ) {
    this.clock = clock;
    this.readOnly = readOnly;
    this.keepsNames = keepsNames;
    this.indexes = new UserIndexes(documents, { timeoutMs, readOnly, keepsNames });
    this.format = new StoredFormat({
      place: `database ${documents.dbName}`,
      readOnly,
      keepsNames,
      clock,
      read: async () => {
        const mark = await documents.findOne<Document>(formatMark.filter, { maxTimeMS: timeoutMs });
        return mark === null ? undefined : { format: mark.format, time: mark.time };
      },
      write: async (mark) => {
        await documents.updateOne(formatMark.filter, formatMark.updateTo(mark), { upsert: true, maxTimeMS: timeoutMs });
      },
    });
  }

  get databaseName(): string {
    return this.documents.dbName;
  }

  /** Creates the unique indexes unless they exist; throws a Fault. */
  createIndexes(): Promise<void> {
    return this.call(async () => {
      await this.indexes.addresses.get();
      if (this.keepsNames) await this.indexes.namesAreSeparate.get();
    });
  }

  /** Runs an operation on the database within a timeout; throws a Fault. */
  async call<Result>(run: () => Promise<Result>, timeoutMs = this.timeoutMs): Promise<Result> {
    const { connection, databaseName } = this;
    this.format.throwIfNewer();
    if (this.closed) throw new Fault('store_unavailable', `database ${databaseName}: it was closed`);
    try {
      const onTimeout = () => connection.whyUnreachable() ?? this.noResponse(timeoutMs);
      return await withTimeout(timeoutMs, connection.ready().then(run), onTimeout);
    } catch (error) {
      if (isUnconfirmed(error)) this.primary.invalidate();
      throw toFault(databaseName, error, connection.whyUnreachable());
    }
  }

  /** Runs a read in `call`, which sees every write that was acknowledged before. */
  read<Result>(run: () => Promise<Result>): Promise<Result> {
    return this.call(() => this.primary.read(run));
  }

  /**
   * Runs a command that names an index, in `call`. It creates the unique index first, and again when the command finds an
   * index missing.
   */
  callWithIndex<Result>(run: () => Promise<Result>, timeoutMs?: number): Promise<Result> {
    return this.call(async () => {
      for (let attempt = 1; ; attempt++) {
        await this.indexes.required();
        try {
          return await run();
        } catch (error) {
          if (isMissingIndex(error)) this.indexes.forget();
          else if (!isWriteConflict(error)) throw error;
          if (attempt === maxAttempts) throw error;
        }
      }
    }, timeoutMs);
  }

  /**
   * How a collection with a unique index on `field` is distributed, for operators: undefined unless the cluster is sharded.
   * The shard key is not read, because that needs access to the database `config`; only one of `field` permits the index.
   */
  async describeSharding(collection: string, field: string): Promise<string | undefined> {
    if (!this.connection.isShardedCluster()) return undefined;
    const isSharded = this.sharded.get(collection) ?? (await this.readSharding(collection));
    if (isSharded === undefined) return `whether ${collection} is sharded is unknown, because collStats failed`;
    this.sharded.set(collection, isSharded);
    return isSharded ? `${collection} is sharded by ${field}` : `${collection} is not sharded`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.connection.close();
  }

  private async readSharding(collection: string): Promise<boolean | undefined> {
    const maxTimeMS = Math.min(checkTimeoutMs, this.timeoutMs);
    const database = this.connection.database(this.databaseName, { readPreference: 'primary' });
    const statistics = this.call(() => database.command({ collStats: collection, maxTimeMS }), maxTimeMS);
    const { sharded }: Document = await statistics.catch(() => ({}));
    return typeof sharded === 'boolean' ? sharded : undefined;
  }

  private noResponse(timeoutMs: number): UnreachableDatabase {
    const question = this.connection.hasAnswered() ? '' : '; is it MongoDB that listens there?';
    return new UnreachableDatabase(`no response within ${timeoutMs} ms${question}`);
  }
}

/** The collection of names, where they are in one of their own. */
interface CollectionOfNames {
  readonly collectionName: string;
  check(): Promise<void>;
}

/**
 * Runs one command that needs what a write needs and changes nothing: a primary, a majority that confirmed the last write
 * of the primary (it writes at least every 10 s), the unique index, and the permission to read and to remove. Resolves with
 * a line for operators.
 */
export const checkUsers = async (users: UserCollection, names: CollectionOfNames): Promise<string> => {
  const { connection, databaseName, documents, format, readOnly } = users;
  const { collectionName } = documents;
  const timeoutMs = Math.min(checkTimeoutMs, users.timeoutMs);
  const options = { ...indexHint, writeConcern: durableWrite(timeoutMs), maxTimeMS: timeoutMs };
  // No user has an empty address.
  let isIndexed = true;
  const probe = async (): Promise<void> => {
    try {
      await documents.findOneAndDelete({ email: '' }, options);
    } catch (error) {
      if (!readOnly || !isMissingIndex(error)) throw error;
      isIndexed = false;
    }
  };
  const isReplaced = await users.call(() => users.indexes.recheck(), timeoutMs);
  await users.callWithIndex(probe, timeoutMs);
  // Where it may write, the attempt to create the index has thrown.
  if (isReplaced && readOnly) throw new Fault('store_rejected', `database ${databaseName}: ${otherIndex}`);
  await users.call(() => format.check(), timeoutMs);
  const upgrade = isIndexed ? format.describe() : `the service creates the unique index of ${collectionName}`;
  const sharding = await users.describeSharding(collectionName, 'email');
  const reason = connection.whyWritesAreNotRetried();
  if (reason !== undefined && users.sharded.get(collectionName)) {
    const text = `${sharding}, and no address can be changed, because ${reason}`;
    throw new Fault('store_rejected', `database ${databaseName}: ${text}`);
  }
  const warning = reason === undefined ? undefined : `a write whose reply is lost gets 503, because ${reason}`;
  const line = [`database ${databaseName} is read and written`, upgrade, sharding];
  if (users.keepsNames && !readOnly) {
    const areSeparate = await users.call(() => users.indexes.namesAreSeparate.get(), timeoutMs);
    if (areSeparate) await users.call(() => names.check(), timeoutMs);
    line.push(`names are in ${areSeparate ? `${names.collectionName}, written in transactions` : collectionName}`);
  }
  return [...line, warning].filter((part) => part !== undefined).join('; ');
};
