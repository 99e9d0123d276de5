import { randomUUID } from 'node:crypto';
import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import { type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import { fieldOf, type User, userFields } from '../../../domain/user.ts';
import { toFailure } from './errors.ts';
import { describeUnopened } from './former-schema.ts';
import type { Reader } from './reader.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { UserRow } from './user-table.ts';
import { isFailure, type Write, type WriteOutcome } from './write-queue.ts';

/** The row of a user without its key and version. */
export const toRow = (user: User): UserRow =>
  userFields.map((field) => {
    const value = fieldOf(user, field);
    return typeof value === 'boolean' ? Number(value) : (value ?? null);
  });

const written = ({ user, version }: StoredUser) => ({
  key: keyOf(user.email.address),
  row: [version, ...toRow(user)],
  characters: user.properties.length,
});

/** Users in one SQLite file: read on the main thread, written by another thread. */
export class SqliteUserStore extends UserStore {
  constructor(private readonly connection: SqliteConnection) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.read((reader) => reader.find(key));
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<StoredUser | 'taken'> {
    const stored = { user, version: randomUUID() };
    const outcome = await this.write({ kind: 'insert', ...written(stored), events });
    return outcome === 'done' ? stored : 'taken';
  }

  async replace(
    { user, version }: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<StoredUser | 'stale' | 'taken'> {
    const previous = keyOf(user.email.address);
    const stored = { user: next, version: randomUUID() };
    const outcome = await this.write({ kind: 'replace', previous, version, ...written(stored), events });
    if (outcome === 'done') return stored;
    return outcome === 'taken' ? 'taken' : 'stale';
  }

  async remove({ user, version }: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const outcome = await this.write({ kind: 'remove', previous: keyOf(user.email.address), version, events });
    return outcome === 'done' ? 'removed' : 'stale';
  }

  /** Once the file was found to be damaged, this fails until the service is restarted with an intact one. */
  async check(): Promise<string> {
    await this.read((reader) => reader.check());
    if (this.connection.isReadOnly) return this.read((reader) => describeUnopened(this.connection.path, reader.schema));
    await this.write({ kind: 'check' });
    await this.connection.checkDisk();
    if (this.connection.damage !== undefined) throw this.connection.damage;
    return `database ${this.connection.path} is read and written`;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Runs a read on the open database, also for the other ports; throws a Fault. */
  async read<Result>(query: (reader: Reader) => Result | Promise<Result>): Promise<Result> {
    const reader = this.connection.reader ?? (await this.connection.open());
    try {
      return await query(reader);
    } catch (error) {
      throw error instanceof Fault ? error : this.connection.faultOf(toFailure(error));
    }
  }

  /** Queues a write and waits for its outcome, also for the other ports; throws a Fault. */
  async write(write: Write): Promise<WriteOutcome> {
    if (this.connection.isReadOnly) throw new Fault('store_rejected', 'the database was opened for reading only');
    if (this.connection.reader === undefined) await this.connection.open();
    const result = await this.connection.queue.submit(write);
    if (isFailure(result)) throw this.connection.faultOf(result);
    return result;
  }
}
