import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { Fault } from '../../../application/fault.ts';
import { type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import type { Connection } from './connection.ts';
import { within } from './limits.ts';
import { readFields, toRecord, toStoredUser, type UserRecord } from './record.ts';
import { duplicatedField, faultOf, isWriteConflict } from './trouble.ts';
import { UniqueIndex } from './unique-index.ts';

/** How long operators wait for the health of the database, in milliseconds. */
const patienceOfCheck = 2_500;
/** How often a write is tried that lost against another one. */
const attempts = 4;

const whichFits = ({ user, version }: StoredUser) => ({ email: keyOf(user.email.address), version });

/**
 * Users in one collection, one round trip for each call. The driver repeats a write whose reply was lost under the
 * same transaction number, and the server then answers with what the first one did (retryable writes): no reply is
 * taken for somebody else's.
 */
export class MongodbUserStore extends UserStore {
  private readonly index: UniqueIndex;
  private closed = false;

  /** `deadline` is how long a call may take, in milliseconds. */
  constructor(
    private readonly connection: Connection,
    private readonly users: Collection<UserRecord>,
    private readonly deadline: number,
  ) {
    super();
    this.index = new UniqueIndex(users);
  }

  /** Resolves when users can be written: the unique index is there. Throws a Fault. */
  prepare(): Promise<void> {
    return this.call(() => this.index.ready());
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.call(async () => {
      const options = { projection: readFields, maxTimeMS: this.deadline };
      const document = await this.users.findOne({ email: key }, options);
      return document === null ? undefined : toStoredUser(document);
    });
  }

  insert(user: User): Promise<'inserted' | 'taken'> {
    const version = randomUUID();
    const record = { _id: version, ...toRecord(user, version) };
    return this.write<'inserted' | 'taken'>(
      async (options) => {
        await this.users.insertOne(record, options);
        return 'inserted';
      },
      // The identifier is new: only an attempt of this very call can have stored it.
      (field) => (field === '_id' ? 'inserted' : 'taken'),
    );
  }

  replace(previous: StoredUser, next: User): Promise<'replaced' | 'stale' | 'taken'> {
    const record = toRecord(next, randomUUID());
    return this.write<'replaced' | 'stale' | 'taken'>(
      async (options) => {
        const { matchedCount } = await this.users.replaceOne(whichFits(previous), record, options);
        return matchedCount === 1 ? 'replaced' : 'stale';
      },
      () => 'taken',
    );
  }

  remove(previous: StoredUser): Promise<'removed' | 'stale'> {
    return this.write(async (options) => {
      const { deletedCount } = await this.users.deleteOne(whichFits(previous), options);
      return deletedCount === 1 ? 'removed' : 'stale';
    });
  }

  async check(): Promise<string> {
    const patience = Math.min(patienceOfCheck, this.deadline);
    await this.call(async () => {
      await this.index.make();
      await this.users.findOne({ email: '' }, { projection: readFields, maxTimeMS: patience });
      // Removes nothing: no user has an empty address.
      await this.users.deleteOne({ email: '' }, { maxTimeMS: patience });
    }, patience);
    return `database ${this.users.dbName} is read and written`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.connection.close();
  }

  /** Runs a write; `refused` says what it means that the unique index of a field refused it. */
  private write<Outcome>(
    run: (options: { readonly maxTimeMS: number }) => Promise<Outcome>,
    refused?: (field: string) => Outcome,
  ): Promise<Outcome> {
    return this.call(async () => {
      await this.index.ready();
      for (let attempt = 1; ; attempt++) {
        try {
          return await run({ maxTimeMS: this.deadline });
        } catch (error) {
          const field = duplicatedField(error);
          if (field !== undefined && refused !== undefined) return refused(field);
          if (!isWriteConflict(error) || attempt === attempts) throw error;
        }
      }
    });
  }

  /** Runs something at the database within a time in milliseconds; throws a Fault. */
  private async call<T>(run: () => Promise<T>, patience = this.deadline): Promise<T> {
    const database = this.users.dbName;
    if (this.closed) throw new Fault('store_unavailable', `database ${database}: it was closed`);
    const late = () => {
      const reason = this.connection.failure() ?? `no answer within ${patience} ms`;
      return new Fault('store_unavailable', `database ${database}: ${reason}`);
    };
    try {
      return await within(patience, this.connection.ready().then(run), late);
    } catch (error) {
      throw faultOf(database, error);
    }
  }
}
