import { setTimeout as sleep } from 'node:timers/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import { administrator } from '../../application/administration/administrator.ts';
import type { QueryBus } from '../../application/bus.ts';
import { Fault, type FaultCode, isOfRecord } from '../../application/fault.ts';
import type { UserPage } from '../../application/ports/user-listing.ts';
import type { User } from '../../domain/user.ts';
import type { Inactivity } from '../../domain/user-state.ts';
import { CommandError } from './command-errors.ts';
import { programName } from './command-line.ts';
import { isInterrupted, onInterrupt, requireUninterrupted } from './interrupts.ts';
import type { Transfer } from './transfer.ts';

const pageSize = 200;

/**
 * Every user, or every inactive one, page by page, after the position of an earlier page. Throws the Fault of the
 * store, and CommandError if it cannot list users.
 */
export async function* pagesOf(queries: QueryBus, start?: string, inactive?: Inactivity): AsyncGenerator<UserPage> {
  for (let after = start; ; ) {
    const message = { type: 'ListUsers', by: administrator, limit: pageSize, after, inactive } as const;
    const listed = await retryWhileUnavailable(() => queries.dispatch(message));
    if (isLeft(listed)) throw new CommandError(`the users cannot be listed: ${listed.left.code}`);
    yield listed.right;
    after = listed.right.next;
    if (after === undefined) return;
  }
}

/** Shows how far a transfer has come. */
export interface Progress {
  /** `done` counts towards the total; `users` is the number of users so far. */
  update(done: number, users: number): void;
  end(): void;
}

export const noProgress: Progress = { update: () => undefined, end: () => undefined };

/** A progress bar on standard error if that is a terminal. If `total` is null, it only counts users. */
export const showProgress = async (verb: string, total: number | null): Promise<Progress> => {
  if (!process.stderr.isTTY) return noProgress;
  const { default: cliProgress } = await import('cli-progress');
  const bounded = `${verb} {bar} {percentage}% | {users} users | {duration_formatted}, {eta_formatted} left`;
  const format = total === null ? `${verb} {users} users | {duration_formatted}` : bounded;
  // Neither hides the cursor nor switches wrapping off, because a process that is killed could not undo it.
  const options = { format, linewrap: true, etaBuffer: 200 };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  bar.start(total ?? 0, 0, { users: 0 });
  return { update: (done, users) => bar.update(done, { users }), end: () => bar.stop() };
};

const transientFaults: ReadonlySet<FaultCode> = new Set(['store_unavailable', 'timed_out', 'overloaded']);

const isTransient = (error: unknown): error is Fault => error instanceof Fault && transientFaults.has(error.code);

/**
 * Runs work that ends early after a signal, and that can be repeated. Throws CommandError with `advice` about that if the
 * database is unavailable, and other errors as they are.
 */
export const repeatable = async <Result>(advice: string, work: () => Promise<Result>): Promise<Result> => {
  const restoreSignals = onInterrupt();
  try {
    return await work();
  } catch (error) {
    throw isTransient(error) ? new CommandError(`${error.message}; ${advice}`) : error;
  } finally {
    restoreSignals();
  }
};

/** How many users are written at once, so that the service keeps calls to the database for its requests. */
const atOnce = 16;

/**
 * Passes every user, or every inactive one, to `work`, and each page to `onPage` afterwards, whose `unreadable` also has the
 * users whose record keeps `work` from its end. Throws CommandError if a signal interrupts it, which lets the users in
 * progress end, and if the database is unavailable.
 */
export const eachUser = async (
  { queries, requireListing }: Pick<Transfer, 'queries' | 'requireListing'>,
  { command, inactive }: { readonly command: string; readonly inactive?: Inactivity },
  work: (user: User) => Promise<void>,
  onPage: (page: UserPage) => void,
): Promise<void> => {
  requireListing();
  const advice = `run ${programName()} ${command} again for the other users`;
  await repeatable(advice, async () => {
    for await (const page of pagesOf(queries, undefined, inactive)) {
      const unreadable = [...(page.unreadable ?? [])];
      // Once also for a page without users, of which there may be thousands.
      for (let start = 0; start === 0 || start < page.users.length; start += atOnce) {
        requireUninterrupted(`interrupted; ${advice}`);
        // All of them, because the store closes after a failure, and each of the others would wait for it to come back.
        const done = await Promise.allSettled(page.users.slice(start, start + atOnce).map(work));
        for (const one of done) {
          if (one.status === 'fulfilled') continue;
          if (!isOfRecord(one.reason)) throw one.reason;
          unreadable.push(one.reason);
        }
      }
      onPage({ ...page, unreadable });
    }
  });
};

const defaultRetryTimeoutMs = 60_000;
const retryDelayMs = 1_000;

/**
 * Repeats `work` while the database is unavailable. Throws the last Fault after the timeout or an interrupt, other errors at
 * once.
 */
export const retryWhileUnavailable = async <Result>(
  work: () => Promise<Result>,
  timeoutMs = defaultRetryTimeoutMs,
): Promise<Result> => {
  const started = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || isInterrupted() || performance.now() - started > timeoutMs) throw error;
      await sleep(retryDelayMs);
    }
  }
};
