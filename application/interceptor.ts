import { Fault } from './fault.ts';

/**
 * Runs a named operation: to measure it, to trace it, or to limit its time. It receives no arguments of the operation, so
 * that no value can reach a log. It returns the result of `next` unless its purpose is to change it.
 */
export type Interceptor = <Result>(operation: string, next: () => Promise<Result>) => Promise<Result>;

/** Two interceptors as one: `outer` wraps `inner`, which wraps the call. */
export const compose =
  (outer: Interceptor, inner: Interceptor): Interceptor =>
  (operation, next) =>
    outer(operation, () => inner(operation, next));

type AsyncMethod = (first: never, second: never, third: never) => Promise<unknown>;

/** Which methods of a port are intercepted. Only methods that return a Promise, with at most three parameters, can be. */
export type InterceptedMethods<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends AsyncMethod ? boolean : false;
};

/**
 * Returns a port whose intercepted methods run inside the interceptor, under the name of the method. All other methods
 * are those of `port`. It is built once: a call costs one closure more than a call of `port`.
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
