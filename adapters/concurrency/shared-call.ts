/**
 * Shares calls among concurrent callers: whoever asks while one is running shares the next one, so that every result is
 * as recent as its request. At most one call runs and one waits for it, however many ask.
 */
export const singleFlight = <Result>(call: () => Promise<Result>): (() => Promise<Result>) => {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<Result> | undefined;
  return () => {
    if (waiting !== undefined) return waiting;
    const made = running.then(() => {
      waiting = undefined;
      return call();
    });
    waiting = made;
    running = made.catch(() => undefined);
    return made;
  };
};

/** Makes a call when it is first needed and keeps its result. After a failure, or `forget`, the next caller makes it again. */
export class Once<Result> {
  private made: Promise<Result> | undefined;

  constructor(private readonly call: () => Promise<Result>) {}

  get(): Promise<Result> {
    if (this.made !== undefined) return this.made;
    const made = this.call();
    this.made = made;
    made.catch(() => {
      if (this.made === made) this.forget();
    });
    return made;
  }

  /** The call that was made; undefined before the first one, and after a failure. */
  get current(): Promise<Result> | undefined {
    return this.made;
  }

  forget(): void {
    this.made = undefined;
  }
}
