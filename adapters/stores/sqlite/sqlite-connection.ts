import { Fault } from '../../../application/fault.ts';
import type { Log } from '../../../application/ports/log.ts';
import { isEmptyLog, removeLog } from './database.ts';
import { hasSpace } from './disk-space.ts';
import { type DatabaseFailure, toFailure, toFault, unavailable } from './errors.ts';
import { Reader } from './reader.ts';
import { isFailure, type WriteQueue } from './write-queue.ts';

/** The delay between a failure to open the database and the next attempt. */
const reopenDelayMs = 1000;

/** Opens and closes a database: the reader of this thread and, by its queue, the writer thread. */
export class SqliteConnection {
  /** Undefined while the database is not open. */
  reader: Reader | undefined;
  /** Set once the file was found to be damaged, until the service is restarted with an intact one. */
  damage: Fault | undefined;
  private opening: Promise<Reader> | undefined;
  private failure: { readonly fault: Fault; readonly failedAtMs: number } | undefined;
  /** Failures of the disk since it last had space for every write. */
  private diskFailures = 0;
  private closed = false;

  constructor(
    readonly path: string,
    readonly queue: WriteQueue,
    private readonly log: Log,
    private readonly options: { readonly hideUnknownUsers?: boolean; readonly readOnly?: boolean } = {},
  ) {}

  /** Whether nothing may be written. */
  get isReadOnly(): boolean {
    return this.options.readOnly === true;
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
      this.reader = this.isReadOnly ? Reader.openAny(this.path) : await this.openReady();
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
    const hideUnknownUsers = this.options.hideUnknownUsers === true;
    const ready = Reader.openIfReady(path, hideUnknownUsers);
    if (ready !== undefined) return ready;
    const result = await queue.submit({ kind: 'check' });
    if (isFailure(result)) throw toFault(path, result);
    return Reader.open(path, hideUnknownUsers);
  }

  /**
   * After a failure of the disk, rejects with a Fault until there is space for every write, because small ones may succeed
   * before. Otherwise it does nothing.
   */
  async checkDisk(): Promise<void> {
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
  faultOf(failure: DatabaseFailure): Fault {
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
    const mayRemoveLog = !this.isReadOnly || isEmptyLog(this.path);
    if (this.reader !== undefined && !this.queue.hasWriter && mayRemoveLog) removeLog(this.path);
    this.reader = undefined;
    await this.queue.close();
  }
}
