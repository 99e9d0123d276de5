import type { Fault } from '../../application/fault.ts';

/** The limits of a queue: jobs that run at once, jobs that wait, and how long a job waits. */
interface QueueLimits {
  readonly concurrency: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Why a queue rejects a job: too many jobs wait already, or this one waited too long. */
export type Rejection = 'full' | 'timeout';

/** Runs expensive jobs in order of arrival, a few at a time, and rejects jobs that would wait too long. */
export class WorkQueue {
  private running = 0;
  // A Set keeps the order of insertion and deletes from the middle in constant time.
  private readonly waiting = new Set<() => void>();
  private rejections = 0;

  /** `toFault` returns the Fault of a rejected job. */
  constructor(
    private readonly limits: QueueLimits,
    private readonly toFault: (rejection: Rejection) => Fault,
  ) {}

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

  /** Runs a job. Throws a Fault, without starting it, when the queue is full or the job waited too long. */
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
      const refuse = (rejection: Rejection) => {
        this.rejections++;
        reject(this.toFault(rejection));
      };
      if (this.waiting.size >= this.limits.maxWaiting) {
        refuse('full');
        return;
      }
      const start = () => {
        clearTimeout(timeout);
        resolve();
      };
      const timeout = setTimeout(() => {
        this.waiting.delete(start);
        refuse('timeout');
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
}
