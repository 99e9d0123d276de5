import { availableParallelism } from 'node:os';
import { Fault } from '../../application/fault.ts';

/** The limits of a queue: jobs that run at once, jobs that wait, and how long a job waits. */
export interface QueueLimits {
  readonly concurrency: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Runs expensive jobs in order of arrival, a few at a time, and rejects jobs that would wait too long. */
export class WorkQueue {
  private running = 0;
  // A Set keeps the order of insertion and deletes from the middle in constant time.
  private readonly waiting = new Set<() => void>();
  private rejections = 0;

  constructor(private readonly limits: QueueLimits) {}

  /** The number of waiting jobs. */
  get length(): number {
    return this.waiting.size;
  }

  /** The number of running jobs. */
  get active(): number {
    return this.running;
  }

  /** The number of jobs rejected since the start. */
  get rejected(): number {
    return this.rejections;
  }

  /** Runs a job. Throws the Fault `overloaded`, without starting it, when the queue is full or the job waited too long. */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.running < this.limits.concurrency) this.running++;
    else await this.waitForSlot();
    try {
      return await job();
    } finally {
      this.releaseSlot();
    }
  }

  /** Resolves when a finished job hands over its slot. */
  private waitForSlot(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size >= this.limits.maxWaiting) {
        reject(this.overloaded('too many password hashes are waiting'));
        return;
      }
      const start = () => {
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(() => {
        this.waiting.delete(start);
        reject(this.overloaded(`a password hash waited longer than ${this.limits.maxWaitMs} ms`));
      }, this.limits.maxWaitMs);
      this.waiting.add(start);
    });
  }

  private releaseSlot(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running--;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  private overloaded(message: string): Fault {
    this.rejections++;
    return new Fault('overloaded', message, { retryAfterSeconds: Math.ceil(this.limits.maxWaitMs / 1000) });
  }
}

/** The size of libuv's thread pool, which computes the hashes. */
const threadPoolSize = ({ UV_THREADPOOL_SIZE: size }: NodeJS.ProcessEnv): number =>
  size === undefined ? 4 : Math.max(1, Number.parseInt(size, 10) || 1);

/** How many slow hashes run at once: one per core, limited by the size of the thread pool. */
export const hashConcurrencyOf = (cores: number, environment: NodeJS.ProcessEnv): number =>
  Math.min(cores, threadPoolSize(environment));

/** How many slow hashes this process runs at once. */
export const hashConcurrency = hashConcurrencyOf(availableParallelism(), process.env);

/** The queue for all slow hashes of this process, because they share its cores. */
export const slowHashes = new WorkQueue({ concurrency: hashConcurrency, maxWaiting: 1024, maxWaitMs: 2000 });
