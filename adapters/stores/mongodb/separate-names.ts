import { type ClientSession, type Collection, MongoServerError } from 'mongodb';
import type { Reservation, StoredUser, Taken } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { readSafeIndexes } from './collection-options.ts';
import { collectionOptions, durableWrite } from './mongodb-connection.ts';
import { expiry, takenBy } from './mongodb-reservations.ts';
import type { UserCollection } from './user-collection.ts';

/** A name of a user, or a reservation, which has no address and expires. */
interface NameRecord {
  readonly _id: string;
  readonly email?: EmailKey;
  readonly version: string;
  readonly expires?: Date;
}

/** The identifier is the name, so that the index that every collection has makes it unique. */
const isNameTaken = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000;

/** Whether a transaction was not applied because of a concurrent one, or of a change of the primary. */
export const isAborted = (error: unknown): boolean =>
  error instanceof MongoServerError && error.hasErrorLabel('TransientTransactionError');

/**
 * The names of users in a collection that is sharded by address, which can have no unique index of names. They are in a
 * collection that is not sharded, and written in one transaction with the users; their documents repeat them.
 */
export class SeparateNames {
  readonly collectionName: string;
  private readonly records: Collection<NameRecord>;
  /** A transaction of several shards cannot create the collection. */
  private readonly created = new Once(async () => {
    await this.check();
    await this.records.createIndex({ expires: 1 }, { expireAfterSeconds: 0, sparse: true });
  });

  constructor(private readonly users: UserCollection) {
    const { connection, databaseName, documents, timeoutMs } = users;
    this.collectionName = `${documents.collectionName}-names`;
    this.records = connection
      .database(databaseName, {})
      .collection<NameRecord>(this.collectionName, collectionOptions(timeoutMs));
  }

  /** Throws a Fault if the server would delete names, or take different ones for the same. */
  async check(): Promise<void> {
    await readSafeIndexes(this.records);
  }

  /** The record of a name. */
  async recordOf(name: UserKey): Promise<NameRecord | undefined> {
    return (await this.records.findOne({ _id: name }, this.options)) ?? undefined;
  }

  /** The first of these names that is in use, in their order. */
  async takenOf(names: readonly UserName[], known: readonly Reservation[]): Promise<Taken | undefined> {
    const options = { ...this.options, readConcern: { level: 'local' } } as const;
    const found = await this.records.find({ _id: { $in: [...names] } }, options).toArray();
    for (const name of names) {
      const record = found.find(({ _id }) => _id === name);
      if (record === undefined) continue;
      const isReserved = await this.isOrphan(record);
      const taken = takenBy(name, { version: record.version, isReserved }, known);
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /**
   * Reserves a name, or renews its reservation, in this version of it if there is one. False if the name is in use
   * otherwise.
   */
  async reserve({ key, version }: Reservation, former?: string): Promise<boolean> {
    await this.created.get();
    const record = await this.recordOf(key);
    const isOrphan = former === undefined && record?.email !== undefined && (await this.isOrphan(record));
    const reserved = isOrphan
      ? { _id: key, version: record.version }
      : { _id: key, email: { $exists: false }, ...(former !== undefined && { version: former }) };
    const update = [{ $set: { version, expires: expiry } }, { $unset: 'email' }];
    try {
      await this.records.updateOne(reserved, update, { ...this.options, upsert: true });
      return true;
    } catch (error) {
      if (isNameTaken(error)) return false;
      throw error;
    }
  }

  /** Ends a reservation; false if this version of it is not stored. */
  async release({ key, version }: Reservation): Promise<boolean> {
    const { deletedCount } = await this.records.deleteOne({ _id: key, version }, this.options);
    return deletedCount === 1;
  }

  /**
   * Runs a write in a transaction with the names before and after it, unless it is `stale`. Resolves with `taken` if
   * another user or a reservation has one of the names.
   */
  async withNames<Outcome>(
    session: ClientSession,
    { previous, next }: { readonly previous?: StoredUser; readonly next?: StoredUser },
    write: () => Promise<Outcome>,
  ): Promise<Outcome | 'taken'> {
    await this.created.get();
    session.startTransaction({ readConcern: { level: 'local' }, writeConcern: durableWrite(this.users.timeoutMs) });
    const outcome = await write();
    if (outcome === 'stale') return outcome;
    const options = { ...this.options, session };
    const { names: before = [] } = previous ?? {};
    if (previous !== undefined && before.length > 0)
      await this.records.deleteMany({ _id: { $in: [...before] }, email: keyOf(previous.user.email.address) }, options);
    const { names: after = [] } = next ?? {};
    if (next !== undefined && after.length > 0) {
      const { user, version } = next;
      const email = keyOf(user.email.address);
      try {
        await this.records.insertMany(
          after.map((name) => ({ _id: name, email, version })),
          options,
        );
      } catch (error) {
        if (isNameTaken(error)) return 'taken';
        this.created.forget();
        throw error;
      }
    }
    await session.commitTransaction();
    return outcome;
  }

  /**
   * Whether a record is a reservation, or its user does not have the name, because a former version has moved or removed it.
   * In a transaction, because another read ignores a write that is being committed on its shard.
   */
  private async isOrphan({ _id, email }: NameRecord): Promise<boolean> {
    if (email === undefined) return true;
    const { connection, documents } = this.users;
    const session = connection.startSession();
    try {
      session.startTransaction({ readConcern: { level: 'local' } });
      const user = await documents.findOne({ email }, { ...this.options, session, projection: { names: 1 } });
      if (user?.names?.includes(_id)) return false;
    } finally {
      await session.endSession();
    }
    // Reads all users, because one that a former version has moved keeps its names.
    return (await documents.findOne({ names: _id }, { ...this.options, projection: { _id: 1 } })) === null;
  }

  private get options() {
    return { maxTimeMS: this.users.timeoutMs };
  }
}
