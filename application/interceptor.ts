import { Fault } from './fault.ts';

/**
 * Wraps a call that has a name: to measure it, to trace it, to bound its time. It receives the name of the operation and
 * no arguments, so that no value can reach a log. It returns the outcome of `next` unless its purpose is to change it.
 */
export type Interceptor = <Result>(operation: string, next: () => Promise<Result>) => Promise<Result>;

/** Two interceptors as one: `outer` wraps `inner`, which wraps the call. */
export const compose =
  (outer: Interceptor, inner: Interceptor): Interceptor =>
  (operation, next) =>
    outer(operation, () => inner(operation, next));

/** A timer that starts at the end of the current turn of the event loop, unless the work has finished by then. */
class PendingTimeout {
  private timer: NodeJS.Timeout | undefined;
  private finished = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly onTimeout: () => void,
  ) {}

  start(): void {
    if (!this.finished) this.timer = setTimeout(this.onTimeout, this.timeoutMs);
  }

  finish(): void {
    this.finished = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
  }
}

let pending: PendingTimeout[] = [];

const startPending = (): void => {
  const timeouts = pending;
  pending = [];
  for (const timeout of timeouts) timeout.start();
};

/**
 * The result of `work`, or a rejection with the error of `timeoutError()` after `timeoutMs` milliseconds. The work is not
 * cancelled: what it does later is ignored, and its rejection is handled.
 */
// Every request passes here and most finish within the same turn, so timers are created once per turn for the rest.
export const withTimeout = <Result>(
  timeoutMs: number,
  work: Promise<Result>,
  timeoutError: () => Error,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const timeout = new PendingTimeout(timeoutMs, () => reject(timeoutError()));
    if (pending.push(timeout) === 1) setImmediate(startPending);
    work.then(
      (result) => {
        timeout.finish();
        resolve(result);
      },
      (error: unknown) => {
        timeout.finish();
        reject(error);
      },
    );
  });

/** Bounds each operation by `timeoutMs` milliseconds. Throws the Fault `timed_out`; the operation may still take effect. */
export const timeoutInterceptor =
  (timeoutMs: number): Interceptor =>
  (operation, next) =>
    withTimeout(timeoutMs, next(), () => {
      const message = `${operation} took longer than the operation timeout of ${timeoutMs} ms`;
      return new Fault('timed_out', message);
    });
