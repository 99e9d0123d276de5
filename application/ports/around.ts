/**
 * Wraps a call that has a name: to bound it in time, to measure it, to trace it. It sees the name only, so that nothing
 * of what is said can get into a log. The outcome is that of `next`, unless the wrapper is there to change it.
 */
export type Around = <Result>(name: string, next: () => Promise<Result>) => Promise<Result>;

/** Two wrappers as one, the first around the second. */
export const nested =
  (outer: Around, inner: Around): Around =>
  (name, next) =>
    outer(name, () => inner(name, next));
