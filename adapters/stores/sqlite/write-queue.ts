import type { Worker } from 'node:worker_threads';
import type { Reserve } from './entry-table.ts';
import { type DatabaseFailure, unavailable } from './errors.ts';
import type { EventOutcome, EventWrite } from './event-table.ts';
import type { UserOutcome, UserWrite } from './sqlite-user-table.ts';

/** One write for the writer thread. `check` changes nothing and proves that a write would be durable. */
export type Write = UserWrite | Reserve | EventWrite | { readonly kind: 'check' };

/** The known outcome of a write. */
export type WriteOutcome = UserOutcome | EventOutcome;

/** After a failure the write may or may not have been applied. */
export type WriteResult = WriteOutcome | DatabaseFailure;

/** A message to the writer thread: the writes of a group, or the end. It answers with their results in the same order. */
export type WriterRequest = readonly Write[] | 'close';

export const isFailure = (result: WriteResult): result is DatabaseFailure =>
  typeof result === 'object' && 'reason' in result;

interface PendingWrite {
  readonly write: Write;
  readonly settle: (result: WriteResult) => void;
}

/** The maximum writes, and characters of their properties, in one transaction, so that no write waits long. */
const maxGroupSize = { writes: 1000, characters: 8 * 1024 * 1024 };
/**
 * While this many writes wait, further ones are refused, because a disk that no longer responds must not fill the
 * memory.
 */
const maxWaitingWrites = 10_000;

/**
 * Sends writes to the writer thread in groups: what arrives while a group is being written forms the next one. When the
 * thread exits, it is unknown whether the writes of its group were applied, and the next group starts another thread.
 */
export class WriteQueue {
  private waiting: PendingWrite[] = [];
  private inFlight: readonly PendingWrite[] = [];
  private scheduled = false;
  private writer: Worker | undefined;
  private closing = false;
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly start: () => Worker,
    private readonly onWriterError: (error: Error) => void,
  ) {}

  /** Whether the writer thread runs. The first write starts it. */
  get hasWriter(): boolean {
    return this.writer !== undefined;
  }

  /** Resolves when the write is durable or has failed. It never rejects. */
  submit(write: Write): Promise<WriteResult> {
    if (this.closing) return Promise.resolve(unavailable('it was closed'));
    if (this.waiting.length >= maxWaitingWrites) return Promise.resolve(unavailable('too many writes are waiting'));
    return new Promise((settle) => {
      this.waiting.push({ write, settle });
      this.schedule();
    });
  }

  /** Finishes the submitted writes, then ends the thread, which closes the database. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.waiting.length + this.inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    }
    const { writer } = this;
    if (writer === undefined) return;
    const exited = new Promise((resolve) => writer.once('exit', resolve));
    writer.postMessage('close' satisfies WriterRequest);
    await exited;
  }

  /** Waits for the end of this turn of the event loop, so that the requests that it reads share a group. */
  private schedule(): void {
    if (this.scheduled || this.inFlight.length > 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    this.inFlight = this.waiting.splice(0, this.nextGroupSize());
    this.writer ??= this.startWriter();
    this.writer.postMessage(this.inFlight.map(({ write }) => write) satisfies WriterRequest);
  }

  private nextGroupSize(): number {
    let characters = 0;
    const end = this.waiting.findIndex(({ write }, count) => {
      if ('characters' in write) characters += write.characters;
      return count >= maxGroupSize.writes || (count > 0 && characters > maxGroupSize.characters);
    });
    return end === -1 ? this.waiting.length : end;
  }

  private startWriter(): Worker {
    const writer = this.start();
    writer.on('message', (results: readonly WriteResult[]) => this.settle(results));
    writer.on('error', this.onWriterError);
    writer.on('exit', () => {
      this.writer = undefined;
      this.settle(this.inFlight.map(() => unavailable('the writer thread ended')));
    });
    return writer;
  }

  private settle(results: readonly WriteResult[]): void {
    const settled = this.inFlight;
    this.inFlight = [];
    for (const [index, { settle }] of settled.entries()) settle(results[index] ?? unavailable('no response'));
    if (this.waiting.length > 0) this.schedule();
    else this.whenIdle?.();
  }
}
