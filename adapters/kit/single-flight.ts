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
