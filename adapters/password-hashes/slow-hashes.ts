import { availableParallelism } from 'node:os';
import { Fault } from '../../application/fault.ts';
import { type Rejection, WorkQueue } from '../concurrency/work-queue.ts';

/** The size of libuv's thread pool, which computes the hashes. */
const threadPoolSize = ({ UV_THREADPOOL_SIZE: size }: NodeJS.ProcessEnv): number =>
  size === undefined ? 4 : Math.max(1, Number.parseInt(size, 10) || 1);

/** How many slow hashes run at once: one per core, limited by the size of the thread pool. */
export const hashConcurrencyOf = (cores: number, environment: NodeJS.ProcessEnv): number =>
  Math.min(cores, threadPoolSize(environment));

/** How many slow hashes this process runs at once. */
export const hashConcurrency = hashConcurrencyOf(availableParallelism(), process.env);

const limits = { concurrency: hashConcurrency, maxWaiting: 1024, maxWaitMs: 2000 };

const messages: Readonly<Record<Rejection, string>> = {
  full: 'too many password hashes are waiting',
  timeout: `a password hash waited longer than ${limits.maxWaitMs} ms`,
};

/** The Fault of a hash that is not computed. */
export const overloaded = (rejection: Rejection): Fault =>
  new Fault('overloaded', messages[rejection], { retryAfterSeconds: Math.ceil(limits.maxWaitMs / 1000) });

/** The queue for all slow hashes of this process, because they share its cores. */
export const slowHashes = new WorkQueue(limits, overloaded);
