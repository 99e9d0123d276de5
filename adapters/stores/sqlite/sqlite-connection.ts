import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import type { StoredUser } from '../../../application/ports/user-store.ts';
import type { UserKey } from '../../../domain/user-name.ts';
import { eventsStartAgain, wayBack } from '../stored-format.ts';
import { type DatabaseFiles, requireFolderOfFile } from './database-files.ts';
import { type DatabaseFailure, toFailure, toFault, unavailable } from './errors.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import { canChange, hasSpace, isEmptyLog, isWritable, removeLog } from './sqlite-database.ts';
import { schemaVersion } from './sqlite-schema.ts';
import { isFailure, type Write, type WriteOutcome, type WriteQueue } from './write-queue.ts';

/** The delay between a failure to open the database and the next attempt. */
const reopenDelayMs = 1000;
/** The delay between the first check and the start of the writer thread, so that it takes no time from the first requests. */
const writerStartDelayMs = 1000;

/** Files of this schema and former ones are from versions that kept events until they were delivered. */
const lastSchemaWithoutExpiry = 3;

interface ConnectionOptions extends ReaderOptions {
  /** Whether nothing may be written. */
  readonly readOnly?: boolean;
}

/** A database: the reader of this thread and, by its queue, the writer thread. Throws Faults only. */
export class SqliteConnection {
  /** Undefined while the database is not open. */
  private reader: Reader | undefined;
  /** Set once the file was found to be damaged, until the service is restarted with an intact one. */
  private damage: Fault | undefined;
  private opening: Promise<Reader> | undefined;
  private failure: { readonly fault: Fault; readonly failedAtMs: number } | undefined;
  /** Failures of the disk since it last had space for every write. */
  private diskFailures = 0;
  private hasChecked = false;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly queue: WriteQueue,
    private readonly log: Log,
    private readonly options: ConnectionOptions = {},
  ) {}

  /** The files that are open for reading; undefined while the database is not open. */
  readonly openFiles = (): DatabaseFiles | undefined => this.reader?.files;

  /** Finds a user, as `Reader.find` does. Not an async function, which would cost every read another kilobyte of garbage. */
  find(key: UserKey): Promise<StoredUser | undefined> {
    const found = this.reader?.find(key) ?? this.open().then((reader) => reader.find(key));
    return found.catch(this.rejectWithFault);
  }

  /** Runs a read on the open database. */
  read<Result>(query: (reader: Reader) => Result | Promise<Result>): Promise<Result> {
    return this.open().then(query).catch(this.rejectWithFault);
  }

  private readonly rejectWithFault = (error: unknown): never => {
    throw error instanceof Fault ? error : this.faultOf(toFailure(error));
  };

  /** Queues a write and waits for its outcome. */
  async write(write: Write): Promise<WriteOutcome> {
    if (this.options.readOnly) throw new Fault('store_rejected', 'the database was opened for reading only');
    if (this.reader === undefined) await this.open();
    const result = await this.queue.submit(write);
    if (!isFailure(result)) return result;
    if (result.isReadOnly && isWritable(this.path)) this.closeReader();
    throw this.faultOf(result);
  }

  /**
   * The next call opens another reader. While one is open whose -shm could only be read, as after a start on a read-only
   * disk, SQLite gives this -shm to the writer thread, too.
   */
  private closeReader(): void {
    this.reader?.close();
    this.reader = undefined;
  }

  /**
   * Whether users can be read and written, for operators. Once the file was found to be damaged, this fails until the
   * service is restarted with an intact one.
   */
  async check(): Promise<string> {
    await this.read((reader) => reader.check());
    if (this.options.readOnly) return this.read((reader) => this.describeUnopened(reader.schema));
    if (!(await this.canWriteAtStart())) await this.write({ kind: 'check' });
    await this.checkDisk();
    if (this.damage !== undefined) throw this.damage;
    return `database ${this.path} is read and written`;
  }

  /**
   * Whether the first check shows that a write would be durable without the writer thread, which would lengthen the start
   * of the service by a third; it starts a second later. In doubt this is false, and that thread finds out. It flushes a
   * test file, which does not block the event loop.
   */
  private async canWriteAtStart(): Promise<boolean> {
    if (this.hasChecked || this.queue.hasWriter) return false;
    this.hasChecked = true;
    if (!canChange(this.path) || !(await hasSpace(this.path).catch(() => false))) return false;
    setTimeout(() => void this.queue.submit({ kind: 'check' }), writerStartDelayMs).unref();
    return true;
  }

  /** Opens the database on first use. After a failure it waits one second before it tries again. Throws a Fault. */
  async open(): Promise<Reader> {
    if (this.closed) throw new Fault('store_unavailable', `database ${this.path}: it was closed`);
    if (this.reader !== undefined) return this.reader;
    if (this.failure !== undefined && performance.now() < this.failure.failedAtMs + reopenDelayMs)
      throw this.failure.fault;
    this.opening ??= this.tryToOpen().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async tryToOpen(): Promise<Reader> {
    try {
      requireFolderOfFile(this.path);
      this.reader = this.options.readOnly ? Reader.openAny(this.path) : await this.openReady();
    } catch (error) {
      const fault = error instanceof Fault ? error : toFault(this.path, toFailure(error));
      if (this.failure === undefined) this.log.warn({ reason: fault.message }, 'the database cannot be opened');
      this.failure = { fault, failedAtMs: performance.now() };
      throw fault;
    }
    if (this.failure !== undefined) this.log.info({ path: this.path }, 'the database is open');
    this.failure = undefined;
    return this.reader;
  }

  /** The first write starts the writer thread, which prepares the file; reading one that is ready does not need it. */
  private async openReady(): Promise<Reader> {
    const { path, queue } = this;
    const ready = Reader.openIfReady(path, this.options);
    if (ready !== undefined) return ready;
    const result = await queue.submit({ kind: 'check' });
    if (isFailure(result)) throw toFault(path, result);
    return Reader.open(path, this.options);
  }

  /** What the service will do with a file that was only read. Throws if this user may not write to it. */
  private async describeUnopened(schema: number): Promise<string> {
    const { path } = this;
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (!(await hasSpace(path))) throw toFault(path, unavailable('the disk has no space for the largest user'));
    const line = `database ${path} is read, and this user may write to it`;
    if (schema === schemaVersion) return line;
    if (schema === 0) return `${line}; it is empty, and the service creates its tables`;
    const upgrade = `the service upgrades its schema from ${schema} to ${schemaVersion}, and former versions cannot open it any more: back up first (${wayBack})`;
    return `${line}; ${upgrade}${schema <= lastSchemaWithoutExpiry ? `; ${eventsStartAgain}` : ''}`;
  }

  /**
   * After a failure of the disk, rejects with a Fault until there is space for every write, because small ones may succeed
   * before. Otherwise it does nothing.
   */
  private async checkDisk(): Promise<void> {
    const { path, diskFailures } = this;
    if (diskFailures === 0) return;
    const isFree = await hasSpace(path).catch((error: unknown) => {
      throw toFault(path, toFailure(error));
    });
    if (!isFree)
      throw toFault(path, unavailable('the disk has refused a write, and has no space for the largest user'));
    if (this.diskFailures === diskFailures) this.diskFailures = 0;
  }

  /** The Fault for a failed read or write. */
  private faultOf(failure: DatabaseFailure): Fault {
    if (failure.isOfDisk) this.diskFailures++;
    const fault = toFault(this.path, failure);
    if (failure.isDamage && this.damage === undefined) {
      this.damage = fault;
      this.log.error({ reason: fault.message }, 'the database is damaged; restore it and start the service again');
    }
    return fault;
  }

  /** Finishes the submitted writes. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.opening?.catch(() => undefined);
    this.reader?.close();
    // A read-only connection that closes last leaves the log behind.
    const mayRemoveLog = this.options.readOnly !== true || isEmptyLog(this.path);
    if (this.reader !== undefined && !this.queue.hasWriter && mayRemoveLog) removeLog(this.path);
    this.reader = undefined;
    await this.queue.close();
  }
}
