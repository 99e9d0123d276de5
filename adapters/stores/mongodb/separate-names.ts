import { type ClientSession, type Collection, MongoServerError } from 'mongodb';
import type { Reservation, StoredUser, Taken } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { Once } from '../../concurrency/shared-call.ts';
import { collectionOptions, durableWrite } from './connection.ts';
import { expiry } from './reservations.ts';
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

const takenIn = (key: UserKey, { email, version }: NameRecord): Taken =>
  email === undefined ? { taken: key, reservation: { key, version } } : { taken: key };

/**
 * The names of users in a collection that is sharded by address, which can have no unique index of names. They are in a
 * collection that is not sharded, and written in one transaction with the users; their documents repeat them.
 */
export class SeparateNames {
  readonly collectionName: string;
  private readonly records: Collection<NameRecord>;
  /** A transaction cannot create the collection. */
  private readonly created = new Once(async () => {
    await this.records.createIndex({ expires: 1 }, { expireAfterSeconds: 0, sparse: true });
  });

  constructor(private readonly users: UserCollection) {
    const { connection, databaseName, documents, timeoutMs } = users;
    this.collectionName = `${documents.collectionName}-names`;
    this.records = connection
      .database(databaseName, {})
      .collection<NameRecord>(this.collectionName, collectionOptions(timeoutMs));
  }

  /** The address of the user who has a name. */
  async holderOf(name: UserName): Promise<EmailKey | undefined> {
    return (await this.records.findOne({ _id: name }, this.options))?.email;
  }

  /** The first of these names that is in use, in their order. */
  async takenOf(names: readonly UserName[]): Promise<Taken | undefined> {
    const options = { ...this.options, readConcern: { level: 'local' } } as const;
    const found = await this.records.find({ _id: { $in: [...names] } }, options).toArray();
    for (const name of names) {
      const record = found.find(({ _id }) => _id === name);
      if (record === undefined) continue;
      return takenIn(name, record);
    }
    return undefined;
  }

  /** Reserves a name, or renews its reservation, unless it is in use. */
  async reserve(reservation: Reservation): Promise<Reservation | Taken> {
    const { key: _id, version } = reservation;
    await this.created.get();
    const fields = { version, expires: expiry };
    const options = { ...this.options, upsert: true };
    try {
      await this.records.updateOne({ _id, email: { $exists: false } }, [{ $set: fields }], options);
      return reservation;
    } catch (error) {
      if (!isNameTaken(error)) throw error;
      const record = await this.records.findOne({ _id }, this.options);
      return record === null ? { taken: reservation.key, reservation } : takenIn(reservation.key, record);
    }
  }

  /** Ends this version of a reservation. */
  async release({ key, version }: Reservation): Promise<void> {
    await this.records.deleteOne({ _id: key, version, email: { $exists: false } }, this.options);
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
        throw error;
      }
    }
    await session.commitTransaction();
    return outcome;
  }

  private get options() {
    return { maxTimeMS: this.users.timeoutMs };
  }
}
