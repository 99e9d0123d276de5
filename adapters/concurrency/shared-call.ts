/**
 * Shares the result of `call` among all callers that ask while it is pending, so that any number of concurrent callers
 * cost one call. A caller that asks after it has settled starts a new one.
 */
export const singleFlight = <Result>(call: () => Promise<Result>): (() => Promise<Result>) => {
  let pending: Promise<Result> | undefined;
  return () => {
    pending ??= call().finally(() => {
      pending = undefined;
    });
    return pending;
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

  forget(): void {
    this.made = undefined;
  }
}
