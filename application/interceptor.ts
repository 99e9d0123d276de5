import { Fault } from './fault.ts';

/**
 * Wraps a named operation to measure it, trace it or limit its time: calls `next` and returns its result, or throws. It
 * receives no arguments of the operation, so that no value can reach a log.
 */
export type Interceptor = <Result>(operation: string, next: () => Promise<Result>) => Promise<Result>;

/** Two interceptors as one: `outer` wraps `inner`, which wraps the call. */
export const compose =
  (outer: Interceptor, inner: Interceptor): Interceptor =>
  (operation, next) =>
    outer(operation, () => inner(operation, next));

type AsyncMethod = (first: never, second: never, third: never) => Promise<unknown>;

/**
 * Which methods of a port are intercepted. Only methods that return a Promise, with at most three parameters, can be.
 */
export type InterceptedMethods<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends AsyncMethod ? boolean : false;
};

/**
 * The port with its intercepted methods run inside the interceptor, under their names. All others are those of `port`.
 */
export const intercept = <Port extends object>(
  port: Port,
  methods: InterceptedMethods<Port>,
  interceptor: Interceptor,
): Port => {
  const intercepted: Port = Object.create(Object.getPrototypeOf(port));
  for (const [name, isIntercepted] of Object.entries(methods)) {
    const method: unknown = Reflect.get(port, name);
    if (typeof method !== 'function') throw new TypeError(`the port has no method ${name}`);
    const bound = method.bind(port);
    // Passing three parameters is cheaper than spreading an array.
    const wrapper = (first: unknown, second: unknown, third: unknown) =>
      interceptor(name, () => bound(first, second, third));
    Object.defineProperty(intercepted, name, { value: isIntercepted ? wrapper : bound });
  }
  return intercepted;
};

/** Waits for a random time of at most `maxMs`, so that competing writers do not collide again. */
export const randomDelay = (maxMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));

/** The end of the time for some work. Every request has one, and an object takes less memory than closures. */
class Deadline {
  private readonly startedMs = performance.now();
  private timer: NodeJS.Timeout | undefined;
  private isSettled = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly onTimeout: () => void,
  ) {}

  startTimer(): void {
    if (this.isSettled) return;
    const elapsedMs = performance.now() - this.startedMs;
    this.timer = setTimeout(this.onTimeout, Math.max(1, this.timeoutMs - elapsedMs));
  }

  settle(): void {
    this.isSettled = true;
    if (this.timer !== undefined) clearTimeout(this.timer);
  }
}

let withoutTimer: Deadline[] = [];

const startTimers = (): void => {
  const pending = withoutTimer;
  withoutTimer = [];
  for (const deadline of pending) deadline.startTimer();
};

/**
 * The result of `work`, or a rejection with the error of `timeoutError()` after `timeoutMs` milliseconds. The work is
 * not cancelled: what it does later is ignored, and its rejection is handled.
 */
export const withTimeout = <Result>(
  timeoutMs: number,
  work: Promise<Result>,
  timeoutError: () => Error,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const deadline = new Deadline(timeoutMs, () => reject(timeoutError()));
    // Most work is done within the same turn of the event loop, so timers are created at its end, for the rest only.
    if (withoutTimer.push(deadline) === 1) setImmediate(startTimers);
    work.then(
      (result) => {
        deadline.settle();
        resolve(result);
      },
      (error: unknown) => {
        deadline.settle();
        reject(error);
      },
    );
  });

/**
 * Bounds each operation by `timeoutMs` milliseconds. Throws the Fault `timed_out`; the operation may still take effect.
 */
export const timeoutInterceptor =
  (timeoutMs: number): Interceptor =>
  (operation, next) =>
    withTimeout(timeoutMs, next(), () => {
      const message = `${operation} took longer than the operation timeout of ${timeoutMs} ms`;
      return new Fault('timed_out', message);
    });
