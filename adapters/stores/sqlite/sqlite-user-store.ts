import { Fault } from '../../../application/fault.ts';
import type { OpenAttemptCounter } from '../../../application/ports/attempt-counter.ts';
import type { QueuedEvent } from '../../../application/ports/event-outbox.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { Listing, UserListing, UserPage } from '../../../application/ports/user-listing.ts';
import { type StoredUser, type StorePorts, UserStore } from '../../../application/ports/user-store.ts';
import { type EmailKey, keyOf } from '../../../domain/email-address.ts';
import type { User } from '../../../domain/user.ts';
import { removeLog } from './database.ts';
import { faultOf, type Trouble, troubleOf } from './errors.ts';
import { Reader } from './reader.ts';
import { toRow } from './row.ts';
import { SqliteEventOutbox } from './sqlite-event-outbox.ts';
import type { WriteQueue } from './write-queue.ts';
import { isTrouble, type Outcome, type Write } from './writes.ts';

/** How long to leave a database alone that could not be opened, in milliseconds. */
const pauseBetweenAttempts = 1000;

/** Users in one SQLite file: read on the main thread, written by a thread of their own. */
export class SqliteUserStore extends UserStore implements UserListing {
  private reader: Reader | undefined;
  private opening: Promise<Reader> | undefined;
  private failure: { readonly fault: Fault; readonly at: number } | undefined;
  private damage: Fault | undefined;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly queue: WriteQueue,
    private readonly log: Log,
    private readonly evenReads = false,
  ) {
    super();
  }

  find(key: EmailKey): Promise<StoredUser | undefined> {
    return this.read((reader) => reader.find(key));
  }

  list(listing: Listing): Promise<UserPage> {
    return this.read((reader) => reader.list(listing));
  }

  async insert(user: User, events?: readonly QueuedEvent[]): Promise<'inserted' | 'taken'> {
    const write: Write = { kind: 'insert', key: keyOf(user.email.address), row: toRow(user), events };
    return (await this.write(write)) === 'done' ? 'inserted' : 'taken';
  }

  async replace(
    { user, version }: StoredUser,
    next: User,
    events?: readonly QueuedEvent[],
  ): Promise<'replaced' | 'stale' | 'taken'> {
    const previous = keyOf(user.email.address);
    const key = keyOf(next.email.address);
    const outcome = await this.write({ kind: 'replace', previous, version, key, row: toRow(next), events });
    if (outcome === 'done') return 'replaced';
    return outcome === 'taken' ? 'taken' : 'stale';
  }

  async remove({ user, version }: StoredUser, events?: readonly QueuedEvent[]): Promise<'removed' | 'stale'> {
    const outcome = await this.write({ kind: 'remove', previous: keyOf(user.email.address), version, events });
    return outcome === 'done' ? 'removed' : 'stale';
  }

  /** Also throws when the content of the file was found broken once, until the service is started with a sound one. */
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
    // A connection that only reads leaves the log behind, so that one that may write is the last to close.
    if (this.reader !== undefined && !this.queue.hasWriter) removeLog(this.path);
    this.reader = undefined;
    await this.queue.close();
  }

  /** The store with everything that it supports. */
  get ports(): StorePorts {
    const events = new SqliteEventOutbox(
      (ask) => this.read(ask),
      (write) => this.write(write),
    );
    const attempts: OpenAttemptCounter = async (limits) =>
      (await import('./sqlite-attempt-counter.ts')).attemptsBeside(this.path, limits);
    return { users: this, listing: this, events, attempts };
  }

  /** Opens the database unless it is open, or failed to open a moment ago; throws a Fault. */
  async open(): Promise<Reader> {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.reader !== undefined) return this.reader;
    if (this.opening !== undefined) return this.opening;
    if (this.failure !== undefined && performance.now() < this.failure.at + pauseBetweenAttempts)
      throw this.failure.fault;
    this.opening = this.attempt().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async attempt(): Promise<Reader> {
    try {
      // The writing thread is started by the first write; a file that is ready to be read does not need it before.
      this.reader = Reader.ofReadyFile(this.path, this.evenReads);
      if (this.reader === undefined) {
        const result = await this.queue.submit({ kind: 'check' });
        if (isTrouble(result)) throw faultOf(this.path, result);
        this.reader = Reader.open(this.path, this.evenReads);
      }
    } catch (error) {
      const fault = error instanceof Fault ? error : faultOf(this.path, troubleOf(error));
      if (this.failure === undefined) this.log.warn({ reason: fault.message }, 'the database can not be opened');
      this.failure = { fault, at: performance.now() };
      throw fault;
    }
    if (this.failure !== undefined) this.log.info({ path: this.path }, 'the database is open');
    this.failure = undefined;
    return this.reader;
  }

  private async read<Answer>(ask: (reader: Reader) => Answer): Promise<Answer> {
    const reader = this.reader ?? (await this.open());
    try {
      return ask(reader);
    } catch (error) {
      throw this.faultOf(troubleOf(error));
    }
  }

  private async write(write: Write): Promise<Outcome> {
    if (this.reader === undefined) await this.open();
    const result = await this.queue.submit(write);
    if (isTrouble(result)) throw this.faultOf(result);
    return result;
  }

  private faultOf(trouble: Trouble): Fault {
    const fault = faultOf(this.path, trouble);
    if (trouble.damaged && this.damage === undefined) {
      this.damage = fault;
      this.log.error({ reason: fault.message }, 'the database is damaged; restore it and start the service again');
    }
    return fault;
  }
}
