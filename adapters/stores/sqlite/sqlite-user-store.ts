import { Fault } from '../../../application/fault.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import { type StoredUser, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { removeLog } from './database.ts';
import { type DatabaseFailure, toFailure, toFault } from './errors.ts';
import { Reader } from './reader.ts';
import { toRow } from './user-table.ts';
import { isFailure, type WriteQueue } from './write-queue.ts';
import type { Write, WriteOutcome } from './writes.ts';

const rowOf = (user: User) => ({
  key: keyOf(user.email.address),
  row: toRow(user),
  characters: user.properties.length,
});

/** The delay between a failure to open the database and the next attempt. */
const reopenDelayMs = 1000;

/** Users in one SQLite file: read on the main thread, written by a thread of their own. */
export class SqliteUserStore extends UserStore {
  private reader: Reader | undefined;
  private opening: Promise<Reader> | undefined;
  private failure: { readonly fault: Fault; readonly at: number } | undefined;
  private damage: Fault | undefined;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly queue: WriteQueue,
    private readonly log: Log,
    private readonly hideUnknownUsers = false,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.read((reader) => reader.find(key));
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'> {
    const outcome = await this.write({ kind: 'insert', ...rowOf(user), events });
    return outcome === 'done' ? 'inserted' : 'taken';
  }

  async replace(
    { user, version }: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const previous = keyOf(user.email.address);
    const outcome = await this.write({ kind: 'replace', previous, version, ...rowOf(next), events });
    if (outcome === 'done') return 'replaced';
    return outcome === 'taken' ? 'taken' : 'stale';
  }

  async remove({ user, version }: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const outcome = await this.write({ kind: 'remove', previous: keyOf(user.email.address), version, events });
    return outcome === 'done' ? 'removed' : 'stale';
  }

  /** Once the file was found to be damaged, it also fails until the service starts with a sound one. */
  async check(): Promise<string> {
    await this.read((reader) => reader.check());
    await this.write({ kind: 'check' });
    if (this.damage !== undefined) throw this.damage;
    return `database ${this.path} is read and written`;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.opening?.catch(() => undefined);
    this.reader?.close();
    // A read-only connection that closes last leaves the log behind.
    if (this.reader !== undefined && !this.queue.hasWriter) removeLog(this.path);
    this.reader = undefined;
    await this.queue.close();
  }

  /** Opens the database on first use. After a failure it waits one second before it tries again. Throws a Fault. */
  async open(): Promise<Reader> {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.reader !== undefined) return this.reader;
    if (this.failure !== undefined && performance.now() < this.failure.at + reopenDelayMs) throw this.failure.fault;
    this.opening ??= this.tryToOpen().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async tryToOpen(): Promise<Reader> {
    try {
      // The first write starts the writer thread; reading a file that is ready does not need it.
      this.reader = Reader.openIfReady(this.path, this.hideUnknownUsers);
      if (this.reader === undefined) {
        const result = await this.queue.submit({ kind: 'check' });
        if (isFailure(result)) throw toFault(this.path, result);
        this.reader = Reader.open(this.path, this.hideUnknownUsers);
      }
    } catch (error) {
      const fault = error instanceof Fault ? error : toFault(this.path, toFailure(error));
      if (this.failure === undefined) this.log.warn({ reason: fault.message }, 'the database cannot be opened');
      this.failure = { fault, at: performance.now() };
      throw fault;
    }
    if (this.failure !== undefined) this.log.info({ path: this.path }, 'the database is open');
    this.failure = undefined;
    return this.reader;
  }

  /** Runs a read on the open database, also for the other ports; throws a Fault. */
  async read<Result>(query: (reader: Reader) => Result): Promise<Result> {
    const reader = this.reader ?? (await this.open());
    try {
      return query(reader);
    } catch (error) {
      throw this.toFault(toFailure(error));
    }
  }

  /** Queues a write and waits for its outcome, also for the other ports; throws a Fault. */
  async write(write: Write): Promise<WriteOutcome> {
    if (this.reader === undefined) await this.open();
    const result = await this.queue.submit(write);
    if (isFailure(result)) throw this.toFault(result);
    return result;
  }

  private toFault(failure: DatabaseFailure): Fault {
    const fault = toFault(this.path, failure);
    if (failure.isDamage && this.damage === undefined) {
      this.damage = fault;
      this.log.error({ reason: fault.message }, 'the database is damaged; restore it and start the service again');
    }
    return fault;
  }
}
