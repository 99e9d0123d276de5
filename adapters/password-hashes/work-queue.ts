import { availableParallelism } from 'node:os';
import { Fault } from '../../application/fault.ts';

/** The bounds of a queue: jobs at once, jobs waiting, and the longest wait in milliseconds. */
export interface QueueBounds {
  readonly concurrency: number;
  readonly longestQueue: number;
  readonly longestWait: number;
}

/** Runs expensive jobs a few at a time, in the order in which they came, and refuses what would wait too long. */
export class WorkQueue {
  private running = 0;
  // A Set keeps the order of arrival, and lets a waiter leave from the middle.
  private readonly waiting = new Set<() => void>();
  private refusals = 0;

  constructor(private readonly bounds: QueueBounds) {}

  /** The jobs that wait at this moment. */
  get length(): number {
    return this.waiting.size;
  }

  /** The jobs that run at this moment. */
  get active(): number {
    return this.running;
  }

  /** The jobs refused since the start. */
  get refused(): number {
    return this.refusals;
  }

  /**
   * The outcome of a job. Throws a Fault `overloaded` instead of starting it when the queue is full, or when its turn
   * did not come within the longest wait.
   */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.running < this.bounds.concurrency) this.running++;
    else await this.turn();
    try {
      return await job();
    } finally {
      this.passOn();
    }
  }

  /** Resolves when a finished job has passed its place on. */
  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size >= this.bounds.longestQueue) {
        reject(this.refusal('the queue of password hashes is full'));
        return;
      }
      const start = () => {
        clearTimeout(patience);
        resolve();
      };
      const patience = setTimeout(() => {
        this.waiting.delete(start);
        reject(this.refusal('a password hash waited too long for its turn'));
      }, this.bounds.longestWait);
      this.waiting.add(start);
    });
  }

  private passOn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running--;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  private refusal(message: string): Fault {
    this.refusals++;
    return new Fault('overloaded', message, { retryAfterSeconds: Math.ceil(this.bounds.longestWait / 1000) });
  }
}

/** The size of libuv's thread pool, which does the hashing: more jobs than that would wait there unseen. */
const threads = ({ UV_THREADPOOL_SIZE: size }: NodeJS.ProcessEnv): number =>
  size === undefined ? 4 : Math.max(1, Number.parseInt(size, 10) || 1);

/** How many hashes this process may work on at once: one for each core, as far as there are threads for them. */
export const hashConcurrency = (cores: number, environment: NodeJS.ProcessEnv): number =>
  Math.min(cores, threads(environment));

/** How many slow hashes this process works on at once. */
export const hashesAtOnce = hashConcurrency(availableParallelism(), process.env);

/** The one queue of all the slow hashes of this process: they share its cores. */
export const slowHashes = new WorkQueue({
  concurrency: hashesAtOnce,
  longestQueue: 1024,
  longestWait: 2000,
});
