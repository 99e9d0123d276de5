/** How many failures were counted, and when the count ends, in milliseconds since the epoch. */
export interface FailureCount {
  readonly failures: number;
  readonly end: number;
}

/** Counts of failures in memory, by key. One that has ended is removed a while later. */
export class FailureCounts {
  private readonly counts = new Map<string, FailureCount>();

  get(key: string): FailureCount | undefined {
    return this.counts.get(key);
  }

  /** Adds a failure to the count of a key unless it has ended at `now`; otherwise starts one with this end. */
  add(key: string, now: number, end: number): FailureCount {
    const found = this.counts.get(key);
    if (found === undefined || found.end <= now) return this.set(key, now, { failures: 1, end });
    const count = { ...found, failures: found.failures + 1 };
    this.counts.set(key, count);
    return count;
  }

  set(key: string, now: number, count: FailureCount): FailureCount {
    this.counts.set(key, count);
    const remove = (): void => {
      if (this.counts.get(key)?.end === count.end) this.counts.delete(key);
    };
    setTimeout(remove, count.end - now).unref();
    return count;
  }

  delete(key: string): void {
    this.counts.delete(key);
  }
}
