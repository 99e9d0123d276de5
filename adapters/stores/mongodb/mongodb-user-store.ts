import { randomUUID } from 'node:crypto';
import { Fault } from '../../../application/fault.ts';
import { randomDelay } from '../../../application/interceptor.ts';
import {
  asStored,
  isTaken,
  type Reservation,
  type StoredUser,
  type Taken,
  UserStore,
  type WriteOptions,
} from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { UserKey, UserName } from '../../../domain/user-name.ts';
import { DocumentReads } from './document-reads.ts';
import { checkUsers, type UserCollection } from './user-collection.ts';
import { isRemoved, removal, removedPrefix, replacing, toEventRecords, toRecord, toStoredUser } from './user-record.ts';
import { UserWrites } from './user-writes.ts';

/** Attempts to find a user by a name while its address changes. */
const maxAttempts = 4;
const retryDelayMs = 5;

const filterOf = ({ user, version }: StoredUser) => ({ email: keyOf(user.email.address), version });

/**
 * Users in one collection, with one round trip for each call. In a replica set or a sharded cluster the driver repeats
 * a write whose reply was lost with the same transaction number, and the server responds with the result of the first
 * one (retryable writes). A single server does not support this, and `retryWrites=false` disables it: the write then
 * fails as unavailable, and may have been applied. The store never mistakes its own write for that of another client.
 */
export class MongodbUserStore extends UserStore {
  private readonly reads: DocumentReads;
  private readonly writes: UserWrites;

  constructor(
    private readonly users: UserCollection,
    private readonly hideUnknownUsers = false,
  ) {
    super();
    this.writes = new UserWrites(users);
    this.reads = new DocumentReads(users);
  }

  /** Creates what the store needs. Other calls also create what is missing, without waiting for the end of reservations. */
  async prepare(): Promise<void> {
    await this.users.createIndexes();
    await this.users
      .call(() => this.writes.expiry.prepare())
      .catch((error: Fault) => {
        // A later reservation creates what is missing.
        if (error.code === 'store_unavailable') return;
        throw new Fault(error.code, `reservations of settled reads do not expire: ${error.message}`);
      });
  }

  async find(key: EmailKey): Promise<StoredUser | undefined> {
    const document = await this.reads.byAddress(key);
    return document && toStoredUser(document, key);
  }

  insert(user: User, { names = [], events = [], reservations = [] }: WriteOptions = {}): Promise<StoredUser | Taken> {
    const version = randomUUID();
    const next = asStored(user, version, names);
    const { email, ...record } = toRecord(user, version, names);
    const fields = events.length === 0 ? record : { ...record, events: toEventRecords(events) };
    return this.writes.write<StoredUser>({ next }, reservations, async ({ update }, over) => {
      if (over !== undefined && (await update(over, replacing(user, version, names, events))) === 1) return next;
      // An upsert, because an insert can't name the index. Only an earlier attempt of this call has the identifier.
      await update({ _id: version, email }, { $setOnInsert: fields }, { upsert: true });
      return next;
    });
  }

  /** Keeps the pending events of the user, even if no events are configured any more. */
  replace(
    previous: StoredUser,
    user: User,
    { names = [], events = [], reservations = [] }: WriteOptions = {},
  ): Promise<StoredUser | 'stale' | Taken> {
    const version = randomUUID();
    const next = asStored(user, version, names);
    return this.writes.write<StoredUser | 'stale'>({ previous, next }, reservations, async ({ update }) =>
      (await update(filterOf(previous), replacing(user, version, names, events))) === 1 ? next : 'stale',
    );
  }

  async remove(previous: StoredUser, { events = [] }: Pick<WriteOptions, 'events'> = {}): Promise<'removed' | 'stale'> {
    const filter = filterOf(previous);
    const written = await this.writes.write<'removed' | 'stale'>({ previous }, [], async (commands) => {
      // Events that were stored before they were disabled are kept until they are enabled again.
      if (events.length === 0 && (await commands.delete({ ...filter, 'events.0': { $exists: false } })) === 1)
        return 'removed';
      // If the last event is delivered in between, this is `stale`, and the caller tries again.
      const withEvents = events.length === 0 ? { ...filter, 'events.0': { $exists: true } } : filter;
      return (await commands.update(withEvents, removal(randomUUID(), events))) === 1 ? 'removed' : 'stale';
    });
    return isTaken(written) ? 'stale' : written;
  }

  reserve(key: UserKey): Promise<Reservation | 'taken'> {
    return this.writes.reserve(key);
  }

  check(): Promise<string> {
    return checkUsers(this.users, this.writes.separateNames);
  }

  close(): Promise<void> {
    return this.users.close();
  }

  /** The user of a name, for the port UserNames. */
  async findByName(name: UserName): Promise<StoredUser | undefined> {
    const { indexes, readOnly } = this.users;
    if (readOnly || !(await this.users.call(() => indexes.namesAreSeparate.get()))) {
      const document = await this.users.read(() => this.reads.findOne({ names: name }, name));
      // A reservation, or the events of a user whom a former version removed.
      if (document === undefined || isRemoved(document.email)) return undefined;
      const stored = toStoredUser(document, String(document.email));
      // By a collation, which only writes refuse, a document also has other names.
      return stored?.names?.includes(name) ? stored : undefined;
    }
    let version: string | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await randomDelay(retryDelayMs * 2 ** attempt);
      const record = await this.users.read(() => this.writes.separateNames.recordOf(name));
      // Makes the second read also for a name that no user has, if that must not be faster.
      const email = record?.email ?? (this.hideUnknownUsers ? `${removedPrefix}${name}` : undefined);
      const document = email && (await this.users.read(() => this.reads.findOne({ email }, name)));
      if (record?.email === undefined) return undefined;
      const stored = document ? toStoredUser(document, record.email) : undefined;
      if (stored?.names?.includes(name)) return stored;
      // The user has moved in between, unless a former version has moved or removed it, and left the record behind.
      if (attempt === maxAttempts - 1 && record.version === version) return undefined;
      version = record.version;
    }
    throw new Fault('store_unavailable', 'a user changed during every attempt to find it by a name');
  }
}
