import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../application/fault.ts';
import type { Log } from '../../application/ports/log.ts';
import { PasswordStrength } from '../../application/ports/password-quality.ts';
import type { StrengthRequest, StrengthResponse } from './strength-worker.ts';

/**
 * Only this many characters of a password are rated: random ones get the best score with half of them. The time grows
 * faster than the length: for the slowest kinds of passwords about 10 ms for 16 characters, 25 ms for 32 and 75 ms for 64.
 */
const maxRatedLength = 32;

/** While this many passwords wait, further ones are refused. */
const maxWaiting = 100;

/** Half of the default operation timeout: on a slow machine 100 long passwords take longer than a caller waits. */
const defaultMaxWaitMs = 5_000;

interface Waiting {
  readonly resolve: (score: number) => void;
  readonly reject: (fault: Fault) => void;
}

/** Without limits the heap grows to 240 MB before its garbage is collected; the dictionaries take less than 64 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

const startWorker = (): Worker =>
  new Worker(new URL(`./strength-worker${extname(import.meta.url)}`, import.meta.url), { resourceLimits });

const overloaded = (message: string): Fault => new Fault('overloaded', message, { retryAfterSeconds: 2 });

/** Rates passwords with zxcvbn (D. L. Wheeler, USENIX Security 2016) in a thread, which starts with the first password. */
export class StrengthEstimator extends PasswordStrength {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(
    private readonly log: Log,
    private readonly start: () => Worker = startWorker,
    private readonly maxWaitMs = defaultMaxWaitMs,
  ) {
    super();
  }

  /**
   * Rates the first 32 characters of a password from 0 to 4. Throws the Fault `overloaded` if too many passwords wait,
   * or if this one waits too long.
   */
  score(password: string, related: readonly string[]): Promise<number> {
    if (this.waiting.size >= maxWaiting) return Promise.reject(overloaded('too many passwords wait for their score'));
    this.worker ??= this.createWorker();
    const request: StrengthRequest = {
      id: ++this.lastId,
      password: password.slice(0, maxRatedLength),
      // A longer text could not be found in what is rated.
      related: related.map((text) => text.slice(0, maxRatedLength)),
      sentNs: process.hrtime.bigint(),
      maxWaitMs: this.maxWaitMs,
    };
    return new Promise((resolve, reject) => {
      this.waiting.set(request.id, { resolve, reject });
      // Only a thread that rates a password keeps the process alive.
      this.worker?.ref();
      this.worker?.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private createWorker(): Worker {
    const worker = this.start();
    worker.on('message', ({ id, score }: StrengthResponse) => {
      if (score === null) this.waiting.get(id)?.reject(overloaded('a password waited too long for its score'));
      else this.waiting.get(id)?.resolve(score);
      this.waiting.delete(id);
      if (this.waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.log.error({ name: error.name }, 'the thread that rates passwords failed'));
    worker.on('exit', () => {
      this.worker = undefined;
      const fault = new Fault('overloaded', 'the thread that rates passwords ended', { retryAfterSeconds: 1 });
      for (const { reject } of this.waiting.values()) reject(fault);
      this.waiting.clear();
    });
    return worker;
  }
}
