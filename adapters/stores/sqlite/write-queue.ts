import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Trouble } from './errors.ts';
import type { Reply, Request, Result, Write, WriterOptions } from './writes.ts';

interface Pending {
  readonly write: Write;
  readonly settle: (result: Result) => void;
}

/** Bounds on one transaction, so that those who wait for it don't wait long: writes, and characters of properties. */
const largestGroup = { writes: 1000, characters: 8 * 1024 * 1024 };
/** More waiting writes than this are refused: the disk has stopped, and memory is finite. */
const longestQueue = 10_000;

const unavailable = (reason: string): Trouble => ({ code: 'store_unavailable', reason, damaged: false });

/** Starts the writing thread; its file is beside this one, as TypeScript or compiled. */
export const startWriter = (options: WriterOptions): Worker =>
  new Worker(new URL(`./writer${extname(import.meta.url)}`, import.meta.url), { workerData: options });

/**
 * Sends writes to the writing thread in groups: what arrives while a group is being written forms the next one.
 * A thread that dies leaves the writes of its group unknown, and another one is started for the next group.
 */
export class WriteQueue {
  private waiting: Pending[] = [];
  private inFlight: readonly Pending[] = [];
  private scheduled = false;
  private writer: Worker | undefined;
  private closing = false;
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly start: () => Worker,
    private readonly onDeath: (error: Error) => void,
  ) {}

  /** Whether the writing thread runs: it is started by the first write. */
  get hasWriter(): boolean {
    return this.writer !== undefined;
  }

  /** Resolves when the write is durable, or known to have failed. It never rejects. */
  submit(write: Write): Promise<Result> {
    if (this.closing) return Promise.resolve(unavailable('it was closed'));
    if (this.waiting.length >= longestQueue) return Promise.resolve(unavailable('too many writes are waiting'));
    return new Promise((settle) => {
      this.waiting.push({ write, settle });
      this.schedule();
    });
  }

  /** Finishes the writes that were submitted, then ends the thread, which closes the database. */
  async close(): Promise<void> {
    this.closing = true;
    if (this.waiting.length + this.inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.whenIdle = resolve;
      });
    }
    const writer = this.writer;
    if (writer === undefined) return;
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    this.send(writer, 'close');
    await ended;
  }

  /** Waits for the end of this turn of the event loop: the requests that were read in it share a group. */
  private schedule(): void {
    if (this.scheduled || this.inFlight.length > 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    this.inFlight = this.waiting.splice(0, this.sizeOfNextGroup());
    this.writer ??= this.started();
    this.send(
      this.writer,
      this.inFlight.map(({ write }) => write),
    );
  }

  private sizeOfNextGroup(): number {
    let characters = 0;
    const tooMuch = this.waiting.findIndex(({ write }, count) => {
      if ('row' in write) characters += write.row[6].length;
      return count >= largestGroup.writes || (count > 0 && characters > largestGroup.characters);
    });
    return tooMuch === -1 ? this.waiting.length : tooMuch;
  }

  private send(writer: Worker, request: Request): void {
    writer.postMessage(request);
  }

  private started(): Worker {
    const writer = this.start();
    writer.on('message', (reply: Reply) => this.settle(reply));
    writer.on('error', this.onDeath);
    writer.on('exit', () => {
      this.writer = undefined;
      this.settle(this.inFlight.map(() => unavailable('the writing thread ended')));
    });
    return writer;
  }

  private settle(results: Reply): void {
    const settled = this.inFlight;
    this.inFlight = [];
    for (const [index, { settle }] of settled.entries()) settle(results[index] ?? unavailable('no answer'));
    if (this.waiting.length > 0) this.schedule();
    else this.whenIdle?.();
  }
}
